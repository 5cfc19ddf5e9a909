import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import { administrator, robotUsername } from './people.ts';
import { uniqueName } from './unique.ts';

/** The body of `POST /clients`. */
export interface ClientFields {
  client_id: string;
  client_secret?: string;
  scope: string[];
  authorized_grant_types: string[];
  redirect_uri?: string;
  access_token_validity?: number;
  srvc_ac_user_name?: string;
  resources?: string[];
  default_resource?: string;
}

/** A client that has a secret, as user and password of Basic. */
export type Credentials = [clientId: string, secret: string];

export const redirectUri = 'https://app.example.com/callback';

/** Endpoint 1 of the interface: a client of the password and authorization-code kind. */
export function passwordKind(changes: Partial<ClientFields> = {}): ClientFields {
  return {
    client_id: uniqueName('app'),
    client_secret: 'app-secret',
    scope: ['openid', 'profile', 'email', 'roles'],
    authorized_grant_types: ['password', 'authorization_code', 'refresh_token'],
    redirect_uri: redirectUri,
    access_token_validity: 1800,
    ...changes,
  };
}

/** Endpoint 2 of the interface: a client of the service-account kind. */
export function serviceAccountKind(changes: Partial<ClientFields> = {}): ClientFields {
  return {
    client_id: uniqueName('machine'),
    client_secret: 'machine-secret',
    scope: ['profile', 'roles'],
    authorized_grant_types: ['service_account'],
    access_token_validity: 600,
    srvc_ac_user_name: robotUsername,
    ...changes,
  };
}

/** `POST /clients` as it stands, by the administrator unless told otherwise. */
export function postClient({ authUrl }: Gatehouse, json: unknown, options: CallOptions = {}): Promise<Answer> {
  const caller: CallOptions = options.bearer === undefined ? { basic: administrator } : {};
  return call(`${authUrl}/clients`, { ...caller, json, ...options });
}

/** Registers a client that the test needs; gives its credentials. */
export async function registerClient(gatehouse: Gatehouse, fields: ClientFields): Promise<Credentials> {
  const { status, text } = await postClient(gatehouse, fields);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return [fields.client_id, fields.client_secret ?? ''];
}
