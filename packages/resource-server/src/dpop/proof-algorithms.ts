import { isBoundedString } from '../json/bounded-json.ts';
import type { JwtClaims } from '../jwt/jwt-rules.ts';
import { dpopAlgorithms } from './dpop-proof.ts';

const mostNames = 16;
/** Characters. */
const longestName = 32;

/**
 * Finds the algorithms that a token limits the proofs of its key to: an RSA key alone does not say whether it signs by
 * PS256 or by RS256. Undefined where the token limits nothing, null where the claim is no list of names.
 */
export function findProofAlgorithms({
  dpop_signing_alg_values: names,
}: JwtClaims): readonly string[] | null | undefined {
  if (names === undefined) return undefined;
  if (!Array.isArray(names) || names.length > mostNames) return null;
  if (!names.every((name) => isBoundedString(name, longestName))) return null;
  return dpopAlgorithms.filter((algorithm) => names.includes(algorithm));
}
