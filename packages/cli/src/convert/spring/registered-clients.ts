import type { BundleLine } from '../../bundle/bundle-line.ts';
import { buildClient } from '../client/build-client.ts';
import { note } from '../notes.ts';
import { findInstant, type Row, splitList } from '../read-table.ts';
import { findText, parseObject, type SourceObject } from '../source-value.ts';
import { readStoredHash } from '../stored-hash.ts';
import type { SpringClientParts } from './clients.ts';
import { findLast, findSeconds, listSettingNotes } from './settings.ts';

/** The clients of a table `oauth2_registered_client` of Spring Authorization Server. */
export function* convertRegisteredClient(row: Row, parts: SpringClientParts, now: Date): Generator<BundleLine> {
  const clientId = row('client_id') ?? '';
  const about = `client ${clientId}`;
  const methods = splitList(row('client_authentication_methods'));
  const expiry = findInstant(row('client_secret_expires_at'));
  const isExpired = expiry !== undefined && new Date(expiry) <= now;
  const { hash, problem } = readStoredHash(isExpired ? undefined : row('client_secret'), parts);
  const settings = parseObject(row('client_settings'));
  const token = parseObject(row('token_settings'));
  const client = {
    ...{
      clientId,
      // Spring takes the id of the row for the name of a client that has none.
      name: row('client_name') === row('id') ? undefined : row('client_name'),
      secretHash: hash,
      isConfidential: methods.some((name) => name !== 'none'),
    },
    grantTypes: splitList(row('authorization_grant_types')),
    redirectUris: splitList(row('redirect_uris')),
    postLogoutRedirectUris: splitList(row('post_logout_redirect_uris')),
    scopes: splitList(row('scopes')),
    accessTokenValidity: findSeconds(token['settings.token.access-token-time-to-live']),
    asksConsent: settings['settings.client.require-authorization-consent'] === true,
    members: { ...readMethod(methods, settings, hash !== undefined), ...readSettings(settings, token) },
  };
  if (!(yield* buildClient(client, parts.expansions))) return;
  if (problem !== undefined) yield note(about, 'hash_not_known', problem);
  if (expiry !== undefined) yield note(about, 'secret_expires', expiry);
  const known = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'];
  for (const method of methods.filter((each) => !known.includes(each)))
    yield note(about, 'client_authentication', method);
  yield* listSettingNotes(about, settings, token, client.grantTypes);
}

/** A secret and keys at once have no place here: the secret stays. */
function readMethod(methods: readonly string[], settings: SourceObject, hasSecret: boolean) {
  const address = findText(settings['settings.client.jwk-set-url']);
  if (!hasSecret && methods.includes('private_key_jwt') && address !== undefined && address.length <= 512) {
    return { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: address };
  }
  const [method, ...others] = methods.filter((name) => /^client_secret_(?:basic|post)$/.test(name));
  return method !== undefined && others.length === 0 && methods.length === 1
    ? { token_endpoint_auth_method: method }
    : {};
}

function readSettings(settings: SourceObject, token: SourceObject) {
  const algorithm = findLast(token['settings.token.id-token-signature-algorithm']);
  return {
    ...(settings['settings.client.require-proof-key'] === true && { require_pkce: true }),
    ...(algorithm === 'ES256' && { id_token_signed_response_alg: 'ES256' }),
  };
}
