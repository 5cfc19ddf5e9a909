import { purgeExpiredBatch } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deviceGrant, useDevices } from '../support/device.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { stopClock } from '../support/still-clock.ts';

const machine = {
  client_id: 'television',
  client_secret: 'television-secret',
  scope: ['openid', 'profile'],
  authorized_grant_types: [deviceGrant],
};
const minute = 60_000;

describe.each(testDialects)('the times of a device (RFC 8628), to the millisecond, on %s', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  let letClockGo: () => void;
  beforeAll(async () => {
    letClockGo = stopClock();
    realm = await startRealmOn(dialect);
    devices = useDevices(realm);
    await realm.register(machine);
  });
  /** Five minutes of guesses to each test, from a whole second on. */
  beforeEach(() => realm.advance(6 * minute - (realm.clock() % 1_000)));
  afterAll(async () => {
    await realm.close();
    letClockGo();
  });

  const pollAfter = async (milliseconds: number, started: { device_code: string }) => {
    realm.advance(milliseconds);
    return (await devices.poll(machine, started)).json<{ error?: string }>().error;
  };

  it('a poll may come half a second early, and no more (RFC 8628 3.5)', async () => {
    const started = await devices.start(machine);
    expect(await pollAfter(0, started)).toBe('authorization_pending');
    expect(await pollAfter(4_500, started)).toBe('authorization_pending');
    expect(await pollAfter(4_499, started)).toBe('slow_down');
  });

  it('each poll that comes too early adds five seconds', async () => {
    const started = await devices.start(machine);
    expect(await pollAfter(0, started)).toBe('authorization_pending');
    expect(await pollAfter(1_000, started)).toBe('slow_down');
    expect(await pollAfter(9_500, started)).toBe('authorization_pending');
    expect(await pollAfter(9_499, started)).toBe('slow_down');
    expect(await pollAfter(14_500, started)).toBe('authorization_pending');
  });

  it('a code lives for ten minutes, and can be decided until its very end', async () => {
    const [first, second] = [await devices.start(machine), await devices.start(machine)];
    realm.advance(10 * minute - 1);
    expect(await pollAfter(0, first)).toBe('authorization_pending');
    const browser = await devices.signIn();
    expect((await devices.open(browser, first.user_code)).text).toContain('Allow this device?');
    await browser.submit(await devices.open(browser, first.user_code), devices.page, { decision: 'allow' });
    expect(await pollAfter(0, first)).toBeUndefined();
    expect(await pollAfter(1, second)).toBe('expired_token');
    expect((await devices.open(browser, second.user_code)).status).toBe(400);
  });

  it('the device learns for ten more minutes that its code expired, through every purge', async () => {
    const started = await devices.start(machine);
    const purge = () => purgeExpiredBatch(realm.deps.database, 'device_codes', realm.clock());
    realm.advance(20 * minute - 1);
    await purge();
    expect(await pollAfter(0, started)).toBe('expired_token');
    realm.advance(1);
    await purge();
    expect(await pollAfter(0, started)).toBe('invalid_grant');
  });

  it('a code that gave tokens stays for 24 hours, so that its grant can be ended', async () => {
    const started = await devices.start(machine);
    await devices.decide(started);
    expect(await pollAfter(0, started)).toBeUndefined();
    const used = realm.clock();
    const sql = 'SELECT expires_at FROM device_codes WHERE consumed_at = ?';
    const rows = await realm.deps.database.query<{ expires_at: number }>(sql, [used]);
    expect(rows.map(({ expires_at }) => Number(expires_at) - used)).toEqual([24 * 60 * minute]);
  });

  it('who decides signed in less than five minutes before', async () => {
    const started = await devices.start(machine);
    const browser = await devices.signIn();
    realm.advance(5 * minute - 1);
    expect((await devices.open(browser, started.user_code)).text).toContain('Allow this device?');
    realm.advance(1);
    expect((await devices.open(browser, started.user_code)).text).toContain('to connect a device');
  });

  it('who typed ten wrong codes waits until the first of them is five minutes old', async () => {
    const browser = await devices.signIn();
    for (let times = 0; times < 10; times += 1) {
      expect((await devices.open(browser, 'BBBB-BBBB')).status).toBe(400);
      realm.advance(1_000);
    }
    const limited = await devices.open(browser, 'BBBB-BBBB');
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '290']);
    realm.advance(289_999);
    const last = await devices.open(await devices.signIn(), 'BBBB-BBBB');
    expect([last.status, last.headers['retry-after']]).toEqual([429, '1']);
    realm.advance(1);
    expect((await devices.open(await devices.signIn(), 'BBBB-BBBB')).status).toBe(400);
  });
});
