import type { Clock } from '@gatehouse/service-kit';
import { Type } from 'typebox';
import { isCodeEnded } from '../clients/client.ts';
import { type AuthorizationCode, authorizationCodeLifetime } from '../codes/authorization-code.ts';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import { checkExchange, invalidCode } from '../codes/check-exchange.ts';
import { hashOpaqueToken } from '../protocol/opaque-token.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { TokenTargets } from '../resources/token-targets.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { checkAuthentication } from './check-authentication.ts';
import type { FindHolder } from './find-holder.ts';
import type { Decision, GrantHandler, Settled, TokenRequest } from './grant-handler.ts';
import type { IssueRefreshToken } from './issue-refresh-token.ts';

interface Dependencies {
  codes: AuthorizationCodeStore;
  revocations: Revocations;
  findHolder: FindHolder;
  issueRefreshToken: IssueRefreshToken;
  tokenTargets: Pick<TokenTargets, 'chooseOfGrant'>;
  clock: Clock;
}

/** Exchanging an authorization code (RFC 6749 4.1.3) with PKCE (RFC 7636 4.6). */
export function createAuthorizationCodeGrant(deps: Dependencies): GrantHandler {
  const { findHolder, tokenTargets } = deps;
  return {
    parameters: { code: Type.String(), redirect_uri: Type.String(), code_verifier: Type.String() },
    mayUse: (client) => client.grantTypes.includes('authorization_code'),
    async decide(request) {
      const { client, parameters, resource, context, dpopJkt } = request;
      const code = await getCode(deps, request);
      checkExchange(code, parameters, dpopJkt);
      const { user, allowed } = await findHolder(client, code, context);
      if (user === undefined) throw invalidCode('the user is disabled or has a new password');
      if (allowed === undefined) return endUnasked(deps, code);
      const target = await tokenTargets.chooseOfGrant(client, allowed, resource);
      const { grantId, authentication, nonce, sessionId } = code;
      checkAuthentication(client, target, authentication, deps.clock());
      const { scope, resources, claims } = allowed;
      const grant = { grantId, user, scope, resources, target, claims, authentication, nonce, sessionId };
      return {
        grant,
        settle: (status) => settle(deps, code, grant, status, request),
      };
    },
  };
}

async function getCode(deps: Dependencies, request: TokenRequest): Promise<AuthorizationCode> {
  const code = await deps.codes.find(hashOpaqueToken(getParameter(request.parameters, 'code')));
  if (code === undefined) throw invalidCode('no such code');
  if (code.registrationId !== request.client.registrationId) throw invalidCode('issued to another client');
  if (isCodeEnded(request.client, code)) throw invalidCode('issued before the client was disabled or had its profile');
  if (code.consumedAt !== undefined) return endReusedGrant(deps, code, request);
  // Ended before it was exchanged: by a sign-out, or by consent taken back.
  if (await deps.revocations.isGrantEnded(code.grantId)) throw invalidCode('the grant was ended');
  return code;
}

async function settle(
  deps: Dependencies,
  code: AuthorizationCode,
  grant: Decision['grant'],
  status: TokenStatus,
  request: TokenRequest,
): Promise<Settled> {
  const now = deps.clock();
  const issuedAfter = now - authorizationCodeLifetime;
  if (code.issuedAt <= issuedAfter) throw invalidCode('the code has expired');
  const isConsumed = await deps.codes.consume(code.codeHash, { now, issuedAfter, status });
  if (!isConsumed) return endReusedGrant(deps, code, request);
  const { client, dpopJkt } = request;
  const refreshToken = await deps.issueRefreshToken({ client, dpopJkt, status, ...grant });
  // A second use may have come between, before there was a refresh token to end. The code was honoured once all the same:
  // this answer stands, and its tokens are dead.
  if (await deps.revocations.isGrantEnded(code.grantId)) await deps.revocations.endGrant(code.grantId);
  return { status, refreshToken };
}

/** RFC 6749 4.1.2: a code used twice ends the tokens issued from it. */
async function endReusedGrant(
  { revocations }: Dependencies,
  { grantId, userId }: AuthorizationCode,
  { client, context }: TokenRequest,
): Promise<never> {
  const reason = 'code_replayed';
  await revocations.endReplayed({ reason, why: undefined, client, userId, grantId, context });
  throw invalidCode('the code was used before: the tokens issued from it are ended');
}

/** Issued before the client had to ask its users. */
async function endUnasked({ revocations }: Dependencies, code: AuthorizationCode): Promise<never> {
  await revocations.endGrant(code.grantId);
  throw invalidCode('the user has not allowed the client anything');
}
