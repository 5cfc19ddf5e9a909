import type { Clock } from '@gatehouse/service-kit';
import {
  apiReferenceClientId,
  apiReferenceRedirectPath,
  apiReferenceScopes,
  type ClientRegistration,
  roles,
} from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { buildClient } from './build-client.ts';

interface Dependencies {
  config: { authUrl: string; baseUrl: string; demoData: boolean };
  clients: Pick<ClientStore, 'find' | 'insert' | 'update'>;
  clock: Clock;
}

/**
 * Where there is demo data, registers the client of the API references (`/docs`): a public one, which has no secret that a
 * page could show. A start at other addresses brings its redirect URIs up to date. Several replicas may do so at once.
 */
export async function registerDemoClient({ config, clients, clock }: Dependencies): Promise<void> {
  if (!config.demoData) return;
  const wanted = buildClient(describeApiReference(config), roles, clock());
  const known = await clients.find(wanted.clientId);
  if (known === undefined) {
    await clients.insert(wanted);
    return;
  }
  if (hasAddressesOf(known, wanted)) return;
  const { redirectUri, metadata, updatedAt } = wanted;
  await clients.update({ ...known, redirectUri, metadata, updatedAt }, known.updatedAt);
}

function describeApiReference({ authUrl, baseUrl }: Dependencies['config']): ClientRegistration {
  return {
    client_id: apiReferenceClientId,
    client_name: 'API reference',
    scope: Object.keys(apiReferenceScopes),
    authorized_grant_types: ['authorization_code'],
    redirect_uri: authUrl + apiReferenceRedirectPath,
    redirect_uris: [baseUrl + apiReferenceRedirectPath],
    token_endpoint_auth_method: 'none',
  };
}

function hasAddressesOf(known: Client, wanted: Client): boolean {
  const addresses = ({ redirectUri, metadata }: Client) => JSON.stringify([redirectUri, metadata.redirect_uris]);
  return addresses(known) === addresses(wanted);
}
