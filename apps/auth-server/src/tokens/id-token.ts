import { createHash } from 'node:crypto';
import { parseUnverifiedJwt } from '@gatehouse/resource-server/parts';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { jwtVerify } from 'jose';
import { demandsOf } from '../clients/client-demands.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { TokenDescription } from './access-token.ts';
import type { AuthorizationGrant } from './authorization-grant.ts';
import { buildUserinfoClaims } from './userinfo-claims.ts';

/** Seconds an ID token is valid: it says who signed in, and is read once. */
const lifetime = 3600;

/** The claims of an ID token that comes back as a hint (OpenID Connect Core 3.1.2.1). */
export interface IdTokenHint {
  sub: string;
  sid: string | undefined;
  clientId: string;
}

export interface IdTokenOptions {
  /** The access token that is issued with it. */
  accessToken?: string | undefined;
  /** The code in the same answer (OpenID Connect Core 3.3.2.11). */
  code?: string | undefined;
  /** The token endpoint gives it, and not the front channel. */
  byTokenEndpoint?: true;
}

export interface IdTokens {
  /** Throws where the grant has no user who signed in. */
  issue(grant: AuthorizationGrant, options?: IdTokenOptions): string;
  /** Describes what the token endpoint would issue, without `at_hash` too. Signs nothing. */
  describe(grant: Omit<AuthorizationGrant, 'status'>): TokenDescription<Record<string, unknown>>;
  /** Reads a hint: signed by this realm, expired or not; undefined for anything else. */
  findHint(idToken: string): Promise<IdTokenHint | undefined>;
}

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  orgApi: Pick<OrgApi, 'limitToClaims'>;
  clock: Clock;
}

/** OpenID Connect Core 2: signed RS256, or ES256 where the client says so. */
export function createIdTokens({ signingKeys, issuer, orgApi, clock }: Dependencies): IdTokens {
  const buildClaims = (
    { user, authentication, client, nonce, sessionId, scope, claims }: Omit<AuthorizationGrant, 'status'>,
    iat: number,
    carriesScopes: boolean,
    { accessToken, code }: Pick<IdTokenOptions, 'accessToken' | 'code'>,
  ) => {
    if (user === undefined || authentication === undefined) throw new Error('an ID token needs a user who signed in');
    return {
      iss: issuer,
      sub: user.id,
      aud: client.clientId,
      exp: iat + lifetime,
      iat,
      auth_time: authentication.authTime,
      acr: authentication.acr,
      amr: authentication.amr,
      ...(nonce === undefined ? {} : { nonce }),
      ...(sessionId === undefined ? {} : { sid: sessionId }),
      ...buildUserinfoClaims(user, carriesScopes ? orgApi.limitToClaims(scope) : [], claims.idToken),
      ...(accessToken === undefined ? {} : { at_hash: hashForIdToken(accessToken) }),
      ...(code === undefined ? {} : { c_hash: hashForIdToken(code) }),
    };
  };

  return {
    issue(grant, { accessToken, code, byTokenEndpoint = false } = {}) {
      const { idTokenAlgorithm, idTokenScopeClaims } = demandsOf(grant.client);
      // Core 5.4: where no access token is issued there is no userinfo to ask, so the claims of the scopes stand here.
      const isAlone = accessToken === undefined && code === undefined;
      const carriesScopes = isAlone || (byTokenEndpoint && idTokenScopeClaims);
      const claims = buildClaims(grant, toSeconds(clock()), carriesScopes, { accessToken, code });
      return signingKeys.sign(idTokenAlgorithm, 'JWT', claims);
    },
    describe(grant) {
      const { idTokenAlgorithm, idTokenScopeClaims } = demandsOf(grant.client);
      const all: Record<string, unknown> = buildClaims(grant, 0, idTokenScopeClaims, {});
      const { exp, iat, auth_time, sid, ...claims } = all;
      return { header: signingKeys.describeHeader(idTokenAlgorithm, 'JWT'), claims };
    },
    async findHint(idToken) {
      try {
        parseUnverifiedJwt(idToken);
        // Core 3.1.2.1: a hint may have expired.
        const options = { issuer, typ: 'JWT', algorithms: ['RS256', 'ES256'], currentDate: new Date(0) };
        const { payload } = await jwtVerify(idToken, signingKeys.getKey, options);
        const { sub, sid, aud } = payload;
        if (typeof sub !== 'string' || typeof aud !== 'string') return undefined;
        return { sub, sid: typeof sid === 'string' ? sid : undefined, clientId: aud };
      } catch {
        return undefined;
      }
    },
  };
}

/** Core 3.1.3.6 and 3.3.2.11: the left half of the hash, for RS256 and ES256 of SHA-256. */
function hashForIdToken(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}
