import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { obtainCode } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { callback, passwordOf, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { stopClock } from '../support/still-clock.ts';

const hour = 3_600_000;
const day = 24 * hour;
const lasting = {
  client_id: 'lasting',
  client_secret: 'lasting-secret',
  scope: ['openid', 'offline_access'],
  authorized_grant_types: [deviceGrant, 'refresh_token'],
  access_token_validity: 86_400,
};

describe.each(testDialects)('where SESSION_HOURS is 2 and REFRESH_TOKEN_IDLE_DAYS is 3, on %s', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  let letClockGo: () => void;
  beforeAll(async () => {
    letClockGo = stopClock();
    realm = await startRealmOn(dialect, { SESSION_HOURS: '2', REFRESH_TOKEN_IDLE_DAYS: '3' });
    devices = useDevices(realm);
    await realm.register(webClient);
    await realm.register(lasting);
  });
  afterAll(async () => {
    await realm.close();
    letClockGo();
  });

  const refresh = async (client: typeof webClient | typeof lasting, token: string) =>
    (await realm.tokenRequest(client, { grant_type: 'refresh_token', refresh_token: token })).json<{
      refresh_token?: string;
      error?: string;
    }>();

  it('a refresh token of the password grant ends two hours after its first issue, however often it is used', async () => {
    const { refresh_token: first = '' } = await realm.tokens(webClient, {
      ...passwordOf('user'),
      scope: 'openid profile',
    });
    realm.advance(hour);
    const { refresh_token: second = '' } = await refresh(webClient, first);
    realm.advance(hour - 1_000);
    const { refresh_token: third = '' } = await refresh(webClient, second);
    expect(third).not.toBe('');
    realm.advance(1_000);
    expect(await refresh(webClient, third)).toMatchObject({ error: 'invalid_grant' });
  });

  it('a session and the refresh tokens of its sign-in end two hours after it', async () => {
    const code = await obtainCode(realm);
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const { refresh_token = '' } = await realm.tokens(webClient, form);
    const ends = await realm.deps.database.query<{ expires_at: number }>('SELECT expires_at FROM browser_sessions');
    expect(ends.map(({ expires_at }) => Number(expires_at))).toContain(realm.clock() + 2 * hour);
    realm.advance(2 * hour);
    expect(await refresh(webClient, refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });

  it('a device without offline access ends two hours after the sign-in', async () => {
    const { access_token } = await devices.connect(lasting, { scope: 'openid' });
    const { auth_time, exp } = readClaims<{ auth_time: number; exp: number }>(access_token);
    expect(exp - auth_time).toBe(2 * 3_600);
  });

  it('offline access ends three days after its last use', async () => {
    const { refresh_token: first = '' } = await devices.connect(lasting, { scope: 'openid offline_access' });
    realm.advance(3 * day - 1_000);
    const { refresh_token: second = '' } = await refresh(lasting, first);
    realm.advance(3 * day - 1_000);
    const { refresh_token: third = '' } = await refresh(lasting, second);
    expect(third).not.toBe('');
    realm.advance(3 * day);
    expect(await refresh(lasting, third)).toMatchObject({ error: 'invalid_grant' });
  });
});
