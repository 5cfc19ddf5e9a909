import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import { decodeProtectedHeader, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose';
import type { KeySet } from './key-set.ts';

export interface JwtRules {
  issuer: string;
  /** Left out where such tokens have none. */
  audience?: string;
  /** The `typ` that tells this kind of token from every other the auth server signs. */
  type: string;
  algorithms: readonly string[];
  requiredClaims: readonly string[];
}

/** Gives the claims of a JWT that keeps the rules, undefined for any other, 503 where no key is to be had. */
export type VerifyJwt = (token: string) => Promise<JWTPayload | undefined>;

export function createJwtVerifier({ keySet, clock }: { keySet: KeySet; clock: Clock }, rules: JwtRules): VerifyJwt {
  return async (token) => {
    const header = findHeader(token);
    if (header?.kid === undefined || !rules.algorithms.includes(header.alg ?? '')) return undefined;
    const publicKey = await keySet.find(header.kid);
    if (publicKey === undefined || publicKey.alg !== header.alg) return undefined;
    try {
      const { payload } = await jwtVerify(token, publicKey.key, {
        issuer: rules.issuer,
        ...(rules.audience === undefined ? {} : { audience: rules.audience }),
        typ: rules.type,
        algorithms: [...rules.algorithms],
        requiredClaims: [...rules.requiredClaims],
        currentDate: new Date(toSeconds(clock()) * 1000),
      });
      return payload;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      return undefined;
    }
  };
}

function findHeader(token: string): ProtectedHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}
