import { randomBytes } from 'node:crypto';
import type { CallOptions } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { administrator, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';

const chosen = webClient.client_secret;

describe('the secrets of a client', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm.close());

  const manage = (path: string, options: CallOptions = {}) =>
    realm.send(`/clients/${path}`, { basic: administrator, ...options });
  const fresh = async (changes: object = {}) =>
    (await realm.register({ ...webClient, client_id: `s-${randomBytes(6).toString('hex')}`, ...changes })).client_id;
  const replace = async (client_id: string, grace_seconds: number) =>
    (await manage(`${client_id}/secret`, { json: { grace_seconds } })).json<{ client_secret: string }>().client_secret;
  const statusOf = async (client_id: string, client_secret: string) =>
    (await realm.tokenRequest({ client_id, client_secret }, passwordOf('user'))).status;
  const endPrevious = (client_id: string, options: CallOptions = {}) =>
    manage(`${client_id}/secret/previous`, { method: 'DELETE', ...options });

  describe('the previous one', () => {
    it('ends at once, and the present one works on', async () => {
      const client_id = await fresh();
      const made = await replace(client_id, 3_600);
      expect(await statusOf(client_id, chosen)).toBe(200);
      const before = (await manage(client_id)).headers.etag;
      const ended = await endPrevious(client_id);
      expect([ended.status, ended.text]).toEqual([204, '']);
      expect([await statusOf(client_id, chosen), await statusOf(client_id, made)]).toEqual([401, 200]);
      expect((await manage(client_id)).headers.etag).not.toBe(before);
      const { text } = await realm.send(`/audit-events?subject=${client_id}&type=client.secret_ended`, {
        basic: administrator,
      });
      expect(JSON.parse(text).events).toMatchObject([{ actor: { name: administrator[0] }, details: {} }]);
      expect((await endPrevious(client_id)).json()).toMatchObject({
        status: 404,
        detail: 'the client has no previous secret that works',
      });
    });

    it('is none where it has ended, or nobody replaced one', async () => {
      const client_id = await fresh();
      expect((await endPrevious(client_id)).status).toBe(404);
      await replace(client_id, 60);
      realm.advance(60_000);
      expect((await endPrevious(client_id)).status).toBe(404);
      expect((await endPrevious('nobody')).status).toBe(404);
    });

    it('is ended for the version that is named alone', async () => {
      const client_id = await fresh();
      const tag = String((await manage(client_id)).headers.etag);
      await replace(client_id, 3_600);
      expect((await endPrevious(client_id, { headers: { 'if-match': tag } })).status).toBe(412);
      expect(await statusOf(client_id, chosen)).toBe(200);
      const now = String((await manage(client_id)).headers.etag);
      expect((await endPrevious(client_id, { headers: { 'if-match': now } })).status).toBe(204);
    });
  });

  describe('a check of one', () => {
    const check = async (client_id: string, secret: string, options: CallOptions = {}) => {
      const answer = await manage(`${client_id}/secret-checks`, { json: { secret }, ...options });
      return answer.status === 200 ? answer.json().matches : answer.status;
    };

    it('says whether it works now: the present one, and the previous one as long as it does', async () => {
      const client_id = await fresh();
      expect([await check(client_id, chosen), await check(client_id, 'another')]).toEqual([true, false]);
      const made = await replace(client_id, 60);
      expect([await check(client_id, made), await check(client_id, chosen)]).toEqual([true, true]);
      realm.advance(60_000);
      expect([await check(client_id, made), await check(client_id, chosen)]).toEqual([true, false]);
    });

    it('is refused where there is nothing to check, or no right to', async () => {
      const client_id = await fresh();
      const pub = await fresh({ client_secret: undefined, authorized_grant_types: ['authorization_code'] });
      expect([await check(pub, 'x'), await check('nobody', 'x'), await check(client_id, '')]).toEqual([400, 404, 400]);
      expect(await check(client_id, chosen, { basic: ['user@example.com', 'user-password'] })).toBe(403);
      expect(await check(client_id, chosen, { basic: ['idp.admin@example.com', 'idp-password'] })).toBe(403);
    });

    it('counts wrong ones against the caller, and never against the client', async () => {
      const client_id = await fresh();
      const answers = [];
      for (let turn = 0; turn < 11; turn += 1) answers.push(await check(client_id, `wrong ${turn}`));
      expect(answers.slice(-1)).toEqual([429]);
      expect(await check(client_id, chosen)).toBe(429);
      expect(await statusOf(client_id, chosen)).toBe(200);
      const limited = await manage(`${client_id}/secret-checks`, { json: { secret: 'wrong' } });
      expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
      realm.advance(301_000);
      expect(await check(client_id, chosen)).toBe(true);
    });
  });
});

describe('a registration whose representation is preferred (RFC 7240)', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
  });
  afterAll(() => realm.close());

  const body = (changes: object = {}) => ({
    client_id: `r-${randomBytes(6).toString('hex')}`,
    scope: ['profile'],
    authorized_grant_types: ['password', 'refresh_token'],
    ...changes,
  });
  const register = (json: object, prefer?: string, headers: Record<string, string> = {}) =>
    realm.send('/clients', { basic: administrator, json, headers: { ...headers, ...(prefer && { prefer }) } });

  it('makes the secret that the client needs, shows it once, and shows the client', async () => {
    const json = body();
    const answer = await register(json, 'return=representation');
    expect([answer.status, answer.headers['preference-applied'], answer.headers['cache-control']]).toEqual([
      201,
      'return=representation',
      'no-store',
    ]);
    const { client, client_secret } = answer.json<{ client: object; client_secret: string }>();
    expect(client_secret).toMatch(/^[\w-]{43}$/);
    const read = await realm.send(`/clients/${json.client_id}`, { basic: administrator });
    expect(client).toEqual(read.json());
    expect(read.text).not.toContain(client_secret);
    expect((await realm.tokenRequest({ ...json, client_secret }, passwordOf('user'))).status).toBe(200);
  });

  it.each<[string, object]>([
    ['names its secret', { client_secret: 'a secret of its own' }],
    ['needs none', { authorized_grant_types: ['authorization_code'], redirect_uri: 'https://example.com/cb' }],
  ])('shows no secret of a client that %s', async (_what, changes) => {
    const answer = await register(body(changes), 'return=representation');
    expect([answer.status, Object.keys(answer.json())]).toEqual([201, ['client']]);
    expect(answer.text).not.toContain('a secret of its own');
  });

  it.each([
    'handling=lenient, return=representation',
    'RETURN = "representation"; x=1',
    'return=representation, return=minimal',
  ])('is preferred by %s', async (prefer) => {
    expect((await register(body(), prefer)).status).toBe(201);
  });

  it.each([
    undefined,
    'return=minimal',
    'return=minimal, return=representation',
    'representation',
    'noreturn=representation',
  ])('is the documented line with %s, and no secret is made', async (prefer) => {
    const headers = { accept: 'application/json' };
    const [whole, lacking] = [body({ client_secret: 'a secret of its own' }), body()];
    const created = await register(whole, prefer, headers);
    const line = `client ${whole.client_id} created successfully under realm main`;
    expect([created.status, created.text, created.headers['content-type']]).toEqual([
      200,
      line,
      'text/plain; charset=utf-8',
    ]);
    expect((await register(lacking, prefer, headers)).text).toContain('client_secret is required');
  });

  it('fails as ever, and in place of a bad secret none is made', async () => {
    const failures = [
      await register(body({ client_secret: 7 }), 'return=representation'),
      await register(body({ scope: 7 }), 'return=representation'),
      await realm.send('/clients', {
        basic: administrator,
        headers: { prefer: 'return=representation', 'content-type': 'application/json' },
        body: 'null',
      }),
    ];
    for (const { status, text } of failures) {
      expect([status, text]).toEqual([400, expect.stringMatching(/^creation of client \S+ failed: /)]);
    }
    expect(failures[1]?.text).not.toContain('client_secret');
  });
});
