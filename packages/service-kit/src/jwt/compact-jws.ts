import { type KeyObject, verify } from 'node:crypto';
import { isJsonObject, parseBoundedJson } from '@gatehouse/shared';

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

/**
 * Whether the key signed it by ES256 (RFC 7518 3.4: R and S side by side, not DER). Verifies on this thread, as signing
 * does: on the thread pool it would cost more and wait behind password hashes.
 */
export function isSignedByEs256({ signingInput, signature }: CompactJws, key: KeyObject): boolean {
  return verify('sha256', Buffer.from(signingInput, 'latin1'), { key, dsaEncoding: 'ieee-p1363' }, signature);
}
