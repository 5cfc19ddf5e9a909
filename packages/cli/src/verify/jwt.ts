import { constants, createPublicKey, type JsonWebKey, type VerifyKeyObjectInput, verify } from 'node:crypto';
import { readObject } from '../connection/send.ts';
import type { Jwk } from './keys.ts';

/** A signed JWT, taken apart. */
export interface Jwt {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  signed: string;
  signature: Buffer;
}

/** Undefined where the text is no signed JWT. */
export function parseJwt(text: string): Jwt | undefined {
  const [header = '', claims = '', signature = '', ...more] = text.split('.');
  const decode = (part: string) => readObject(Buffer.from(part, 'base64url').toString());
  const read = { header: decode(header), claims: decode(claims) };
  if (read.header === undefined || read.claims === undefined || more.length > 0) return undefined;
  return {
    ...{ header: read.header, claims: read.claims },
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, 'base64url'),
  };
}

/** Why no key of the set verifies the token; undefined where one does. */
export function findSignatureFault({ header, signed, signature }: Jwt, keys: readonly Jwk[]): string | undefined {
  const alg = String(header.alg);
  if (!/^(?:RS|PS|ES)\d{3}$|^Ed/.test(alg)) return `alg is ${alg}`;
  const named = keys.filter(({ kid }) => header.kid === undefined || kid === header.kid);
  if (named.length === 0) return `no key is published as ${String(header.kid)}`;
  const isRight = named.some((key) => verifies(key, alg, signed, signature));
  const whose = header.kid === undefined ? 'no key verifies it' : `the key ${header.kid} does not verify it`;
  return isRight ? undefined : whose;
}

function verifies(key: Jwk, alg: string, signed: string, signature: Buffer): boolean {
  const [bits] = /\d{3}$/.exec(alg) ?? [];
  const digest = bits === undefined || alg.startsWith('Ed') ? null : `sha${bits}`;
  try {
    const input: VerifyKeyObjectInput = {
      key: createPublicKey({ key: key as JsonWebKey, format: 'jwk' }),
      ...optionsOf(alg),
    };
    return verify(digest, Buffer.from(signed), input, signature);
  } catch {
    return false;
  }
}

/** RFC 7518 3.4, 3.5. */
function optionsOf(alg: string): Partial<VerifyKeyObjectInput> {
  if (alg.startsWith('ES')) return { dsaEncoding: 'ieee-p1363' };
  if (!alg.startsWith('PS')) return {};
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}
