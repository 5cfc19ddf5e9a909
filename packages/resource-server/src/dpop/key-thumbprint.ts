import { isBoundedString, isJsonObject } from '../json/bounded-json.ts';
import type { JwtClaims } from '../jwt/jwt-rules.ts';

/** Characters. */
const longestThumbprint = 255;

/**
 * Finds the thumbprint of the key that a token is bound to (RFC 7800 3.1, RFC 9449 6.1): undefined where the claim is
 * absent, null where it names no key by its thumbprint, such as a certificate (RFC 8705).
 */
export function findKeyThumbprint({ cnf }: JwtClaims): string | null | undefined {
  if (cnf === undefined) return undefined;
  return isJsonObject(cnf) && isBoundedString(cnf.jkt, longestThumbprint) ? cnf.jkt : null;
}
