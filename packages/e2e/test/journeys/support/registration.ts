import type { Gatehouse } from '@gatehouse/test-kit';
import { type Credentials, passwordKind, postClient } from '../../support/clients.ts';

/** A registration: the documented fields and the metadata of RFC 7591; undefined leaves a field out. */
export type Registration = Record<string, unknown>;

/** The grant types of a client that asks its users: it takes no password. */
const askingGrantTypes = { authorized_grant_types: ['authorization_code', 'refresh_token'] };

/** Registers a client, of the password and authorization-code kind unless told otherwise, with changes. */
export async function registerWith(
  gatehouse: Gatehouse,
  changes: Registration,
  fields: object = passwordKind(),
): Promise<Credentials> {
  const asking = changes.require_consent === true ? askingGrantTypes : {};
  const all: Registration = { ...fields, ...asking, ...changes };
  const { status, text } = await postClient(gatehouse, all);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return [String(all.client_id), String(all.client_secret ?? '')];
}

/** A client without a secret. */
export async function registerPublic(gatehouse: Gatehouse, changes: Registration = {}): Promise<string> {
  const [clientId] = await registerWith(gatehouse, { client_secret: undefined, ...askingGrantTypes, ...changes });
  return clientId;
}
