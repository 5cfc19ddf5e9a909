import type { Gatehouse } from '@gatehouse/test-kit';
import { type ClientFields, type Credentials, passwordKind, postClient } from '../../support/clients.ts';

/** The grant types of a client that asks its users: it takes no password. */
const askingGrantTypes = { authorized_grant_types: ['authorization_code', 'refresh_token'] };

/** Registers a client with metadata beyond the documented fields; `undefined` takes a documented field away. */
export async function registerWith(
  gatehouse: Gatehouse,
  metadata: Record<string, unknown>,
  fields: ClientFields = passwordKind(),
): Promise<Credentials> {
  const asking = metadata.require_consent === true ? askingGrantTypes : {};
  const { status, text } = await postClient(gatehouse, { ...fields, ...asking, ...metadata });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return [fields.client_id, String(metadata.client_secret ?? fields.client_secret ?? '')];
}

/** A client without a secret. */
export async function registerPublic(gatehouse: Gatehouse, metadata: Record<string, unknown> = {}): Promise<string> {
  const authorized_grant_types = ['authorization_code', 'refresh_token'];
  const [clientId] = await registerWith(gatehouse, { client_secret: undefined, authorized_grant_types, ...metadata });
  return clientId;
}
