import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Ledger, UsageCount } from '../../src/usage/usage-count.ts';
import { createUsageCountStore, type UsageCountStore } from '../../src/usage/usage-count-store.ts';
import { authorizePath, codeRequest, signIn, userForm } from '../support/browser.ts';
import { administrator, encodeForm, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const hour = 3_600_000;
const day = 24 * hour;
const web: [string, string] = ['web', 'web-secret'];

interface Statistics {
  step: string;
  from: string;
  to: string;
  series: { key: string; values: number[] }[];
  others?: number[];
  complete_until: string;
}

describe.each(testDialects)('statistics on %s', (dialect) => {
  let realm: Realm;
  let replica: Replica;
  let store: UsageCountStore;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    store = createUsageCountStore(realm.deps.database);
    replica = await startReplica(realm, {});
    await realm.register(webClient);
    await realm.register({ ...webClient, client_id: 'other', client_secret: 'other-secret' });
  });
  afterAll(async () => {
    await replica.close();
    await realm.close();
  });

  /** What is counted from now on begins at an hour of its own. */
  const beginHour = () => {
    realm.advance(2 * hour - (realm.clock() % hour));
    return new Date(realm.clock()).toISOString();
  };
  const ask = async (query: Record<string, string>, from: Pick<Realm, 'send'> = realm) => {
    const answer = await from.send(`/statistics?${encodeForm(query)}`, { basic: administrator });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return answer.json<Statistics>();
  };
  /** The sums over the time asked for, by key. */
  const sumsOf = async (query: Record<string, string>) => {
    const { series } = await ask({ step: 'hour', ...query });
    return Object.fromEntries(series.map(({ key, values }) => [key, values.reduce((sum, value) => sum + value, 0)]));
  };
  const getToken = (basic: [string, string], form: Record<string, string> = passwordOf('user')) =>
    realm.send('/oauth/token', { basic, form });

  it('count tokens by outcome, grant type and client', async () => {
    const from = beginHour();
    await getToken(web);
    await getToken(web);
    await getToken(['other', 'other-secret']);
    await getToken(web, { grant_type: 'refresh_token', refresh_token: 'none' });
    await getToken(['web', 'wrong']);
    await getToken(web, { grant_type: 'none' });
    const of = { measure: 'tokens', from };
    expect(await sumsOf(of)).toEqual({ total: 3 });
    expect(await sumsOf({ ...of, by: 'outcome' })).toEqual({
      ...{ issued: 3, invalid_grant: 1, invalid_client: 1, unsupported_grant_type: 1 },
    });
    expect(await sumsOf({ ...of, by: 'grant_type' })).toEqual({ password: 3 });
    expect(await sumsOf({ ...of, by: 'client' })).toEqual({ web: 2, other: 1 });
    expect(await sumsOf({ ...of, client: 'web', by: 'outcome' })).toMatchObject({ issued: 2, invalid_client: 1 });
    expect(await sumsOf({ ...of, client: 'nobody' })).toEqual({ total: 0 });
  });

  it('count sign-ins by outcome and client', async () => {
    const from = beginHour();
    await signIn(realm, codeRequest);
    await signIn(realm, codeRequest, { user: { ...userForm, password: 'wrong' } });
    const of = { measure: 'sign_ins', from };
    expect(await sumsOf({ ...of, by: 'outcome' })).toEqual({ signed_in: 1, refused: 1 });
    expect(await sumsOf({ ...of, by: 'client' })).toEqual({ web: 1 });
    expect(await sumsOf(of)).toEqual({ total: 1 });
  });

  it('count refusals by reason and client, also those of nobody', async () => {
    const from = beginHour();
    await realm.send('/clients/nobody', { basic: administrator });
    await realm.send(authorizePath({ ...codeRequest, redirect_uri: 'https://elsewhere.example.com/' }));
    await getToken(web, { grant_type: 'none' });
    const of = { measure: 'refusals', from };
    expect(await sumsOf({ ...of, by: 'reason' })).toEqual({
      ...{ not_found: 1, untrusted_request: 1, unsupported_grant_type: 1 },
    });
    const byClient = await ask({ step: 'hour', ...of, by: 'client' });
    expect([byClient.series, byClient.others]).toEqual([[{ key: 'web', values: [2] }], [1]]);
  });

  it('have a value for each step, by hour and by day, of all replicas', async () => {
    realm.advance(2 * day - (realm.clock() % day));
    const from = new Date(realm.clock()).toISOString();
    await getToken(web);
    realm.advance(2 * hour);
    await replica.send('/oauth/token', { basic: web, form: passwordOf('user') });
    await ask({ measure: 'tokens', step: 'hour' }, replica);
    expect(await ask({ measure: 'tokens', step: 'hour', from })).toEqual({
      step: 'hour',
      from,
      to: new Date(Date.parse(from) + 3 * hour).toISOString(),
      series: [{ key: 'total', values: [1, 0, 1] }],
      complete_until: expect.any(String),
    });
    const before = new Date(Date.parse(from) - day).toISOString();
    const { series, to } = await ask({ measure: 'tokens', step: 'day', from: before });
    expect([series[0]?.values.at(-1), to]).toEqual([2, new Date(Date.parse(from) + day).toISOString()]);
    expect(series[0]?.values).toHaveLength(2);
  });

  it('are those of the last 24 hours or 30 days where no time is named, and say how far they are complete', async () => {
    const { from, to, series, complete_until } = await ask({ measure: 'tokens', step: 'hour' });
    expect(Date.parse(to) - Date.parse(from)).toBe(day);
    expect(series[0]?.values).toHaveLength(24);
    const age = realm.clock() - Date.parse(complete_until);
    expect(age).toBeGreaterThanOrEqual(15_000);
    expect(age).toBeLessThan(20_000);
    const past = await ask({ measure: 'tokens', step: 'day', from: '2026-01-01', to: '2026-01-03' });
    expect([past.complete_until, past.series]).toEqual([
      '2026-01-03T00:00:00.000Z',
      [{ key: 'total', values: [0, 0] }],
    ]);
    expect((await ask({ measure: 'tokens', step: 'day' })).series[0]?.values).toHaveLength(30);
  });

  it('by client are the 20 greatest, and the others together', async () => {
    const startsAt = Date.UTC(2025, 0, 1);
    const writer = Buffer.alloc(16, 7);
    const of = { step: 'day', startsAt, ledger: 'tokens' as Ledger } as const;
    const counts: UsageCount[] = Array.from({ length: 25 }, (_, index) => ({
      ...{ ...of, detail: 'issued password', subject: `c${String(index).padStart(2, '0')}`, amount: index + 1 },
    }));
    counts.push({ ...of, detail: 'issued password', subject: undefined, amount: 1_000 });
    counts.push({ ...of, detail: 'invalid_grant password', subject: 'c00', amount: 99 });
    await store.put(writer, counts);
    const { series, others } = await ask({
      ...{ measure: 'tokens', step: 'day', from: '2025-01-01', to: '2025-01-03', by: 'client' },
    });
    expect(series.map(({ key }) => key)).toEqual(
      Array.from({ length: 20 }, (_, index) => `c${String(24 - index).padStart(2, '0')}`),
    );
    expect(series[0]).toEqual({ key: 'c24', values: [25, 0] });
    expect(others).toEqual([1_000 - series.reduce((sum, { values }) => sum + (values[0] as number), 0), 0]);
  });

  it('of one process are written again as they are, not added', async () => {
    const writer = Buffer.alloc(16, 8);
    const count = {
      step: 'day',
      startsAt: Date.UTC(2024, 0, 1),
      ledger: 'tokens',
      detail: 'issued password',
    } as const;
    for (const amount of [3, 5, 5]) await store.put(writer, [{ ...count, subject: undefined, amount }]);
    await store.put(Buffer.alloc(16, 9), [{ ...count, subject: undefined, amount: 2 }]);
    const { series } = await ask({ measure: 'tokens', step: 'day', from: '2024-01-01', to: '2024-01-02' });
    expect(series).toEqual([{ key: 'total', values: [7] }]);
  });

  it('are kept for 35 days by hour, and for 400 by day', async () => {
    await getToken(web);
    await ask({ measure: 'tokens', step: 'hour' });
    const rows = await realm.deps.database.query<Record<string, number | string>>('SELECT * FROM usage_counts');
    const kept = (step: string) =>
      new Set(rows.filter((row) => row.step === step).map((row) => Number(row.expires_at) - Number(row.starts_at)));
    expect(kept('hour')).toEqual(new Set([35 * day + hour]));
    expect(kept('day')).toEqual(new Set([400 * day + day]));
  });

  it.each([
    ['step=hour', 'measure'],
    ['measure=tokens', 'step'],
    ['measure=x&step=hour', 'measure'],
    ['measure=tokens&step=week', 'step'],
    ['measure=tokens&step=hour&by=reason', 'by'],
    ['measure=sign_ins&step=hour&by=grant_type', 'by'],
    ['measure=refusals&step=hour&by=outcome', 'by'],
    ['measure=tokens&step=hour&by=user', 'by'],
    ['measure=tokens&step=hour&from=yesterday', 'from'],
    ['measure=tokens&step=hour&from=2026-01-01&to=2026-02-01T01:00:00Z', 'from'],
    ['measure=tokens&step=hour&from=2026-01-02&to=2026-01-01', 'to'],
    ['measure=tokens&step=hour&from=2026-01-02&to=2026-01-02', 'to'],
    ['measure=tokens&step=hour&client=%20', 'client'],
    ['measure=tokens&step=hour&limit=1', 'limit'],
  ])('cannot be asked for by %s', async (query, field) => {
    const answer = await realm.send(`/statistics?${query}`, { basic: administrator });
    expect(answer.status).toBe(400);
    expect(answer.json<{ errors: object[] }>().errors).toEqual([expect.objectContaining({ field })]);
  });

  it('are 744 steps at most', async () => {
    const { series } = await ask({ measure: 'tokens', step: 'hour', from: '2026-01-01', to: '2026-02-01' });
    expect(series[0]?.values).toHaveLength(744);
  });

  it('are for both administrators, and for nobody else', async () => {
    const path = '/statistics?measure=tokens&step=hour';
    expect(
      (await realm.send(path, { basic: ['idp.admin@example.com', passwordOf('idp.admin').password] })).status,
    ).toBe(200);
    expect((await realm.send(path, { basic: [userForm.username, userForm.password] })).status).toBe(403);
    expect((await realm.send(path)).status).toBe(401);
  });

  it('of a replica that ended are read at another one', async () => {
    const from = beginHour();
    const ending = await startReplica(realm, {});
    await ending.send('/oauth/token', { basic: web, form: passwordOf('user') });
    await ending.close();
    expect(await sumsOf({ measure: 'tokens', from })).toEqual({ total: 1 });
  });
});
