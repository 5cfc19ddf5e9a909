import { randomBytes } from 'node:crypto';
import type { CallOptions } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';

type Send = (options?: CallOptions) => ReturnType<Realm['send']>;

describe('a change that names its version (RFC 9110 13.1.1)', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm.close());

  const unique = () => randomBytes(6).toString('hex');
  const sendTo = (path: string): Send => {
    return (options = {}) => realm.send(path, { basic: administrator, ...options });
  };
  const makers: [what: string, make: () => Promise<Send>, change: object, again: object][] = [
    [
      'a client',
      async () => sendTo(`/clients/${(await realm.register({ ...webClient, client_id: `v-${unique()}` })).client_id}`),
      { access_token_validity: 61 },
      { access_token_validity: 62 },
    ],
    [
      'a resource',
      async () => {
        const json = { resource: `https://${unique()}.example.com/`, name: 'Orders', scopes: [] };
        return sendTo(
          `/resources/${(await realm.send('/resources', { basic: administrator, json })).json<{ id: string }>().id}`,
        );
      },
      { name: 'Deliveries' },
      { name: 'Invoices' },
    ],
    [
      'an issuer',
      async () => {
        const json = { issuer: `https://${unique()}.example.com`, name: 'Workloads' };
        return sendTo(
          `/issuers/${(await realm.send('/issuers', { basic: administrator, json })).json<{ id: string }>().id}`,
        );
      },
      { name: 'Pods' },
      { name: 'Jobs' },
    ],
    [
      'an upstream',
      async () => {
        const json = {
          ...{ alias: unique(), display_name: 'Company', kind: 'oidc', issuer: 'https://login.example.com' },
          ...{ client_id: 'gatehouse', client_secret: 'a secret' },
        };
        await realm.send('/upstreams', { basic: administrator, json });
        return sendTo(`/upstreams/${json.alias}`);
      },
      { display_name: 'Partner' },
      { enabled: false },
    ],
  ];
  const patch = (json: object, ifMatch?: string): CallOptions => ({
    method: 'PATCH',
    json,
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  });
  const remove = (ifMatch: string): CallOptions => ({ method: 'DELETE', headers: { 'if-match': ifMatch } });
  const tagOf = async (send: Send) => String((await send()).headers.etag);

  describe.each(makers)('of %s', (_what, make, change, again) => {
    it('is made where nobody changed the object since, and gives the next version', async () => {
      const send = await make();
      const tag = await tagOf(send);
      expect(tag).toMatch(/^"[!#-~]+"$/);
      const changed = await send(patch(change, tag));
      expect([changed.status, changed.json()]).toEqual([200, expect.objectContaining(change)]);
      expect(changed.headers.etag).not.toBe(tag);
      expect(await tagOf(send)).toBe(changed.headers.etag);
      expect((await send(patch(again, '*'))).status).toBe(200);
      expect((await send(patch(change))).status).toBe(200);
    });

    it('is refused with the object as it is, and does nothing, where somebody did', async () => {
      const send = await make();
      const tag = await tagOf(send);
      await send(patch(change));
      const now = await send();
      for (const options of [patch(again, tag), remove(tag), patch(again, '"never"')]) {
        const refused = await send(options);
        expect([refused.status, refused.headers['content-type']]).toEqual([412, 'application/problem+json']);
        expect(refused.json()).toMatchObject({ title: 'Precondition Failed', detail: 'changed meanwhile' });
        expect(refused.json().current).toEqual(now.json());
      }
      expect((await send()).headers.etag).toBe(now.headers.etag);
      expect((await send(remove(String(now.headers.etag)))).status).toBe(204);
      expect((await send(remove('*'))).status).toBe(404);
    });

    it('is refused where it names none that can be read', async () => {
      const send = await make();
      for (const ifMatch of ['never', 'W/"weak"', '"one", "two"', '""x', '']) {
        const refused = await send(patch(change, ifMatch));
        expect([refused.status, refused.json().detail]).toEqual([400, expect.stringContaining('If-Match must be one')]);
      }
      expect((await send()).json()).not.toMatchObject(change);
    });

    it('is asked for its roles and its fields first', async () => {
      const send = await make();
      const headers = { 'if-match': 'unreadable' };
      expect((await send({ ...patch({}), headers, basic: ['user@example.com', 'user-password'] })).status).toBe(403);
      expect((await send({ ...patch({ unheard_of: 1 }), headers })).json().detail).toContain('unheard_of');
    });
  });

  it('of a secret is refused alike, and the old one works on', async () => {
    const { client_id } = await realm.register({ ...webClient, client_id: `v-${unique()}` });
    const send = sendTo(`/clients/${client_id}`);
    const replace = (ifMatch: string) =>
      sendTo(`/clients/${client_id}/secret`)({ json: {}, headers: { 'if-match': ifMatch } });
    const tag = await tagOf(send);
    await send(patch({ access_token_validity: 61 }));
    expect((await replace(tag)).status).toBe(412);
    const old = { client_id, client_secret: webClient.client_secret };
    expect((await realm.tokenRequest(old, passwordOf('user'))).status).toBe(200);
    expect((await replace(await tagOf(send))).status).toBe(200);
    expect((await realm.tokenRequest(old, passwordOf('user'))).status).toBe(401);
  });

  it('of a deletion that comes too late ends no token', async () => {
    const { client_id } = await realm.register({ ...webClient, client_id: `v-${unique()}` });
    const send = sendTo(`/clients/${client_id}`);
    const tag = await tagOf(send);
    const client = { client_id, client_secret: webClient.client_secret };
    const { access_token: token } = (await realm.tokenRequest(client, passwordOf('user'))).json<{
      access_token: string;
    }>();
    await send(patch({ client_name: 'Another name' }));
    expect((await send(remove(tag))).status).toBe(412);
    const isActive = async () =>
      (await realm.send('/oauth/introspect', { basic: [client_id, webClient.client_secret], form: { token } })).json()
        .active;
    expect(await isActive()).toBe(true);
  });
});
