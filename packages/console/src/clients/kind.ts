import type { Client } from '../api/auth-server.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

export const kinds = ['web', 'page', 'machine', 'robot', 'device', 'dynamic', 'document', 'other'] as const;
export type Kind = (typeof kinds)[number];

type Use = Pick<Client, 'authorized_grant_types' | 'public' | 'srvc_ac_user_name'>;

/** The kind of an application. */
export function kindOf(client: Use & Pick<Client, 'dynamic' | 'metadata_document'>): Kind {
  if (client.metadata_document !== undefined) return 'document';
  return client.dynamic ? 'dynamic' : kindOfUse(client);
}

/** The kind by how it gets tokens, however it was registered. */
export function kindOfUse({ authorized_grant_types: grants, srvc_ac_user_name, public: isPublic }: Use): Kind {
  if (srvc_ac_user_name !== undefined) return 'robot';
  if (grants.includes('authorization_code')) return isPublic ? 'page' : 'web';
  if (grants.includes(deviceGrant)) return 'device';
  return grants.includes('client_credentials') ? 'machine' : 'other';
}

/** Where its answers go: hosts, or the Robot it acts as. */
export function destinationOf({ redirect_uri, redirect_uris = [], srvc_ac_user_name }: Client): string {
  if (srvc_ac_user_name !== undefined) return srvc_ac_user_name;
  const uris = [...(redirect_uri === undefined ? [] : [redirect_uri]), ...redirect_uris];
  return [...new Set(uris.map(hostOf))].join(', ');
}

function hostOf(uri: string): string {
  // Of a private-use scheme there is no host.
  return URL.parse(uri)?.host || uri.slice(0, uri.indexOf(':') + 1);
}

/** The settings that a new client of a kind starts with: nothing that is unsafe. */
export const beginnings = {
  web: {
    authorized_grant_types: ['authorization_code', 'refresh_token'],
    // Without it a client of these grants has no secret.
    ...{ token_endpoint_auth_method: 'client_secret_basic', require_pkce: true },
  },
  page: {
    authorized_grant_types: ['authorization_code', 'refresh_token'],
    ...{ token_endpoint_auth_method: 'none', require_pkce: true },
  },
  machine: { authorized_grant_types: ['client_credentials'] },
  robot: { authorized_grant_types: ['service_account'] },
  device: { authorized_grant_types: [deviceGrant, 'refresh_token'], token_endpoint_auth_method: 'none' },
} as const;
export type NewKind = keyof typeof beginnings;

/** A client_id of a name: letters, digits and hyphens. */
export function proposeClientId(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 60);
}
