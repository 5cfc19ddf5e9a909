import { randomBytes } from 'node:crypto';
import { type Answer, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClientStore } from '../../src/clients/client-store.ts';
import { createDeviceCodeStore } from '../../src/codes/device-code-store.ts';
import { buildDeviceCode } from '../support/builders.ts';
import { commandLine, deviceGrant, useDevices } from '../support/device.ts';
import { createSender, type Realm, startAuthServer } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const machine = {
  client_id: 'television',
  client_secret: 'television-secret',
  scope: ['openid'],
  authorized_grant_types: [deviceGrant],
};
const other = { ...commandLine, client_id: 'another-command-line' };

describe.each(testDialects)('the device codes that may wait for their users, on %s', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  let replica: Awaited<ReturnType<typeof startAuthServer>>;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    devices = useDevices(realm);
    for (const client of [commandLine, other, machine]) await realm.register(client);
    replica = await startAuthServer(0, realm.env, realm.clock);
  });
  /** Until every code of the test before has ended. */
  beforeEach(() => realm.advance(11 * 60_000));
  afterAll(async () => {
    await replica.stop();
    await realm.close();
  });

  const ask = (address: string, client: { client_id: string; client_secret?: string } = commandLine) =>
    devices.authorize(client, {}, { 'x-forwarded-for': address });
  /** At one replica after the other. */
  const askAnywhere = (turn: number, address: string) =>
    turn % 2 === 0
      ? ask(address)
      : createSender(replica.app)('/oauth/device_authorization', {
          form: { client_id: commandLine.client_id },
          headers: { 'x-forwarded-for': address },
        });
  const readError = (answer: Answer) => [answer.status, answer.json().error];
  const full = [503, 'temporarily_unavailable'];
  const registrationOf = async ({ client_id }: { client_id: string }): Promise<string> => {
    const client = await createClientStore(realm.deps.database).find(client_id);
    return client?.registrationId ?? '';
  };
  /** Puts open codes beside those that are there. */
  const fill = async (count: number, fields: Parameters<typeof buildDeviceCode>[0]) => {
    const store = createDeviceCodeStore(realm.deps.database);
    const times = { openUntil: realm.clock() + 600_000, endsAt: realm.clock() + 600_000 };
    for (let inserted = 0; inserted < count; inserted += 50) {
      const some = Array.from({ length: Math.min(50, count - inserted) }, () =>
        store.insert(buildDeviceCode({ expiresAt: realm.clock() + 1_200_000, ...times, ...fields })),
      );
      expect((await Promise.all(some)).every((isNew) => isNew)).toBe(true);
    }
  };
  const countOpen = async () => {
    const sql = 'SELECT COUNT(*) AS n FROM device_codes WHERE open_until > ?';
    const [row] = await realm.deps.database.query<{ n: number }>(sql, [realm.clock()]);
    return Number(row?.n);
  };
  const passSecond = () => realm.advance(1_001);

  it('are 300 of a /48, whichever of its /64s and clients ask, at two replicas together', async () => {
    // A /64 has 30 a minute.
    for (let index = 0; index < 9; index += 1) {
      const sending = Array.from({ length: 30 }, () => ask(`2001:db8:1:${index}::1`, index < 5 ? commandLine : other));
      for (const answer of await Promise.all(sending)) expect(answer.status).toBe(200);
    }
    const last = await Promise.all(
      Array.from({ length: 60 }, (_, turn) => askAnywhere(turn, `2001:db8:1:a${turn}::1`)),
    );
    expect(last.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(30);
    expect(await countOpen()).toBeLessThanOrEqual(300);
    for (let turn = 0; (await countOpen()) < 300; turn += 1) await ask(`2001:db8:1:b${turn}::1`, other);
    const refused = await ask('2001:db8:1:ffff::1', other);
    expect(readError(refused)).toEqual([429, 'temporarily_unavailable']);
    expect(refused.headers['retry-after']).toBe('30');
    expect((await ask('2001:db8:2::1')).status).toBe(200);
    expect((await ask('2001:db8:1:ffff::1', machine)).status).toBe(200);
    expect(await countOpen()).toBe(302);
  });

  it('are 1,000 of a public client, and no bound of a confidential one', async () => {
    const registrationId = await registrationOf(commandLine);
    await fill(999, { registrationId, publicNetwork: randomBytes(32) });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, turn) => askAnywhere(turn, `192.0.2.${turn}`)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    passSecond();
    await fill(1_000 - (await countOpen()), { registrationId, publicNetwork: randomBytes(32) });
    expect(readError(await ask('192.0.2.99'))).toEqual(full);
    expect(await countOpen()).toBe(1_000);
    expect((await ask('192.0.2.99', other)).status).toBe(200);
    await fill(1_000, { registrationId: await registrationOf(machine) });
    expect((await ask('192.0.2.99', machine)).status).toBe(200);
  });

  it('are 5,000 of public clients, so that confidential ones have as many', async () => {
    await fill(5_000, { publicNetwork: randomBytes(32) });
    expect(readError(await ask('192.0.2.99'))).toEqual(full);
    // For a second without a statement.
    expect(readError(await ask('192.0.2.98'))).toEqual(full);
    expect(await countOpen()).toBe(5_000);
    expect((await ask('192.0.2.99', machine)).status).toBe(200);
    await fill(4_999, {});
    expect(readError(await ask('192.0.2.99', machine))).toEqual(full);
    expect(await countOpen()).toBe(10_000);
  });

  it('are those that are open alone, and those that the release before stored count as of confidential clients', async () => {
    const registrationId = await registrationOf(commandLine);
    const publicNetwork = randomBytes(32);
    await fill(1_000, { registrationId, publicNetwork, openUntil: undefined });
    expect((await ask('192.0.2.99')).status).toBe(200);
    await fill(400, { publicNetwork: undefined });
    expect((await ask('192.0.2.99')).status).toBe(200);
  });
});
