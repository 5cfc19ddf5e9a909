import {
  type DirectoryUser,
  deviceCodeGrantType,
  levels,
  type OAuthError,
  type OAuthErrorCode,
  satisfies,
  secondStepDueText,
} from '@gatehouse/shared';
import { isThirdParty } from '../clients/client.ts';
import { isSameResource } from '../protocol/resource-uri.ts';
import { parseScope } from '../protocol/scope.ts';
import type { OrgApi } from '../resources/org-api.ts';
import { listResourcesOf } from '../resources/requested-resource.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import { isOpenTo } from '../resources/token-target.ts';
import { findBeginning, type PreviewRequest } from './preview-request.ts';

/** Says to administrators why a client would be refused, and where to change that. It decides nothing. */
export type ExplainRefusal = (
  error: OAuthError,
  request: PreviewRequest,
  user: DirectoryUser | undefined,
) => Promise<string>;

interface Dependencies {
  orgApi: OrgApi;
  resources: Pick<ResourceStore, 'findByUri'>;
}

interface Refused extends PreviewRequest {
  error: OAuthError;
  user: DirectoryUser | undefined;
}

type Explain = (refused: Refused, deps: Dependencies) => string | undefined | Promise<string | undefined>;

const explanations: Partial<Record<OAuthErrorCode, Explain>> = {
  invalid_client: () => 'the client is disabled; enable it by its member enabled',
  unauthorized_client: explainUnauthorized,
  invalid_scope: explainScope,
  invalid_target: explainTarget,
  invalid_grant: explainGrant,
  login_required: explainLevel,
  unmet_authentication_requirements: async (refused, deps) =>
    `${await explainLevel(refused, deps)}; the user has no method that reaches it, and can set none up (PASSKEYS, CREDENTIALS_KEY)`,
};

export function createExplainRefusal(deps: Dependencies): ExplainRefusal {
  return async (error, request, user) => {
    const explained = await explanations[error.code]?.({ error, ...request, user }, deps);
    return explained ?? error.reason ?? error.message;
  };
}

function explainUnauthorized(refused: Refused, deps: Dependencies): string | Promise<string> {
  const { client, grantType } = refused;
  const isOffline = grantType === 'refresh_token' && client.scope.includes('offline_access');
  if (!client.grantTypes.includes(grantType) && !isOffline) {
    return `the client is not registered for ${grantType}; add that to authorized_grant_types of the client`;
  }
  switch (findBeginning(refused)) {
    case deviceCodeGrantType:
      return 'the client registered itself without an initial access token, so nobody vouches for it; register another one for devices';
    case 'password':
      if (!isThirdParty(client)) return explainLevel(refused, deps);
      return 'the client asks its users for consent, which the grant type password cannot; use authorization_code, or set require_consent of the client to false';
    default:
      return 'the client has no refresh tokens; add refresh_token, and authorization_code, a device code or password, to authorized_grant_types of the client';
  }
}

function explainScope({ client, scope = '' }: Refused): string {
  const names = parseScope(scope);
  if (names.length === 0) return 'scope names nothing; leave it out for all that the client may request';
  const unknown = names.filter((name) => !client.scope.includes(name));
  if (unknown.length > 0) {
    return `the client is not registered for the scope ${unknown.join(' ')}; add that to scope of the client`;
  }
  return 'the client is registered for the scope, but the API of the token has not all of it; name the API that has it in resource, or add the scope to the API at /resources';
}

async function explainTarget(
  { client, resource }: Refused,
  { orgApi, resources }: Dependencies,
): Promise<string | undefined> {
  const allowed = listResourcesOf(client, orgApi.uri);
  if (resource === undefined) {
    return `the client may ask for ${allowed.join(' ')} alone, which cannot be used; see /resources, and resources of the client`;
  }
  if (!allowed.some((uri) => isSameResource(uri, resource))) {
    return `the client may not ask for ${resource}; add that to resources of the client`;
  }
  const found = await resources.findByUri(resource);
  if (found === undefined) return `no API is registered as ${resource}; register it at /resources`;
  if (isOpenTo(client, found)) return undefined;
  return `the API ${resource} is closed to clients that register themselves; open it by dynamic_clients at /resources/${found.id}`;
}

function explainGrant(refused: Refused, deps: Dependencies): string | undefined | Promise<string | undefined> {
  const { error, client, user } = refused;
  if (user?.enabled === false) return `the user ${user.username} is disabled; enable the user at the organization API`;
  if (error.message === secondStepDueText) {
    return 'the user has a second step, or REQUIRE_MFA demands one, and the grant type password cannot ask for it; use authorization_code or a device code';
  }
  if (user === undefined && client.serviceAccount !== undefined) {
    return `the Robot ${client.serviceAccount.username} is deleted or disabled; enable it at the organization API, or name another one in srvc_ac_user_name of the client`;
  }
  return findBeginning(refused) === 'password' ? findUnmet(refused, deps) : undefined;
}

async function explainLevel(refused: Refused, deps: Dependencies): Promise<string> {
  return (
    (await findUnmet(refused, deps)) ??
    'REQUIRE_MFA demands a second step of the user, which this sign-in has not; name a higher acr'
  );
}

/** The demand that the sign-in does not meet, where it is one of the client or of the API. */
async function findUnmet(
  { client, resource, acr = levels[0] }: Refused,
  { orgApi, resources }: Dependencies,
): Promise<string | undefined> {
  const { required_acr: ofClient } = client.metadata;
  if (ofClient !== undefined && !satisfies(acr, ofClient)) {
    return `the client demands a sign-in of the level ${ofClient}; name that in acr, or change required_acr of the client`;
  }
  const [byDefault = orgApi.uri] = listResourcesOf(client, orgApi.uri);
  const api = await resources.findByUri(resource ?? byDefault);
  if (api?.requiredAcr === undefined || satisfies(acr, api.requiredAcr)) return undefined;
  return `the API ${api.resource} demands a sign-in of the level ${api.requiredAcr}; name that in acr, or change required_acr at /resources/${api.id}`;
}
