import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { createRecentLookup } from '@gatehouse/service-kit/database';
import { type DirectoryUser, groupsScope } from '@gatehouse/shared';
import { letsIn } from '../clients/allowed-groups.ts';
import { type Client, isEnded, isThirdParty, maySeeUsername } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import type { Consents } from '../consent/consents.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { isSameResource } from '../protocol/resource-uri.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import type { AccessTokenClaims } from '../tokens/access-token-claims.ts';
import type { ActiveAccessToken, FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';
import { buildGroupClaims } from '../tokens/token-groups.ts';

/** RFC 7662 2.2. Times in seconds. */
export interface IntrospectionResponse {
  readonly active: boolean;
  readonly [member: string]: unknown;
}

/**
 * Says whether a token is active, and its claims. A revocation counts at once, a change of its user within a second. A
 * client learns only about its own refresh tokens, and about access tokens that are its own or of its own resources; a
 * third-party client about its own alone.
 */
export type IntrospectToken = (
  token: string,
  client: Client,
  context: RequestContext,
) => Promise<IntrospectionResponse>;

interface Dependencies {
  findActiveAccessToken: FindActiveAccessToken;
  refreshTokens: RefreshTokens;
  directory: OrganizationDirectory;
  consents: Pick<Consents, 'findAllowed'>;
  orgApi: Pick<OrgApi, 'is' | 'hasGroups'>;
  resources: Pick<ResourceStore, 'findByUri'>;
  issuer: string;
}

const inactive: IntrospectionResponse = { active: false };

export function createIntrospectToken(deps: Dependencies): IntrospectToken {
  const { findActiveAccessToken, refreshTokens, directory, consents, orgApi, resources, issuer } = deps;

  const introspectRefreshToken = async (token: string, client: Client, context: RequestContext) => {
    const stored = await refreshTokens.find(token);
    if (stored === undefined || stored.registrationId !== client.registrationId) return inactive;
    if (isEnded(client, stored)) return inactive;
    const isCurrent = isCurrentSince(stored.passwordChangedAt);
    const suffices = (one: DirectoryUser) => isCurrent(one) && letsIn(client, one);
    const user = await directory.findRecentUser(stored.userId, suffices, context);
    if (user === undefined) return inactive;
    const allowed = isThirdParty(client) ? await consents.findAllowed(client, stored.userId, stored) : stored;
    if (allowed === undefined) return inactive;
    return {
      active: true,
      scope: allowed.scope.join(' '),
      client_id: client.clientId,
      ...(maySeeUsername(client, allowed.scope) ? { username: user.username } : {}),
      sub: stored.userId,
      iss: issuer,
      exp: toSeconds(stored.expiresAt),
    };
  };

  const recent = createRecentLookup(resources.findByUri);
  /** The groups of the user as they are now, where the token shows them; undefined where it shows none. */
  const findGroups = ({ claims, user }: ActiveAccessToken): object | undefined | Promise<object | undefined> => {
    if (user === undefined) return undefined;
    if (!orgApi.is(claims.aud)) return findGroupsAtResource(claims, user);
    return orgApi.hasGroups() && claims.scope.split(' ').includes(groupsScope) ? { groups: user.groups } : undefined;
  };
  const findGroupsAtResource = async (claims: AccessTokenClaims, user: DirectoryUser) => {
    const tokenGroups = (await recent.find(claims.aud))?.tokenGroups;
    if (tokenGroups === undefined) return undefined;
    // Whether the user of a third-party client let it see groups is known by the token alone.
    const isShown = claims[tokenGroups.claim] !== undefined || claims.groups_omitted === true;
    if (claims.third_party === true && !isShown) return undefined;
    const before = { groups: undefined, roles: undefined, groups_omitted: undefined };
    return { ...before, ...buildGroupClaims(tokenGroups, user) };
  };

  // The claims of a remembered token are one object: many answers share what is made of it.
  const described = new WeakMap<AccessTokenClaims, IntrospectionResponse>();
  return async (token, client, context) => {
    const active = await findActiveAccessToken(token, context);
    if (active === undefined) return introspectRefreshToken(token, client, context);
    if (!mayLearnOf(active.claims, client, orgApi)) return inactive;
    const response = described.get(active.claims) ?? describeClaims(active.claims);
    described.set(active.claims, response);
    const groups = await findGroups(active);
    return groups === undefined ? response : { ...response, ...groups };
  };
}

/** RFC 7662 2.1, 4: a resource server learns about tokens that are meant for it. Without `resources` org-api is its own. */
function mayLearnOf(
  { client_id: holder, aud }: Pick<AccessTokenClaims, 'client_id' | 'aud'>,
  client: Client,
  orgApi: Pick<OrgApi, 'is'>,
): boolean {
  if (holder === client.clientId) return true;
  if (isThirdParty(client)) return false;
  return client.metadata.resources?.some((uri) => isSameResource(uri, aud)) ?? orgApi.is(aud);
}

/** Leaves out what is meant for this server alone. */
function describeClaims({
  grant_id: _1,
  password_changed_at: _2,
  userinfo_claims: _3,
  client_generation: _4,
  grant_client: _5,
  ...claims
}: AccessTokenClaims): IntrospectionResponse {
  return Object.freeze({ active: true, token_type: claims.cnf === undefined ? 'Bearer' : 'DPoP', ...claims });
}

/** The answer as a signed JWT (RFC 9701 5), for the resource server that asked. */
export type SignIntrospection = (response: IntrospectionResponse, client: Client) => string;

export function createSignIntrospection(deps: {
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
}): SignIntrospection {
  const { signingKeys, issuer, clock } = deps;
  return (response, client) =>
    signingKeys.sign(demandsOf(client).introspectionAlgorithm, 'token-introspection+jwt', {
      iss: issuer,
      aud: client.clientId,
      iat: toSeconds(clock()),
      token_introspection: response,
    });
}
