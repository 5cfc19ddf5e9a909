import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { obtainCode } from '../support/browser.ts';
import { administrator, callback, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const replays = 4_000;

describe.each(testDialects)('a code or token that comes back 4,000 times, on %s', (dialect) => {
  let realm: Realm;
  let written: string[] = [];
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
    const { database } = realm.deps;
    const { execute } = database;
    const watched: typeof execute = (sql, ...rest) => {
      written.push(sql);
      return execute(sql, ...rest);
    };
    Object.assign(database, { execute: watched });
  });
  afterAll(() => realm.close());

  /** The rows of the audit trail, by type. */
  const countEvents = async () => {
    const { events } = (await realm.send('/audit-events?limit=100', { basic: administrator })).json<{
      events: { type: string }[];
    }>();
    const types = events.map(({ type }) => type).filter((type) => /^(grant|replay|token)\./.test(type));
    return Object.fromEntries([...new Set(types)].map((type) => [type, types.filter((one) => one === type).length]));
  };
  const repeat = async (work: () => Promise<{ status: number }>, status: number) => {
    written = [];
    for (let done = 0; done < replays; done += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, work));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
    }
    return written.filter((sql) => /revocations|refresh_tokens|statuses|status_/.test(sql)).length;
  };

  it('writes one end and three repetitions of a used code', async () => {
    const form = { grant_type: 'authorization_code', code: await obtainCode(realm), redirect_uri: callback };
    await realm.tokens(webClient, form);
    expect((await realm.tokenRequest(webClient, form)).status).toBe(400);
    expect(await repeat(() => realm.tokenRequest(webClient, form), 400)).toBe(0);
    expect(await countEvents()).toEqual({ 'grant.ended': 1, 'replay.refused': 3 });
  });

  it('writes nothing more of a used refresh token', async () => {
    const { refresh_token = '' } = await realm.tokens(webClient, passwordOf('user'));
    const form = { grant_type: 'refresh_token', refresh_token };
    await realm.tokens(webClient, form);
    realm.advance(60_000);
    expect((await realm.tokenRequest(webClient, form)).status).toBe(400);
    expect(await repeat(() => realm.tokenRequest(webClient, form), 400)).toBe(0);
    expect(await countEvents()).toEqual({ 'grant.ended': 2, 'replay.refused': 3 });
  });

  it('writes one revocation of a token that is revoked again and again', async () => {
    const tokens = await realm.tokens(webClient, passwordOf('user'));
    for (const token of [tokens.access_token, tokens.refresh_token ?? '']) {
      const revoke = () =>
        realm.send('/oauth/revoke', { basic: [webClient.client_id, webClient.client_secret], form: { token } });
      await revoke();
      expect(await repeat(revoke, 200)).toBe(0);
    }
    expect(await countEvents()).toEqual({ 'grant.ended': 2, 'replay.refused': 3, 'token.revoked': 2 });
  });

  it('writes one end of a code that comes back eight times at the same moment', async () => {
    const form = { grant_type: 'authorization_code', code: await obtainCode(realm), redirect_uri: callback };
    await realm.tokens(webClient, form);
    const answers = await Promise.all(Array.from({ length: 8 }, () => realm.tokenRequest(webClient, form)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
    expect(await countEvents()).toMatchObject({ 'grant.ended': 3 });
  });
});
