import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  createClientKey,
  createTestBrowser,
  intervalsAlone,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { authorizePath, createPkce } from '../support/browser.ts';
import { callback, encodeBasic, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const spa = {
  client_id: 'spa',
  scope: ['openid', 'profile'],
  authorized_grant_types: ['authorization_code', 'refresh_token'],
  redirect_uri: callback,
};

describe.each(testDialects)('what a public client may have stored without credentials, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    jest.useFakeTimers(intervalsAlone);
    realm = await startRealmOn(dialect);
    for (const client of [spa, { ...spa, client_id: 'other' }, webClient]) await realm.register(client);
  });
  let minute: number;
  /** Each test has a minute of the clock to itself. */
  beforeEach(() => {
    realm.advance(60_000 - (realm.clock() % 60_000));
    minute = realm.clock() - (realm.clock() % 60_000);
  });
  afterAll(async () => {
    await realm.close();
    jest.useRealTimers();
  });

  const count = async (table: string, expiringAfter: number) => {
    const sql = `SELECT COUNT(*) AS rows_there FROM ${table} WHERE expires_at > ?`;
    const [row] = await realm.deps.database.query<{ rows_there: number }>(sql, [expiringAfter]);
    return Number(row?.rows_there);
  };
  /** What is there for longer than a test takes, so that no purge comes between. */
  const countFresh = (table: string) => count(table, minute + 59_000);
  const tables = ['used_identifiers', 'request_budgets', 'pushed_requests'];
  const { parameters } = createPkce();
  const request = { response_type: 'code', redirect_uri: callback, scope: 'openid', ...parameters };
  const push = (clientId: string, address: string, headers: Record<string, string> = {}, state = 3_000) =>
    realm.send('/oauth/par', {
      form: { ...request, client_id: clientId, state: 's'.repeat(state) },
      headers: { 'x-forwarded-for': address, ...headers },
    });
  const times = (amount: number, send: () => Promise<Answer>) => Promise.all(Array.from({ length: amount }, send));
  const countStatuses = (answers: Answer[]) => {
    const statuses = answers.map(({ status }) => status);
    return Object.fromEntries([...new Set(statuses)].map((one) => [one, statuses.filter((s) => s === one).length]));
  };
  const expectTooMany = (answer: Answer | undefined) => {
    expect([answer?.status, answer?.json().error]).toEqual([429, 'temporarily_unavailable']);
    const wait = Number(answer?.headers['retry-after']);
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
  };

  const key = createClientKey();
  const getNonce = async () => {
    const dpop = key.proof({ htm: 'POST', htu: `${realm.authUrl}/oauth/token` });
    return String((await realm.tokenRequest({ client_id: 'spa' }, {}, { dpop })).headers['dpop-nonce']);
  };
  const proofFor = (path: string, nonce: string) => {
    const iat = Math.floor(realm.clock() / 1000);
    return key.proof({ htm: 'POST', htu: realm.authUrl + path, nonce, iat });
  };

  it('is 300 pushed requests a minute from one network, and no row more', async () => {
    const before = await countFresh('pushed_requests');
    const answers = await times(600, () => push('spa', '192.0.2.1'));
    expect(countStatuses(answers)).toEqual({ 201: 300, 429: 300 });
    expectTooMany(answers.find(({ status }) => status === 429));
    expect((await countFresh('pushed_requests')) - before).toBe(300);
    expectTooMany(await push('spa', '::ffff:192.0.2.1'));
    for (const [clientId, address] of [
      ['spa', '192.0.2.2'],
      ['other', '192.0.2.1'],
    ] as const) {
      expect((await push(clientId, address)).status).toBe(201);
    }
    realm.advance(60_000);
    expect((await push('spa', '192.0.2.1')).status).toBe(201);
  });

  it('is counted by /64 where the address is IPv6', async () => {
    const sending = Array.from({ length: 310 }, (_, index) => push('spa', `2001:db8:1:2::${index.toString(16)}`));
    expect(countStatuses(await Promise.all(sending))).toEqual({ 201: 300, 429: 10 });
    expect((await push('spa', '2001:db8:1:3::1')).status).toBe(201);
  });

  it('is ten times as much by /48, of which no /64 has more than its own', async () => {
    const networks = Array.from({ length: 11 }, (_, index) => `2001:db8:2:${index.toString(16)}`);
    const answers: Answer[] = [];
    for (const network of networks) answers.push(...(await times(300, () => push('spa', `${network}::1`))));
    expect(countStatuses(answers)).toEqual({ 201: 3_000, 429: 300 });
    expectTooMany(await push('spa', '2001:db8:2:ffff::1'));
    for (const [clientId, address] of [
      ['other', '2001:db8:2:ffff::1'],
      ['spa', '2001:db8:3::1'],
    ] as const) {
      expect((await push(clientId, address)).status).toBe(201);
    }
  });

  it('is 4 KiB a pushed request, which a client that proves who it is may pass', async () => {
    const authorization = encodeBasic(webClient.client_id, webClient.client_secret);
    const answer = await push('spa', '192.0.2.9', {}, 4_096);
    expect([answer.status, answer.json().error]).toEqual([413, 'invalid_request']);
    expect(answer.json().error_description).toContain('longer than 4096 characters');
    expect((await push('web', '192.0.2.9', { authorization }, 15_000)).status).toBe(201);
  });

  it('has no limit for a client that proves who it is', async () => {
    const authorization = encodeBasic(webClient.client_id, webClient.client_secret);
    const answers = await times(310, () => push('web', '192.0.2.3', { authorization }));
    expect(countStatuses(answers)).toEqual({ 201: 310 });
  });

  it('is 300 proofs a minute from one network, also where no grant comes of them, and no row more', async () => {
    const nonce = await getNonce();
    const before = await countFresh('used_identifiers');
    const rows = await countFresh('request_budgets');
    const form = {
      grant_type: 'authorization_code',
      code: 'none',
      redirect_uri: callback,
      code_verifier: 'v'.repeat(43),
    };
    const answers = await times(310, () => {
      const headers = { dpop: proofFor('/oauth/token', nonce), 'x-forwarded-for': '192.0.2.4' };
      return realm.tokenRequest({ client_id: 'spa' }, form, headers);
    });
    expect(countStatuses(answers)).toEqual({ 400: 300, 429: 10 });
    expectTooMany(answers.find(({ status }) => status === 429));
    expect((await countFresh('used_identifiers')) - before).toBe(300);
    expect((await countFresh('request_budgets')) - rows).toBe(1);
  });

  it('counts a pushed request with a proof once, and both together', async () => {
    const nonce = await getNonce();
    const pushed = await times(299, () => push('spa', '192.0.2.5', { dpop: proofFor('/oauth/par', nonce) }));
    expect(countStatuses(pushed)).toEqual({ 201: 299 });
    const form = { grant_type: 'refresh_token', refresh_token: 'none' };
    const ask = () => {
      const headers = { dpop: proofFor('/oauth/token', nonce), 'x-forwarded-for': '192.0.2.5' };
      return realm.tokenRequest({ client_id: 'spa' }, form, headers);
    };
    expect((await ask()).status).toBe(400);
    expectTooMany(await ask());
  });

  it('counts the proof of a pushed request that is refused too', async () => {
    const nonce = await getNonce();
    const answers = await times(310, () =>
      realm.send('/oauth/par', {
        form: { ...request, client_id: 'spa', scope: 'nonsense' },
        headers: { dpop: proofFor('/oauth/par', nonce), 'x-forwarded-for': '192.0.2.9' },
      }),
    );
    expect(countStatuses(answers)).toEqual({ 400: 300, 429: 10 });
  });

  it('is no row at all for a proof without a good nonce, and no part of the limit', async () => {
    const before = await Promise.all(tables.map(countFresh));
    for (const path of ['/oauth/token', '/oauth/par']) {
      const answers = await times(320, () => {
        const headers = { dpop: proofFor(path, 'invented'), 'x-forwarded-for': '192.0.2.6' };
        return realm.send(path, { form: { ...request, client_id: 'spa', grant_type: 'refresh_token' }, headers });
      });
      expect(new Set(answers.map((answer) => answer.json().error))).toEqual(new Set(['use_dpop_nonce']));
    }
    const after = await Promise.all(tables.map(countFresh));
    expect(after).toEqual(before);
  });

  it('is of use for 60 seconds', async () => {
    const answer = await push('spa', '192.0.2.7');
    const { request_uri, expires_in } = answer.json<{ request_uri: string; expires_in: number }>();
    expect(expires_in).toBe(60);
    realm.advance(60_000);
    const browser: TestBrowser = createTestBrowser();
    const page = await browser.get(realm.url + authorizePath({ client_id: 'spa', request_uri }));
    expect([page.status, page.headers.location]).toEqual([400, undefined]);
  });

  it('is gone within two minutes, whatever else expired at the same time', async () => {
    await push('spa', '192.0.2.8');
    const expired = Array.from({ length: 3_000 }, (_, index) => [1, index, 1, 1]);
    for (let from = 0; from < expired.length; from += 200) {
      const rows = expired.slice(from, from + 200);
      const sql = `INSERT INTO status_revocations (list_id, first_index, size, expires_at)
        VALUES ${rows.map(() => '(?, ?, ?, ?)').join(', ')}`;
      await realm.deps.database.execute(sql, rows.flat());
    }
    realm.advance(80_000);
    // The longest pause between two rounds of what purges rows that live for a minute.
    jest.advanceTimersByTime(12_500);
    const deadline = performance.now() + 40_000;
    const left = async () =>
      (await Promise.all(tables.map((table) => count(table, 0)))).reduce((sum, some) => sum + some);
    while ((await left()) > 0 && performance.now() < deadline) await sleep(50);
    expect(await left()).toBe(0);
  });
});
