import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { obtainCode } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { createExchanges } from '../support/exchanges.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, callback, passwordOf, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { stopClock } from '../support/still-clock.ts';

const hour = 3_600_000;
type Claims = { iat: number; exp: number; auth_time: number };

describe.each(testDialects)('the times of grants, to the millisecond, on %s', (dialect) => {
  let realm: Realm;
  let letClockGo: () => void;
  beforeAll(async () => {
    letClockGo = stopClock();
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
  });
  /** From a whole second on. */
  beforeEach(() => realm.advance(1_000 - (realm.clock() % 1_000)));
  afterAll(async () => {
    await realm.close();
    letClockGo();
  });

  const exchangeAfter = async (milliseconds: number, code: string) => {
    realm.advance(milliseconds);
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    return (await realm.tokenRequest(webClient, form)).json<{ error?: string }>().error;
  };
  const countReplays = async () => {
    const { events } = (await realm.send('/audit-events?type=grant.ended', { basic: administrator })).json<{
      events: { reason?: string }[];
    }>();
    return events.filter(({ reason }) => reason === 'code_replayed').length;
  };

  it('an authorization code is good for 60 seconds, and one that comes too late is not taken for a replayed one', async () => {
    const [early, late] = [await obtainCode(realm), await obtainCode(realm)];
    expect(await exchangeAfter(59_999, early)).toBeUndefined();
    expect(await exchangeAfter(1, late)).toBe('invalid_grant');
    expect(await countReplays()).toBe(0);
  });

  it('the user of the password grant signed in in the second in which it asks', async () => {
    const { access_token, refresh_token = '' } = await realm.tokens(webClient, passwordOf('user'));
    const { iat, exp, auth_time } = readClaims<Claims>(access_token);
    expect([auth_time, iat, exp]).toEqual([realm.clock() / 1_000, auth_time, auth_time + 900]);
    realm.advance(5_000);
    const again = await realm.tokens(webClient, { grant_type: 'refresh_token', refresh_token });
    expect(readClaims<Claims>(again.access_token)).toMatchObject({ iat: iat + 5, exp: exp + 5, auth_time });
  });

  it('a token is exchanged until the second in which it expires, and not in that', async () => {
    const exchanges = createExchanges(realm);
    const [orders, bills] = [await exchanges.resources.create(), await exchanges.resources.create()];
    const app = await exchanges.registerApp([orders, bills]);
    const api = await exchanges.registerApi([app], orders, [orders, bills]);
    const exchangeAt = async (milliseconds: number) => {
      const own = { grant_type: 'client_credentials', resource: orders.resource };
      const { access_token, expires_in } = await realm.tokens(app, own);
      const wait = expires_in * 1_000 + milliseconds;
      const isMet = interruptNext(realm.deps.database, /^INSERT INTO grant_statuses/, {
        before: async () => realm.advance(wait),
      });
      const answer = await exchanges.request(api, access_token, { resource: bills.resource });
      expect(isMet()).toBe(true);
      return [answer.status, answer.json<{ error?: string }>().error];
    };
    expect(await exchangeAt(-1)).toEqual([200, undefined]);
    expect(await exchangeAt(0)).toEqual([400, 'invalid_request']);
  });

  describe('of a device', () => {
    const lasting = {
      client_id: 'lasting',
      client_secret: 'lasting-secret',
      scope: ['openid', 'offline_access'],
      authorized_grant_types: [deviceGrant, 'refresh_token'],
      access_token_validity: 86_400,
    };
    let devices: ReturnType<typeof useDevices>;
    beforeAll(async () => {
      devices = useDevices(realm);
      await realm.register(lasting);
    });

    it('no token outlasts the 12 hours from the sign-in on, and a refresh counts from there too', async () => {
      const started = await devices.start(lasting, { scope: 'openid' });
      const browser = await devices.signIn();
      const signedInAt = realm.clock() / 1_000;
      realm.advance(60_000);
      await browser.submit(await devices.open(browser, started.user_code), devices.page, { decision: 'allow' });
      realm.advance(60_000);
      const tokens = (await devices.poll(lasting, started)).json<{ access_token: string; refresh_token: string }>();
      const first = readClaims<Claims>(tokens.access_token);
      expect(first).toMatchObject({ auth_time: signedInAt, iat: signedInAt + 120, exp: signedInAt + 12 * 3_600 });
      realm.advance(hour);
      const { refresh_token } = tokens;
      const next = await realm.tokens(lasting, { grant_type: 'refresh_token', refresh_token });
      expect(readClaims<Claims>(next.access_token)).toMatchObject({ auth_time: signedInAt, exp: first.exp });
    });

    it('a token of offline access lives as long as its client says', async () => {
      const { access_token } = await devices.connect(lasting, { scope: 'openid offline_access' });
      const { iat, exp } = readClaims<Claims>(access_token);
      expect(exp - iat).toBe(86_400);
    });
  });
});
