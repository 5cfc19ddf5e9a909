import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { limitRoles, OAuthError, type Role, roles, tokenExchangeGrantType } from '@gatehouse/shared';
import { Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { type Authentication, readAuthentication } from '../levels/authentication.ts';
import { getParameter, type RequestParameters } from '../protocol/request-parameters.ts';
import { parseStatusClaim, type TokenStatus } from '../protocol/token-status.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { ChosenAccess, LimitToGrant, TokenTargets } from '../resources/token-targets.ts';
import type { GrantStatusStore } from '../status-lists/grant-status-store.ts';
import type { ExchangedSubject } from '../tokens/exchanged-subject.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { checkAuthentication } from './check-authentication.ts';
import type { GrantHandler, Settled } from './grant-handler.ts';
import { accessTokenTypeUri } from './issue-tokens.ts';
import { type GetSubjectToken, notInForce, type SubjectToken } from './subject-token.ts';

interface Dependencies {
  getSubjectToken: GetSubjectToken;
  tokenTargets: Pick<TokenTargets, 'chooseForClient'>;
  limitToGrant: LimitToGrant;
  orgApi: OrgApi;
  clients: Pick<ClientStore, 'find'>;
  grantStatuses: Pick<GrantStatusStore, 'listOf' | 'insert'>;
  revocations: Pick<Revocations, 'isRevoked'>;
  clock: Clock;
}

/**
 * Token exchange (RFC 8693): an API that was called with an access token gets one for the next API, for the same user or
 * client. The new token can do no more than the grant of the first one, and ends with it.
 */
export function createTokenExchangeGrant(deps: Dependencies): GrantHandler {
  const { getSubjectToken, tokenTargets, limitToGrant, orgApi } = deps;
  return {
    parameters: {
      subject_token: Type.String({ description: 'RFC 8693: the access token to exchange' }),
      subject_token_type: Type.String({ examples: [accessTokenTypeUri] }),
      requested_token_type: Type.String({ examples: [accessTokenTypeUri] }),
      scope: Type.String(),
    },
    mayUse: (client) => client.grantTypes.includes(tokenExchangeGrantType),
    async decide(request) {
      checkForm(request.parameters);
      const token = await getSubjectToken(request);
      const { client, parameters, resource } = request;
      const chosen = await tokenTargets.chooseForClient(client, { resource, scope: parameters.get('scope') });
      const scope = limitToGrant(chosen, token.holder, token.behind);
      if (scope.length === 0) throw nothingLeft(chosen);
      const target = { ...chosen.target, scope };
      const authentication = findAuthentication(token);
      if (authentication !== undefined) {
        checkAuthentication(client, target, authentication, deps.clock(), 'invalid_request');
      }
      const mayUseRoles = scope.includes('roles') || !orgApi.is(target.audience);
      return {
        grant: {
          grantId: token.claims.grant_id,
          user: token.user,
          scope,
          resources: chosen.resources,
          target,
          authentication,
          claims: { idToken: [], userinfo: [] },
          nonce: undefined,
          sessionId: undefined,
          // A client of the organization uses the roles of its user without scope roles. One that exchanges a token does not.
          ceiling: mayUseRoles ? findCeiling(token, client) : [],
          subject: buildSubject(token, client),
        },
        settle: (status) => settle(deps, token, status),
      };
    },
  };
}

/** Undefined where no user signed in. */
function findAuthentication({ claims }: SubjectToken): Authentication | undefined {
  const { auth_time: authTime, acr, amr } = claims;
  return authTime === undefined ? undefined : readAuthentication(authTime, acr, amr);
}

/** RFC 8693 2.1. An unsupported parameter is refused, because the token would mean another thing than the request. */
function checkForm(parameters: RequestParameters): void {
  for (const name of ['actor_token', 'actor_token_type']) {
    if (!parameters.has(name)) continue;
    throw new OAuthError(
      'invalid_request',
      `${name} is not supported: the client that exchanges the token is the actor`,
    );
  }
  if (parameters.has('audience')) {
    throw new OAuthError('invalid_request', 'audience is not supported; name the API by its URI in resource');
  }
  checkTokenType('subject_token_type', getParameter(parameters, 'subject_token_type'));
  checkTokenType('requested_token_type', parameters.get('requested_token_type') ?? accessTokenTypeUri);
}

function checkTokenType(name: string, type: string): void {
  if (type === accessTokenTypeUri) return;
  throw new OAuthError('invalid_request', `${name} must be ${accessTokenTypeUri}`);
}

function nothingLeft({ target }: ChosenAccess): OAuthError {
  const description = `the grant behind the subject token has nothing of the requested scope at ${target.audience}`;
  return new OAuthError('invalid_scope', description);
}

/** The roles that can be used with the subject token, as far as they can be used through the client that exchanges it. */
function findCeiling({ claims, client: issuedTo }: SubjectToken, client: Client): Role[] {
  return limitRoles(limitRoles(claims.ceiling ?? roles, issuedTo.ceiling), client.ceiling);
}

function buildSubject({ claims, user, holder }: SubjectToken, client: Client): ExchangedSubject {
  const {
    sub,
    username,
    act,
    exp,
    third_party: isThirdParty = false,
    administration_max_age: administrationMaxAge,
  } = claims;
  return {
    sub,
    username: username === undefined ? undefined : user?.username,
    isThirdParty,
    administrationMaxAge,
    grantClientId: holder.clientId,
    actor: { sub: client.clientId, ...(act === undefined ? {} : { act }) },
    expiresAt: exp,
  };
}

/** Stores with what the new token ends, and only then looks whether that has ended: none who ends it misses the token. */
async function settle(deps: Dependencies, token: SubjectToken, status: TokenStatus): Promise<Settled> {
  await storeStatus(deps, token, status);
  const { revocations, clients, clock } = deps;
  const { claims, client } = token;
  const [isRevoked, current] = await Promise.all([revocations.isRevoked(claims), clients.find(claims.client_id)]);
  if (isRevoked) throw notInForce('it was revoked meanwhile');
  if (current?.registrationId !== client.registrationId || current.tokenGeneration !== client.tokenGeneration) {
    throw notInForce('its client was deleted or changed meanwhile');
  }
  if (claims.exp <= toSeconds(clock())) throw notInForce('it expired meanwhile');
  return { status, refreshToken: undefined };
}

/** A token of a token that was exchanged itself ends with each one of the chain. */
async function storeStatus({ grantStatuses }: Dependencies, token: SubjectToken, status: TokenStatus): Promise<void> {
  const { claims, client } = token;
  const subject = parseStatusClaim(claims.status);
  const before = claims.act === undefined ? [] : await grantStatuses.listOf(subject);
  const { registrationId, tokenGeneration: generation } = client;
  const direct = { status, grantId: claims.grant_id, subject, registrationId, generation };
  await grantStatuses.insert([direct, ...before.map((one) => ({ ...one, status }))]);
}
