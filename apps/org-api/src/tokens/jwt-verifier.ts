import { type Clock, rememberVerified, toSeconds } from '@gatehouse/service-kit';
import { decodeProtectedHeader, type JWTPayload, jwtVerify, type ProtectedHeaderParameters } from 'jose';
import type { KeySet, PublicKey } from './key-set.ts';

/** `Content`: what is read from the claims of such a token. */
export interface JwtRules<Content> {
  issuer: string;
  /** Left out where such tokens have none. */
  audience?: string;
  /** The `typ` that tells this kind of token from every other the auth server signs. */
  type: string;
  algorithms: readonly string[];
  requiredClaims: readonly string[];
  /** Characters of such tokens that are remembered as verified. */
  remembered: number;
  /** Undefined where the claims are not those of such a token after all. */
  read(claims: JWTPayload): Content | undefined;
}

/** Gives what a JWT that keeps the rules says, undefined for any other, 503 where no key is to be had. */
export type VerifyJwt<Content> = (token: string) => Promise<Content | undefined>;

interface VerifiedJwt<Content> {
  content: Content;
  /** Seconds. */
  expiresAt: number;
  kid: string;
  publicKey: PublicKey;
}

/** A token that was verified is not verified again until it expires or its key is withdrawn. */
export function createJwtVerifier<Content>(
  { keySet, clock }: { keySet: KeySet; clock: Clock },
  rules: JwtRules<Content>,
): VerifyJwt<Content> {
  const verify = async (token: string): Promise<VerifiedJwt<Content> | undefined> => {
    const { kid, alg = '' } = findHeader(token) ?? {};
    if (kid === undefined || !rules.algorithms.includes(alg)) return undefined;
    const publicKey = await keySet.find(kid);
    if (publicKey === undefined || publicKey.alg !== alg) return undefined;
    const claims = await findClaims(token, publicKey);
    const content = claims && rules.read(claims);
    return content && { content, expiresAt: claims.exp ?? 0, kid, publicKey };
  };
  const findClaims = async (token: string, { key }: PublicKey): Promise<JWTPayload | undefined> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        issuer: rules.issuer,
        ...(rules.audience === undefined ? {} : { audience: rules.audience }),
        typ: rules.type,
        algorithms: [...rules.algorithms],
        requiredClaims: [...rules.requiredClaims],
        currentDate: new Date(toSeconds(clock()) * 1000),
      });
      return payload;
    } catch {
      return undefined;
    }
  };
  const stillStands = ({ expiresAt, kid, publicKey }: VerifiedJwt<Content>) =>
    expiresAt > toSeconds(clock()) && keySet.findInHand(kid) === publicKey;

  const verifyOnce = rememberVerified({ verify, stillStands, remembered: rules.remembered });

  return async (token) => {
    const verified = await verifyOnce(token);
    return verified?.content;
  };
}

function findHeader(token: string): ProtectedHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}
