import { isBoundedString, isJsonObject } from '../json/bounded-json.ts';

/** The most characters in base64url: of a number of an RSA key of 8,192 bits, and of an exponent that verifies quickly. */
const longestNumber = 1366;
const longestExponent = 11;
/** Characters of a certificate in `x5c`, and of any other text; members of a key, and entries of a list. */
const longestText = 8192;
const longestName = 1024;
const mostMembers = 32;
const mostEntries = 16;

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const encoded = /^[A-Za-z0-9_-]+$/;
const isEncoded = (longest: number) => (value: unknown) => isBoundedString(value, longest) && encoded.test(value);
const isName = (value: unknown) => isBoundedString(value, longestName);

/** RFC 7517 4, RFC 7518 6, RFC 8037 2: the members that are read, and the rule of each. */
const knownMembers: Record<string, (value: unknown) => boolean> = {
  kty: isName,
  crv: isName,
  kid: isName,
  alg: isName,
  use: isName,
  x: isEncoded(longestNumber),
  y: isEncoded(longestNumber),
  n: isEncoded(longestNumber),
  e: isEncoded(longestExponent),
};

/** Whether a JWK holds a private or a symmetric key (RFC 7518 6.2.2, 6.3.2, 6.4), which nobody publishes. */
export function isPrivateJwk(key: unknown): boolean {
  return isJsonObject(key) && (key.kty === 'oct' || privateMembers.some((member) => Object.hasOwn(key, member)));
}

/** The curves of EC keys whose signatures are read of everybody, and those of issuers' keys. */
const usualCurves = ['P-256'] as const;
export const issuerCurves = ['P-256', 'P-384'] as const;

/** The fault of a JWK (RFC 7517) as a public key for signatures; undefined where there is none. */
export function findPublicJwkFault(key: unknown, curves: readonly string[] = usualCurves): string | undefined {
  if (!isJsonObject(key)) return 'must hold keys that are JSON objects';
  if (isPrivateJwk(key)) return 'must hold public keys only';
  const malformed = Object.entries(key).find(([name, value]) => !isWellFormed(name, value));
  if (malformed !== undefined || Object.keys(key).length > mostMembers) return 'must hold keys of well-formed members';
  if (key.kty === 'EC' && curves.some((curve) => curve === key.crv)) return undefined;
  if (key.kty === 'OKP' && key.crv === 'Ed25519') return undefined;
  if (key.kty === 'RSA') return isLongEnough(key.n) ? undefined : 'must hold RSA keys of at least 2048 bits';
  return `must hold RSA, ${curves.map((curve) => `EC ${curve}`).join(', ')} or Ed25519 keys`;
}

function isWellFormed(name: string, value: unknown): boolean {
  const check = Object.hasOwn(knownMembers, name) ? knownMembers[name] : undefined;
  if (check !== undefined) return check(value);
  if (Array.isArray(value)) return value.length <= mostEntries && value.every((entry) => isText(entry));
  return isText(value) || value === null || typeof value === 'boolean' || Number.isFinite(value);
}

function isText(value: unknown): boolean {
  return isBoundedString(value, longestText);
}

function isLongEnough(modulus: unknown): boolean {
  return typeof modulus === 'string' && Buffer.from(modulus, 'base64url').length >= 256;
}
