import { type Clock, toSeconds } from '@gatehouse/service-kit';
import type { ClientUses } from '../clients/client-uses.ts';
import { type AuthorizationCode, authorizationCodeRetention } from '../codes/authorization-code.ts';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import type { Authentication } from '../levels/authentication.ts';
import { chooseAuthentication } from '../levels/level-demand.ts';
import { createOpaqueToken } from '../protocol/opaque-token.ts';
import { gives } from '../protocol/response-types.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { TokenTarget } from '../resources/token-target.ts';
import type { TokenTargets } from '../resources/token-targets.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { StatusAllocation } from '../status-lists/allocate-status.ts';
import type { GrantStatusStore } from '../status-lists/grant-status-store.ts';
import { type AccessTokens, findLifetime } from '../tokens/access-token.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Fields } from './authorization-response.ts';

/** Issues a code, tokens or both under a new grant; gives the fields of the answer. */
export type IssueFields = (asked: AuthorizationRequest, signedIn: SignedInUser, grantId: string) => Promise<Fields>;

interface Dependencies extends StatusAllocation {
  codes: Pick<AuthorizationCodeStore, 'insert'>;
  grantStatuses: Pick<GrantStatusStore, 'insert'>;
  accessTokens: Pick<AccessTokens, 'issue'>;
  idTokens: Pick<IdTokens, 'issue'>;
  tokenTargets: Pick<TokenTargets, 'chooseOfGrant'>;
  clientUses: Pick<ClientUses, 'noteToken'>;
  clock: Clock;
}

export function createIssueFields(deps: Dependencies): IssueFields {
  const issueTokens = createIssueTokens(deps);
  const { codes, clock } = deps;
  return async (asked, signedIn, grantId) => {
    if (asked.responseType !== 'code') return issueTokens(asked, signedIn, grantId);
    const code = buildCode(asked, signedIn, grantId, clock());
    const { token, hash } = createOpaqueToken();
    await codes.insert({ codeHash: hash, ...code });
    return { code: token };
  };
}

/** RFC 6749 4.2.2, OpenID Connect Core 3.2.2.5 and 3.3.2.5: tokens in the answer itself, without a code or with one. */
function createIssueTokens(deps: Dependencies): IssueFields {
  const { accessTokens, idTokens, allocateStatus, tokenTargets, clientUses, clock } = deps;
  return async (asked, signedIn, grantId) => {
    const { client } = asked.target;
    const target = await tokenTargets.chooseOfGrant(client, asked, undefined);
    const status = await allocateStatus(client);
    const now = clock();
    const row = buildCode(asked, signedIn, grantId, now);
    const code = await storeCode(deps, asked, row, status);
    const { authentication } = row;
    const grant = buildGrant(asked, signedIn, { grantId, status, target, authentication });
    const accessToken = gives(asked.responseType, 'token') ? accessTokens.issue(grant, toSeconds(now)) : undefined;
    const idToken = gives(asked.responseType, 'id_token') ? idTokens.issue(grant, { accessToken, code }) : undefined;
    clientUses.noteToken(client);
    if (accessToken === undefined) return { code, id_token: idToken };
    return {
      code,
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: String(findLifetime(grant, toSeconds(now))),
      scope: target.scope.length === 0 ? undefined : target.scope.join(' '),
      id_token: idToken,
    };
  };
}

/** Stores the row of the grant; gives the code, where the answer has one. `status`: of the access token in the answer. */
async function storeCode(
  { codes, grantStatuses }: Dependencies,
  { target: { client }, responseType }: AuthorizationRequest,
  row: Omit<AuthorizationCode, 'codeHash'>,
  status: TokenStatus,
): Promise<string | undefined> {
  const { token, hash: codeHash } = createOpaqueToken();
  if (!gives(responseType, 'code')) {
    await codes.insert({ ...row, codeHash, consumedAt: row.issuedAt, status });
    return undefined;
  }
  // The row of a code has place for the status of the token that the code is exchanged for.
  if (gives(responseType, 'token')) {
    const { registrationId, tokenGeneration: generation } = client;
    await grantStatuses.insert([{ status, grantId: row.grantId, subject: status, registrationId, generation }]);
  }
  await codes.insert({ ...row, codeHash });
  return token;
}

/** Builds the row that lets a grant be ended. An implicit token needs it too, though it comes without a code. */
export function buildCode(
  asked: AuthorizationRequest,
  { user, session }: SignedInUser,
  grantId: string,
  now: number,
): Omit<AuthorizationCode, 'codeHash'> {
  const { target, redirectUri, codeChallenge, scope, resources, dpopJkt, claims, nonce, level } = asked;
  return {
    grantId,
    registrationId: target.client.registrationId,
    clientGeneration: target.client.tokenGeneration,
    redirectUri,
    codeChallenge,
    scope,
    resources,
    userId: user.id,
    sessionId: session.sessionId,
    passwordChangedAt: user.passwordChangedAt,
    dpopJkt,
    claims,
    nonce,
    authentication: chooseAuthentication(session.proofs, level, now),
    issuedAt: now,
    consumedAt: undefined,
    status: undefined,
    expiresAt: now + authorizationCodeRetention,
  };
}

function buildGrant(
  { target, scope, resources, claims, nonce }: AuthorizationRequest,
  { user, session }: SignedInUser,
  issued: { grantId: string; status: TokenStatus; target: TokenTarget; authentication: Authentication },
): AuthorizationGrant {
  return {
    client: target.client,
    user,
    scope,
    resources,
    claims,
    nonce,
    sessionId: session.sessionId,
    dpopJkt: undefined,
    ...issued,
  };
}
