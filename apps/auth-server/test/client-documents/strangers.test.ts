import { assertionType, type ClientKey, createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type DocumentServer, startDocumentServer } from '../support/document-server.ts';
import { createAddress } from '../support/dynamic-clients.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('a client of a document that is not listed, with a key, on %s', (dialect) => {
  let realm: Realm;
  let server: DocumentServer;
  let key: ClientKey;
  let url: string;
  /** Of the test. */
  let headers: Record<string, string>;
  beforeAll(async () => {
    server = await startDocumentServer();
    realm = await startRealmOn(dialect, { CLIENT_ID_METADATA: 'open', OUTBOUND_CA_FILE: server.ca });
  });
  afterAll(async () => {
    await realm.close();
    await server.close();
  });
  beforeEach(() => {
    realm.advance(60_000 - (realm.clock() % 60_000));
    key = createClientKey();
    url = publish({ jwks: { keys: [key.jwk] } });
    headers = { 'x-forwarded-for': createAddress() };
  });

  const publish = (members: object, path?: string) =>
    server.publish({ token_endpoint_auth_method: 'private_key_jwt', ...members }, path === undefined ? {} : { path });
  const prove = (by = key) => {
    const iat = Math.floor(realm.clock() / 1000);
    const client_assertion = by.assertion(url, realm.authUrl, { iat, exp: iat + 60 });
    return { client_assertion_type: assertionType, client_assertion };
  };
  const refresh = (by = key) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'none', ...prove(by) };
    return realm.send('/oauth/token', { form, headers });
  };

  it('has its keys read once in a second while they cannot be read, however many assertions come', async () => {
    const keys = `${server.origin}/keys/down`;
    server.put('/keys/down', { status: 500, body: {} });
    url = publish({ jwks_uri: keys });
    const statuses = async () => new Set([(await refresh()).status, (await refresh()).status]);
    expect([await statuses(), server.countOf(keys)]).toEqual([new Set([503]), 1]);
    realm.advance(1_000);
    expect([await statuses(), server.countOf(keys)]).toEqual([new Set([503]), 2]);
  });
});
