import type { Argon2Hash, BcryptHash, ImportedHash, Pbkdf2Hash, ScryptHash, WrappedHash } from './imported-hash.ts';
import { isWeakSchemeName, weakSchemes } from './weak-digest.ts';

/** Characters of the column that keeps it. */
const longestText = 512;
/** Bytes that scrypt may use. */
const largestScrypt = 64 * 1024 * 1024;

/** Undefined where the form is not known, or would cost more than its bounds allow. Computes nothing. */
export function parseImportedHash(text: string): ImportedHash | undefined {
  if (text.length > longestText) return undefined;
  return parseArgon2(text) ?? parseBcrypt(text) ?? parsePbkdf2(text) ?? parseScrypt(text) ?? parseWrapped(text);
}

function parseArgon2(text: string): Argon2Hash | undefined {
  const form = /^\$argon2(?:id|i|d)\$v=(?:16|19)\$m=([1-9]\d{0,4}),t=([1-9]\d?),p=([1-8])\$([^$]+)\$([^$]+)$/;
  const match = form.exec(text);
  if (match === null) return undefined;
  const [memory, passes, lanes] = match.slice(1, 4).map(Number) as [number, number, number];
  const isWithin = memory <= 65_536 && memory >= 8 * lanes && passes <= 20 && memory * passes <= 1_000_000;
  const areBytes = decode(match[4], 8, 64) !== undefined && decode(match[5], 16, 64) !== undefined;
  return isWithin && areBytes ? { kind: 'argon2', text, memory, passes } : undefined;
}

function parseBcrypt(text: string): BcryptHash | undefined {
  // The last characters of salt and hash have one spelling each. The library takes no other one.
  const match = /^\$2[aby]\$(0[4-9]|1[0-3])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/.exec(text);
  return match === null ? undefined : { kind: 'bcrypt', text, cost: Number(match[1]) };
}

function parsePbkdf2(text: string): Pbkdf2Hash | undefined {
  const match = /^\$pbkdf2-(sha1|sha256|sha512)\$i=([1-9]\d{0,6})\$([^$]+)\$([^$]+)$/.exec(text);
  if (match === null) return undefined;
  const iterations = Number(match[2]);
  const [salt, expected] = [decode(match[3], 1, 256), decode(match[4], 16, 64)];
  if (iterations > 1_000_000 || salt === undefined || expected === undefined) return undefined;
  return { kind: 'pbkdf2', digest: match[1] as Pbkdf2Hash['digest'], iterations, salt, expected };
}

function parseScrypt(text: string): ScryptHash | undefined {
  const form = /^\$scrypt\$ln=([1-9]\d?),r=([1-9]\d{0,5}),p=([1-9]\d{0,5})\$([^$]+)\$([^$]+)$/;
  const match = form.exec(text);
  if (match === null) return undefined;
  const [ln, r, p] = match.slice(1, 4).map(Number) as [number, number, number];
  const [salt, expected] = [decode(match[4], 1, 256), decode(match[5], 16, 64)];
  // RFC 7914 2: N is less than 2^(128 · r / 8).
  const isWithin = 128 * 2 ** ln * r * p <= largestScrypt && ln < 16 * r;
  return isWithin && salt !== undefined && expected !== undefined
    ? { kind: 'scrypt', ln, r, p, salt, expected }
    : undefined;
}

function parseWrapped(text: string): WrappedHash | undefined {
  const [, scheme = '', saltText, innerText] = /^\$gh-wrap\$(\w+)\$([^$]*)(\$scrypt\$.+)$/.exec(text) ?? [];
  if (!isWeakSchemeName(scheme) || innerText === undefined) return undefined;
  const salt = decode(saltText, ...weakSchemes[scheme].salt);
  const inner = parseScrypt(innerText);
  return salt === undefined || inner === undefined ? undefined : { kind: 'wrapped', scheme, salt, inner };
}

/** Base64 without padding, in its one spelling: argon2's library throws for another one. */
function decode(text: string | undefined, least: number, most: number): Buffer | undefined {
  const bytes = Buffer.from(text ?? '', 'base64');
  const isCanonical = bytes.toString('base64').replaceAll('=', '') === text;
  return isCanonical && bytes.length >= least && bytes.length <= most ? bytes : undefined;
}
