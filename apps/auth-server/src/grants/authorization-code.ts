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
import type { Decision, GrantType, Settled, TokenRequest } from './grant-type.ts';
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
  const { revocations, findHolder } = deps;
  return {
    parameters: { code: Type.String(), redirect_uri: Type.String(), code_verifier: Type.String() },
    mayUse: (client) => mayUse(client, 'authorization_code'),
    async decide(request) {
      const { client, parameters, context, dpopJkt } = request;
      const code = await getCode(deps, getParameter(parameters, 'code'), request);
      checkRedirectUri(code, parameters);
      checkCodeVerifier(code, parameters);
      checkKey(code, dpopJkt);
      const { user, allowed } = await findHolder(client, code, context);
      if (user === undefined) throw invalidGrant('the user is disabled or has a new password');
      if (allowed === undefined) return endUnasked(deps, code);
      const { grantId, authTime, nonce, sessionId } = code;
      const grant = { grantId, user, scope: allowed.scope, claims: allowed.claims, authTime, nonce, sessionId };
      return {
        grant,
        settle: (status) => settle(deps, code, grant, status, request),
        // A second use may have come between, before there was a refresh token to end. The code was honoured once all
        // the same: this answer stands, and its tokens are dead.
        async afterIssue() {
          if (await revocations.isGrantEnded(grantId)) await revocations.endGrant(grantId);
        },
      };
    },
  };
}

async function getCode(deps: Dependencies, presented: string, request: TokenRequest): Promise<AuthorizationCode> {
  const code = await deps.codes.find(hashOpaqueToken(presented));
  if (code === undefined) throw invalidGrant('no such code');
  if (code.registrationId !== request.client.registrationId) throw invalidGrant('issued to another client');
  if (code.consumedAt !== undefined) return endReusedGrant(deps, code, request);
  // Ended before it was exchanged: by a sign-out, or by consent taken back.
  if (await deps.revocations.isGrantEnded(code.grantId)) throw invalidGrant('the grant was ended');
  return code;
}

async function settle(
  deps: Dependencies,
  code: AuthorizationCode,
  grant: Decision['grant'],
  status: TokenStatus,
  request: TokenRequest,
): Promise<Settled> {
  await consume(deps, code, status, request);
  const { client, dpopJkt } = request;
  return { status, refreshToken: await deps.issueRefreshToken({ ...grant, client, dpopJkt, status }) };
}

async function consume(
  deps: Dependencies,
  code: AuthorizationCode,
  status: TokenStatus,
  request: TokenRequest,
): Promise<void> {
  const now = deps.clock();
  const issuedAfter = now - authorizationCodeLifetime;
  if (code.issuedAt <= issuedAfter) throw invalidGrant('the code has expired');
  const isConsumed = await deps.codes.consume(code.codeHash, { now, issuedAfter, status });
  if (!isConsumed) await endReusedGrant(deps, code, request);
}

/** RFC 6749 4.1.2: a code used twice ends the tokens issued from it. */
async function endReusedGrant(
  { revocations, tell }: Dependencies,
  { grantId, userId }: AuthorizationCode,
  { client, context }: TokenRequest,
): Promise<never> {
  await revocations.endGrant(grantId);
  tell({ type: 'grant.replayed', reason: 'code_replayed', why: undefined, client, userId, grantId, context });
  throw invalidGrant('the code was used before: the tokens issued from it are ended');
}

/** Issued before the client had to ask its users. */
async function endUnasked({ revocations }: Dependencies, code: AuthorizationCode): Promise<never> {
  await revocations.endGrant(code.grantId);
  throw invalidGrant('the user has not allowed the client anything');
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
