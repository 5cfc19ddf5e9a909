import { purgeExpiredBatch } from '@gatehouse/service-kit/database';
import {
  type Answer,
  createClientKey,
  createTestBrowser,
  createTestDatabase,
  readHiddenFields,
  type TestBrowser,
  type TestDatabase,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expiringTables } from '../../src/schema/tables.ts';
import { codeRequest, createPkce, readRedirect, signIn } from '../support/browser.ts';
import { type LosingWire, startLosingWire } from '../support/losing-wire.ts';
import {
  administrator,
  callback,
  passwordOf,
  type Realm,
  readClaims,
  startRealm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { readBits } from '../support/status.ts';

const minutes = 60_000;
const hours = 60 * minutes;
const days = 24 * hours;

const app = {
  client_id: 'spa',
  scope: ['openid', 'profile', 'offline_access'],
  authorized_grant_types: ['authorization_code', 'refresh_token'],
  redirect_uri: callback,
};

interface AuditEvent {
  reason?: string;
  details: Record<string, unknown>;
  address?: string;
}

describe.each(testDialects)('the end of refresh tokens on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect, { REFRESH_TOKEN_MAX_DAYS: '60' });
    await realm.register(webClient);
    await realm.register(app);
  });
  afterAll(() => realm.close());

  const start = async (scope = 'openid', browser: TestBrowser = createTestBrowser()) => {
    const answer = await signIn(realm, { ...codeRequest, scope, prompt: 'login' }, { browser });
    const { code = '' } = readRedirect(answer).parameters;
    return realm.tokens(webClient, { grant_type: 'authorization_code', code, redirect_uri: callback });
  };
  const formOf = ({ refresh_token = '' }: TokenAnswer) => ({ grant_type: 'refresh_token', refresh_token });
  const refresh = (token: TokenAnswer, address = '192.0.2.1') =>
    realm.tokens(webClient, formOf(token), { 'x-forwarded-for': address });
  const refuse = async (token: TokenAnswer, address = '192.0.2.1') => {
    const answer = await realm.tokenRequest(webClient, formOf(token), { 'x-forwarded-for': address });
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
  };
  const introspect = async (token = '') => {
    const basic: [string, string] = [webClient.client_id, webClient.client_secret];
    const answer = await realm.send('/oauth/introspect', { basic, form: { token } });
    return answer.json<{ active: boolean; exp?: number }>();
  };
  const findEvents = async (type: string, grant: unknown): Promise<AuditEvent[]> => {
    const answer = await realm.send(`/audit-events?type=${type}`, { basic: administrator });
    return answer.json<{ events: AuditEvent[] }>().events.filter(({ details }) => details.grant === grant);
  };

  it('comes with the end of the session that they are from, however often they are used', async () => {
    const startedAt = realm.clock();
    let tokens = await start();
    for (const hour of [6, 11]) {
      realm.advance(startedAt + hour * hours - realm.clock());
      tokens = await refresh(tokens);
      const { exp = 0 } = await introspect(tokens.refresh_token);
      expect(Math.abs(exp * 1000 - (startedAt + 12 * hours))).toBeLessThan(1 * minutes);
    }
    realm.advance(startedAt + 12 * hours + 1 * minutes - realm.clock());
    expect(await introspect(tokens.refresh_token)).toEqual({ active: false });
    await refuse(tokens);
  });

  it('comes with the end of the sign-in that they are from, also where the session went on by another', async () => {
    const browser = createTestBrowser();
    const earlier = await start('openid', browser);
    realm.advance(6 * hours);
    const later = await start('openid', browser);
    expect(readClaims(later.id_token ?? '').sid).toBe(readClaims(earlier.id_token ?? '').sid);
    realm.advance(6 * hours + 1 * minutes);
    await refuse(earlier);
    await refresh(later);
  });

  it('comes 12 hours after the first issue by the password grant', async () => {
    let tokens = await realm.tokens(webClient, { ...passwordOf('user'), scope: 'openid' });
    realm.advance(11 * hours);
    tokens = await refresh(tokens);
    realm.advance(1 * hours + 1 * minutes);
    await refuse(tokens);
  });

  it('comes with offline access after 30 days without use, and REFRESH_TOKEN_MAX_DAYS after the first issue', async () => {
    const startedAt = realm.clock();
    const unused = await start('openid offline_access');
    let tokens = await start('openid offline_access');
    for (const day of [29, 58]) {
      realm.advance(startedAt + day * days - realm.clock());
      tokens = await refresh(tokens);
    }
    await refuse(unused);
    const { exp = 0 } = await introspect(tokens.refresh_token);
    expect(Math.abs(exp * 1000 - (startedAt + 60 * days))).toBeLessThan(1 * minutes);
    realm.advance(startedAt + 60 * days + 1 * minutes - realm.clock());
    expect(await introspect(tokens.refresh_token)).toEqual({ active: false });
    await refuse(tokens);
  });

  describe('comes with the consent, and ends every access token that is out', () => {
    const thirdParty = {
      client_id: 'third-party',
      client_secret: 'a secret of the client',
      scope: ['openid', 'profile'],
      authorized_grant_types: ['authorization_code', 'refresh_token'],
      redirect_uri: callback,
      access_token_validity: 86_400,
      ...{ require_consent: true },
    };
    /** Its code is the only row of a grant. */
    const withoutRefresh = { ...thirdParty, client_id: 'brief', authorized_grant_types: ['authorization_code'] };
    beforeAll(async () => {
      for (const client of [thirdParty, withoutRefresh]) await realm.register(client);
    });

    const obtainAllowedCode = async ({ client_id }: typeof thirdParty) => {
      const browser = createTestBrowser();
      const page = await signIn(realm, { ...codeRequest, client_id, prompt: 'login consent' }, { browser });
      const answer = await browser.submit(page, `${realm.url}/oauth/consent`, { decision: 'allow' });
      return readRedirect(answer).parameters.code ?? '';
    };
    const redeem = (client: typeof thirdParty, code: string) =>
      realm.tokens(client, { grant_type: 'authorization_code', code, redirect_uri: callback });
    const purge = async () => {
      for (const table of expiringTables) {
        for (let rows = 250; rows === 250; ) {
          rows = await purgeExpiredBatch(realm.deps.database, table, realm.clock());
        }
      }
    };
    const takeConsentBack = async () => {
      const browser = createTestBrowser();
      await signIn(realm, { ...codeRequest, prompt: 'login' }, { browser });
      const url = `${realm.url}/oauth/consents`;
      const answer = await browser.post(url, readHiddenFields((await browser.get(url)).text));
      expect([200, 303]).toContain(answer.status);
    };
    const isRevokedInList = async (token: string) => {
      const { status } = readClaims<{ status: { status_list: { idx: number; uri: string } } }>(token);
      const { text } = await realm.send(new URL(status.status_list.uri).pathname);
      return readBits(text).revoked.includes(status.status_list.idx);
    };
    const expectEndedByConsent = async (token: string) => {
      expect([(await introspect(token)).active, await isRevokedInList(token)]).toEqual([true, false]);
      await takeConsentBack();
      expect([(await introspect(token)).active, await isRevokedInList(token)]).toEqual([false, true]);
    };

    it('also where the refresh token ended before them, and expired rows are gone', async () => {
      const tokens = await redeem(thirdParty, await obtainAllowedCode(thirdParty));
      realm.advance(11 * hours);
      const { access_token, refresh_token = '' } = await realm.tokens(thirdParty, formOf(tokens));
      realm.advance(14 * hours);
      await purge();
      const answer = await realm.tokenRequest(thirdParty, { grant_type: 'refresh_token', refresh_token });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
      await expectEndedByConsent(access_token);
    });

    it('also where the code was exchanged at its last moment, and expired rows are gone', async () => {
      const code = await obtainAllowedCode(withoutRefresh);
      realm.advance(50_000);
      const { access_token } = await redeem(withoutRefresh, code);
      realm.advance(24 * hours - 30_000);
      await purge();
      await expectEndedByConsent(access_token);
    });
  });

  describe('by a used one that comes back', () => {
    it('does not come within 3 s from the same network: the same successor, a token of the same status, an event', async () => {
      const first = await start();
      const second = await refresh(first, '2001:db8:1:2::1');
      const again = await refresh(first, '2001:db8:1:2:3::4');
      expect(again.refresh_token).toBe(second.refresh_token);
      const [one, other] = [second, again].map(({ access_token }) => readClaims(access_token));
      expect(other?.status).toEqual(one?.status);
      expect(await introspect(again.access_token)).toMatchObject({ active: true });
      expect(await findEvents('refresh_token.repeated', one?.grant_id)).toMatchObject([
        { details: { by: 'network' }, address: '2001:db8:1:2::/64' },
      ]);
      await refresh(again);
    });

    it.each([
      ['other_network', 0, '198.51.100.9'],
      ['too_late', 3_001, '192.0.2.1'],
    ])('comes otherwise, and the event says why: %s', async (why, later, address) => {
      const first = await start();
      const second = await refresh(first);
      realm.advance(later);
      await refuse(first, address);
      await refuse(second);
      for (const { access_token } of [first, second]) expect(await introspect(access_token)).toEqual({ active: false });
      const { grant_id } = readClaims(second.access_token);
      expect(await findEvents('grant.ended', grant_id)).toMatchObject([
        { reason: 'refresh_token_replayed', details: { why }, address },
      ]);
    });

    describe('of a public client, bound to a key', () => {
      const key = createClientKey();
      const send = async (form: Record<string, string>, address: string, by: typeof key | null = key) => {
        const request = { htm: 'POST', htu: `${realm.authUrl}/oauth/token`, iat: Math.floor(realm.clock() / 1000) };
        const attempt = (nonce: string) => {
          const proof: Record<string, string> = by === null ? {} : { dpop: by.proof({ ...request, nonce }) };
          return realm.tokenRequest({ client_id: 'spa' }, form, { ...proof, 'x-forwarded-for': address });
        };
        const { headers } = await realm.tokenRequest({ client_id: 'spa' }, form, { dpop: key.proof(request) });
        return attempt(String(headers['dpop-nonce']));
      };
      const startBound = async () => {
        const { verifier, parameters } = createPkce();
        const answer = await signIn(realm, { ...codeRequest, ...parameters, client_id: 'spa' });
        const { code = '' } = readRedirect(answer).parameters;
        const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
        const first = (await send(form, '192.0.2.1')).json<TokenAnswer>();
        const second = (await send(formOf(first), '192.0.2.1')).json<TokenAnswer>();
        return { first, second, grant: readClaims(second.access_token).grant_id };
      };

      it('does not come within 10 s from elsewhere with a proof of the key', async () => {
        const { first, second, grant } = await startBound();
        realm.advance(8_000);
        const again = await send(formOf(first), '198.51.100.9');
        expect([again.status, again.json().refresh_token]).toEqual([200, second.refresh_token]);
        expect(await findEvents('refresh_token.repeated', grant)).toMatchObject([{ details: { by: 'proof' } }]);
      });

      it.each([
        ['no_proof', 'without a proof', 0, null],
        ['no_proof', 'with a proof of another key', 0, createClientKey()],
        ['too_late', 'too late', 10_001, key],
      ])('comes otherwise, and the event says why: %s, %s', async (why, _title, later, by) => {
        const { first, second, grant } = await startBound();
        realm.advance(later);
        const thief = await send(formOf(first), '198.51.100.9', by);
        expect([thief.status, thief.json().error]).toEqual([400, 'invalid_grant']);
        expect(await findEvents('grant.ended', grant)).toMatchObject([{ details: { why } }]);
        expect((await send(formOf(second), '192.0.2.1')).status).toBe(400);
      });
    });
  });
});

// SQLite is a file: no statement is done whose answer is lost.
const describeOnMysql = testDialects.includes('mysql') ? describe : () => {};

describeOnMysql('a refresh token whose use was stored, but not answered, because the database went away', () => {
  let database: TestDatabase;
  let wire: LosingWire;
  let realm: Realm;
  beforeAll(async () => {
    database = await createTestDatabase('mysql');
    const url = new URL(database.url);
    wire = await startLosingWire({ host: url.hostname, port: Number(url.port) });
    url.hostname = '127.0.0.1';
    url.port = String(wire.port);
    realm = await startRealm({ DATABASE_URL: url.href, MIGRATE_ON_START: 'true' });
    await realm.register(webClient);
  });
  afterAll(async () => {
    await realm?.close();
    await wire?.close();
    await database?.drop();
  });

  const refresh = (token: string) =>
    realm.tokenRequest(webClient, { grant_type: 'refresh_token', refresh_token: token });
  const signIn = async () => (await realm.tokens(webClient, passwordOf('user'))).refresh_token ?? '';
  const successorIn = (answer: Answer) => answer.json<TokenAnswer>().refresh_token ?? '';
  const statusesOf = async (...requests: Promise<{ status: number }>[]) =>
    (await Promise.all(requests)).map(({ status }) => status);
  const loseUse = async (token: string) => {
    wire.breakAfter('UPDATE refresh_tokens');
    expect((await refresh(token)).status).toBe(503);
  };

  it('gives the retry its successor, however long the database was away', async () => {
    const token = await signIn();
    await loseUse(token);
    realm.advance(60_000);
    expect((await refresh(token)).status).toBe(503);
    wire.mend();
    const retry = await refresh(token);
    expect(retry.status).toBe(200);
    expect((await refresh(successorIn(retry))).status).toBe(200);
  });

  it('gives every other retry no more time than it has without that', async () => {
    const usedBefore = await signIn();
    const usedAfter = await signIn();
    const successor = successorIn(await refresh(usedBefore));
    realm.advance(4_000);
    const lost = await signIn();
    await loseUse(lost);
    realm.advance(60_000);
    wire.mend();
    expect((await refresh(lost)).status).toBe(200);
    expect((await refresh(usedAfter)).status).toBe(200);
    realm.advance(4_000);
    expect(await statusesOf(refresh(usedBefore), refresh(usedAfter))).toEqual([400, 400]);
    expect((await refresh(successor)).status).toBe(400);
  });
});
