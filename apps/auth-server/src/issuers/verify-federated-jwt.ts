import { parseUnverifiedJwt, type UnverifiedJwt } from '@gatehouse/resource-server/parts';
import { noteKnown, type RequestContext } from '@gatehouse/service-kit';
import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions } from 'jose';
import { type KeySets, pickKeysOfUse } from '../outbound/key-sets.ts';
import { toUnreadableKeys } from '../outbound/unreadable-keys.ts';
import { verifyByKeySet } from '../outbound/verify-by-key-set.ts';
import type { Issuer } from './issuer.ts';
import type { IssuerStore } from './issuer-store.ts';

/** The issuers that may have made a token. */
export interface ExpectedIssuers {
  /** As the credentials of a client name them. */
  named: readonly string[];
  /** Whether the request says that the token is a JWT-SVID, which its trust domain made. */
  isSvid: boolean;
}

/** A token whose signature is good. Audience and times are not checked. */
export interface FederatedJwt {
  issuer: Issuer;
  claims: JWTPayload;
}

/**
 * Verifies a token by the keys of the one of these issuers that it names. Throws 503 where they cannot be read, and an
 * Error whose message says for the log what else is wrong.
 */
export type VerifyFederatedJwt = (
  token: string,
  expected: ExpectedIssuers,
  context: RequestContext,
) => Promise<FederatedJwt>;

interface Dependencies {
  issuers: Pick<IssuerStore, 'findRecent'>;
  keySets: KeySets;
}

/** The `use` of keys for JWT-SVIDs (SPIFFE Trust Domain and Bundle 4.2.2). */
const svidUse = 'jwt-svid';

/** `typ` of tokens that are made for nothing else (RFC 8725 3.11). */
const plainType = /^(?:jwt|jose)$/i;

export function createVerifyFederatedJwt({ issuers, keySets }: Dependencies): VerifyFederatedJwt {
  const verifySignature = async (issuer: Issuer, token: string): Promise<JWTPayload> => {
    const { id, updatedAt, kind, jwks, jwksUri } = issuer;
    const options: JWTVerifyOptions = {
      algorithms: [...issuer.signatureAlgorithms],
      requiredClaims: kind === 'spiffe' ? ['sub', 'aud', 'exp'] : ['iss', 'sub', 'aud', 'exp', 'iat'],
      // Times are told to holders of a token of the client alone: they are checked once it is known to be one.
      clockTolerance: Number.MAX_SAFE_INTEGER,
    };
    const use = kind === 'spiffe' ? svidUse : undefined;
    if (jwks !== undefined) {
      const keys = pickKeysOfUse(jwks as JSONWebKeySet, use);
      return (await verifyByKeySet(token, keys, options)).payload;
    }
    // A change of the issuer lets go of the keys that were read before it.
    const source = { owner: `issuer ${id} ${updatedAt}`, url: jwksUri ?? issuer.issuer, use };
    try {
      return (await keySets.verify({ ...source, isIssuer: jwksUri === undefined }, token, options)).payload;
    } catch (error) {
      throw toUnreadableKeys(error, 'issuer');
    }
  };

  return async (token, { named, isSvid }, context) => {
    const { header, claims } = parseUnverifiedJwt(token);
    checkType(header);
    // The issuer is one that the client named, before any key is read: nothing is called because a token names it.
    const name = listNames(claims, isSvid).find((one) => named.includes(one));
    const issuer = name === undefined ? undefined : await issuers.findRecent(name);
    if (issuer === undefined) throw new Error('the client names no registered issuer of this token');
    const [expected] = issuer.kind === 'spiffe' ? listNames(claims, true) : [isSvid ? undefined : claims.iss];
    if (issuer.issuer !== expected) throw new Error('"iss" or the trust domain of "sub" is not the issuer');
    noteKnown(context, { issuer: issuer.issuer });
    return { issuer, claims: await verifySignature(issuer, token) };
  };
}

function checkType({ typ }: UnverifiedJwt['header']): void {
  if (typ === undefined || (typeof typ === 'string' && plainType.test(typ))) return;
  throw new Error('"typ" says that the token is for something else');
}

/** The issuers that a token names: by `iss`, and by the trust domain of `sub` (SPIFFE ID 2). */
function listNames({ iss, sub = '' }: UnverifiedJwt['claims'], isSvid: boolean): string[] {
  const [domain] = /^spiffe:\/\/[^/]+(?=\/)/.exec(sub) ?? [];
  return [isSvid ? undefined : iss, domain].filter((name) => name !== undefined);
}

/** Says whether a token names a registered issuer. Proves nothing. */
export type NamesIssuer = (token: string) => Promise<boolean>;

export function createNamesIssuer({ issuers }: Pick<Dependencies, 'issuers'>): NamesIssuer {
  return async (token) => {
    const found = await Promise.all(listUnverifiedNames(token).map((name) => issuers.findRecent(name)));
    return found.some((issuer) => issuer !== undefined);
  };
}

function listUnverifiedNames(token: string): string[] {
  try {
    return listNames(parseUnverifiedJwt(token).claims, false);
  } catch {
    return [];
  }
}
