import { isJsonObject, parseBoundedJson } from '../json/bounded-json.ts';

/** A JWS in compact serialization (RFC 7515 7.1), split into its parts. Nothing of it is verified yet. */
export interface CompactJws {
  header: JoseHeader;
  /** In base64url, as it was signed. */
  payload: string;
  signingInput: string;
  signature: Buffer;
}

/** RFC 7515 4.1: the parameters that are read here. */
export interface JoseHeader {
  alg?: unknown;
  kid?: unknown;
  typ?: unknown;
  crit?: unknown;
}

/** The most characters of a JWT: as many as all headers of a request may have together. */
export const longestJwt = 16_384;
/** The most levels of objects and lists in a header or in claims. */
const deepestJwt = 8;

const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** Splits a compact JWS; undefined for a text in another form or of more than `longest` characters. */
export function parseCompactJws(text: string, longest = longestJwt): CompactJws | undefined {
  if (text.length > longest) return undefined;
  const [, protectedHeader = '', payload = '', signature = ''] = compactForm.exec(text) ?? [];
  const header = parseJsonObject(protectedHeader);
  if (header === undefined) return undefined;
  const signingInput = text.slice(0, text.length - signature.length - 1);
  return { header, payload, signingInput, signature: Buffer.from(signature, 'base64url') };
}

/** Parses a JSON object in base64url; undefined for anything else, and for an object with too many levels. */
export function parseJsonObject(encoded: string): Record<string, unknown> | undefined {
  const text = Buffer.from(encoded, 'base64url').toString();
  const parsed = parseBoundedJson(text, { longest: Number.POSITIVE_INFINITY, deepest: deepestJwt });
  return isJsonObject(parsed?.value) ? parsed.value : undefined;
}

/** RFC 7515 4.1.9: compares a media type without regard to case; its `application/` may be absent. */
export function isOfType({ typ }: JoseHeader, type: string): boolean {
  if (typ === type) return true;
  return typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === type;
}
