import { OAuthError } from '@gatehouse/shared';
import { letsIn, notLetInText } from '../clients/allowed-groups.ts';
import { type Client, isThirdParty } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { findExchangeFault } from '../clients/may-exchange.ts';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import type { DeviceCodeStore } from '../codes/device-code-store.ts';
import type { Consents } from '../consent/consents.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import { parseScope } from '../protocol/scope.ts';
import type { GrantBehind } from '../resources/token-targets.ts';
import { countActors, mostActors } from '../tokens/actor.ts';
import type { ActiveAccessToken, FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';
import type { TokenRequest } from './grant-handler.ts';

/** The token that a client exchanges, in force, with what stands behind it. */
export interface SubjectToken extends ActiveAccessToken {
  /** The client that the grant is of: that of the first token of the chain. */
  holder: Client;
  behind: GrantBehind;
}

/** Gives the subject token of an exchange. Throws `invalid_request` for any that the client may not exchange (RFC 8693 2.2.2). */
export type GetSubjectToken = (request: TokenRequest) => Promise<SubjectToken>;

interface Dependencies {
  findActiveAccessToken: FindActiveAccessToken;
  clients: Pick<ClientStore, 'find'>;
  refreshTokens: Pick<RefreshTokens, 'findByGrant'>;
  codes: Pick<AuthorizationCodeStore, 'findByGrant'>;
  deviceCodeStore: Pick<DeviceCodeStore, 'findByGrant'>;
  consents: Pick<Consents, 'findAllowed'>;
}

export function createGetSubjectToken(deps: Dependencies): GetSubjectToken {
  return async (request) => {
    const active = await getActive(deps, request);
    const { grant_client: holderId } = active.claims;
    const holder = holderId === undefined ? active.client : await deps.clients.find(holderId);
    if (holder === undefined) throw notInForce('the client of the grant is gone');
    return { holder, behind: await findBehind(deps, active, holder), ...active };
  };
}

async function getActive(
  { findActiveAccessToken }: Dependencies,
  { client, parameters, context, dpopJkt }: TokenRequest,
): Promise<ActiveAccessToken> {
  const active = await findActiveAccessToken(getParameter(parameters, 'subject_token'), context);
  if (active === undefined) throw notInForce('malformed, expired or revoked, or its client or user is gone or changed');
  const { claims } = active;
  if (active.user !== undefined && !letsIn(client, active.user)) throw new OAuthError('invalid_request', notLetInText);
  const fault = findExchangeFault(client, claims);
  if (fault !== undefined) throw new OAuthError('invalid_request', fault);
  if (countActors(claims.act) >= mostActors) {
    throw new OAuthError('invalid_request', `the subject token was exchanged ${mostActors} times, which is the most`);
  }
  // RFC 9449 1: who steals a bound token must not get an unbound one for it.
  if (claims.cnf === undefined || dpopJkt !== undefined) return active;
  throw new OAuthError(
    'invalid_dpop_proof',
    'the subject token is bound to a key; send a DPoP proof of a key of yours',
  );
}

/** The granted access, as far as the user of a third-party client allows it now. */
async function findBehind(
  deps: Dependencies,
  { claims, user }: ActiveAccessToken,
  holder: Client,
): Promise<GrantBehind> {
  const { grant_id: grantId, auth_time: authTime, scope } = claims;
  // Nobody signed in: a client acts for itself, or as its Robot.
  if (user === undefined || authTime === undefined) return { by: 'client' };
  const row = await findRow(deps, grantId);
  if (row === undefined) return { by: 'token', scope: isThirdParty(holder) ? [] : parseScope(scope) };
  if (row.registrationId !== holder.registrationId) throw notInForce('the grant is of another registration');
  if (!isThirdParty(holder)) return { by: 'row', scope: row.scope, resources: row.resources };
  const allowed = await deps.consents.findAllowed(holder, user.id, row);
  return { by: 'row', scope: allowed?.scope ?? [], resources: allowed?.resources };
}

/** The access granted when the grant began. A device asks for no claims one by one. */
async function findRow({ refreshTokens, codes, deviceCodeStore }: Dependencies, grantId: string) {
  const row = (await refreshTokens.findByGrant(grantId)) ?? (await codes.findByGrant(grantId));
  if (row !== undefined) return row;
  const code = await deviceCodeStore.findByGrant(grantId);
  return code && { claims: { idToken: [], userinfo: [] }, ...code };
}

/** One text for every way in which a subject token can have ended; `reason` is for the log. */
export function notInForce(reason: string): OAuthError {
  const description = 'the subject token is no access token of this server that is in force; get another one';
  return new OAuthError('invalid_request', description, { reason });
}
