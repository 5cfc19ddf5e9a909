import type { BundleLine } from '../../bundle/bundle-line.ts';
import { buildClient, readLinks } from '../client/build-client.ts';
import type { Expansions } from '../client/expansions.ts';
import { listOtherOrigins } from '../client/redirect-uris.ts';
import { findSecretHash } from '../client/secrets.ts';
import { note } from '../notes.ts';
import { findText, objectOf, type SourceObject, textsOf } from '../source-value.ts';

export function* convertAuth0Client(client: SourceObject, expansions: Expansions): Generator<BundleLine> {
  // The client of the tenant itself, of which no application is one.
  if (client.global === true) return;
  const clientId = String(client.client_id);
  const about = `client ${clientId}`;
  const grantTypes = textsOf(client.grant_types);
  const method = findText(client.token_endpoint_auth_method);
  const isPublic = method === undefined ? ['spa', 'native'].includes(String(client.app_type)) : method === 'none';
  const isConfidential = !isPublic;
  const [backchannel, ...more] = textsOf(objectOf(client.oidc_logout).backchannel_logout_urls);
  const isBuilt = yield* buildClient(
    {
      ...{ clientId, name: findText(client.name), isConfidential, grantTypes },
      secretHash: isConfidential ? findSecretHash(findText(client.client_secret)) : undefined,
      redirectUris: textsOf(client.callbacks),
      postLogoutRedirectUris: textsOf(client.allowed_logout_urls),
      scopes: ['openid', 'profile', 'email', ...(grantTypes.includes('refresh_token') ? ['offline_access'] : [])],
      asksConsent: client.is_first_party === false,
      members: {
        ...(isConfidential &&
          /^client_secret_(?:basic|post)$/.test(method ?? '') && { token_endpoint_auth_method: method }),
        ...(client.require_pushed_authorization_requests === true && { require_pushed_authorization_requests: true }),
        ...readLinks({
          ...{ logo_uri: findText(client.logo_uri), initiate_login_uri: findText(client.initiate_login_uri) },
          backchannel_logout_uri: backchannel,
        }),
      },
    },
    expansions,
  );
  if (!isBuilt) return;
  for (const address of more) yield note(about, 'backchannel_logout_uri', address);
  const origins = [...textsOf(client.web_origins), ...textsOf(client.allowed_origins)];
  yield* listOtherOrigins(clientId, origins, textsOf(client.callbacks));
  for (const addon of Object.keys(objectOf(client.addons))) yield note(about, 'addon', addon);
  for (const name of Object.keys(objectOf(client.client_metadata))) yield note(about, 'attribute', name);
  if (client.client_authentication_methods) yield note(about, 'needs_key');
  if (grantTypes.includes('client_credentials') && isConfidential) yield note(about, 'needs_resource');
}
