import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { Type } from 'typebox';
import { mayUse } from '../clients/client.ts';
import { type AuthorizationCode, authorizationCodeLifetime } from '../codes/authorization-code.ts';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import { isCodeVerifier, matchesCodeChallenge } from '../codes/pkce.ts';
import type { Tell } from '../events/event.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { getParameter, type RequestParameters } from '../protocol/request-parameters.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { FindHolder } from './find-holder.ts';
import type { Decision, GrantType, TokenRequest } from './grant-type.ts';
import type { IssueRefreshToken } from './issue-refresh-token.ts';

interface Dependencies {
  codes: AuthorizationCodeStore;
  revocations: Revocations;
  findHolder: FindHolder;
  issueRefreshToken: IssueRefreshToken;
  tell: Tell;
  clock: Clock;
}

/** Exchanging an authorization code (RFC 6749 4.1.3) with PKCE (RFC 7636 4.6). */
export function createAuthorizationCodeGrant(deps: Dependencies): GrantType {
  const { codes, revocations, findHolder, issueRefreshToken, tell, clock } = deps;

  /** RFC 6749 4.1.2: a code used twice ends the tokens issued from it. */
  const endReusedGrant = async ({ grantId, userId }: AuthorizationCode, request: TokenRequest): Promise<never> => {
    const { client, origin } = request;
    await revocations.endGrant(grantId);
    tell({ type: 'grant.replayed', reason: 'code_replayed', why: undefined, client, userId, grantId, origin });
    throw invalidGrant('the code was used before: the tokens issued from it are ended');
  };

  /** Ends a grant whose code was issued before the client had `require_consent`, and to which the user allows nothing. */
  const endUnasked = async (code: AuthorizationCode): Promise<never> => {
    await revocations.endGrant(code.grantId);
    throw invalidGrant('the user has not allowed the client anything');
  };

  const getCode = async (presented: string, request: TokenRequest): Promise<AuthorizationCode> => {
    const code = await codes.find(hashOpaqueToken(presented));
    if (code === undefined) throw invalidGrant('no such code');
    if (code.registrationId !== request.client.registrationId) throw invalidGrant('issued to another client');
    if (code.consumedAt !== undefined) return endReusedGrant(code, request);
    // A sign-out or a withdrawn consent may end the grant before the exchange.
    if (await revocations.isGrantEnded(code.grantId)) throw invalidGrant('the grant was ended');
    return code;
  };

  const consume = async (code: AuthorizationCode, status: TokenStatus, request: TokenRequest): Promise<void> => {
    const now = clock();
    const issuedAfter = now - authorizationCodeLifetime;
    if (code.issuedAt <= issuedAfter) throw invalidGrant('the code has expired');
    if (!(await codes.consume(code.codeHash, { now, issuedAfter, status }))) await endReusedGrant(code, request);
  };

  const settle = async (
    code: AuthorizationCode,
    grant: Decision['grant'],
    status: TokenStatus,
    request: TokenRequest,
  ) => {
    await consume(code, status, request);
    const { client, dpopJkt } = request;
    return { status, refreshToken: await issueRefreshToken({ ...grant, client, dpopJkt, status }) };
  };

  return {
    parameters: { code: Type.String(), redirect_uri: Type.String(), code_verifier: Type.String() },
    mayUse: (client) => mayUse(client, 'authorization_code'),
    async decide(request) {
      const { client, parameters, origin, dpopJkt } = request;
      const code = await getCode(getParameter(parameters, 'code'), request);
      checkRedirectUri(code, parameters);
      checkCodeVerifier(code, parameters);
      checkKey(code, dpopJkt);
      const { user, allowed } = await findHolder(client, code, origin);
      if (user === undefined) throw invalidGrant('the user is disabled or has a new password');
      if (allowed === undefined) return endUnasked(code);
      const { grantId, authTime, nonce, sessionId } = code;
      const grant = { grantId, user, scope: allowed.scope, claims: allowed.claims, authTime, nonce, sessionId };
      return {
        grant,
        settle: (status) => settle(code, grant, status, request),
        // A second use may come in between, before there is a refresh token to end. The code was accepted once, so this
        // answer stands, but its tokens are ended.
        async afterIssue() {
          if (await revocations.isGrantEnded(grantId)) await revocations.endGrant(grantId);
        },
      };
    },
  };
}

function checkRedirectUri(code: AuthorizationCode, parameters: RequestParameters): void {
  // RFC 6749 4.1.3: required, and identical, if it stood in the authorization request.
  const expected = code.redirectUri;
  if (expected === undefined || parameters.get('redirect_uri') === expected) return;
  throw new OAuthError('invalid_grant', 'redirect_uri must be the one of the authorization request');
}

function checkCodeVerifier({ codeChallenge }: AuthorizationCode, parameters: RequestParameters): void {
  const verifier = parameters.get('code_verifier');
  if (codeChallenge === undefined) {
    // RFC 9700 4.8.2: a verifier for a code without challenge is a sign of a downgrade.
    if (verifier !== undefined) throw invalidGrant('a code_verifier for a code that has no code_challenge');
    return;
  }
  if (verifier === undefined) throw new OAuthError('invalid_grant', 'the parameter code_verifier is required');
  if (isCodeVerifier(verifier) && matchesCodeChallenge(verifier, codeChallenge)) return;
  throw new OAuthError('invalid_grant', 'code_verifier does not fit the code_challenge of the authorization request');
}

/** RFC 9449 10: a code that was asked for with a key is exchanged with that key. */
function checkKey({ dpopJkt: expected }: AuthorizationCode, dpopJkt: string | undefined): void {
  if (expected === undefined || expected === dpopJkt) return;
  throw new OAuthError('invalid_dpop_proof', 'the code is bound to another key (dpop_jkt)');
}

function invalidGrant(reason: string): OAuthError {
  const description = 'the authorization code is not valid, expired or was used before';
  return new OAuthError('invalid_grant', description, { reason });
}
