import { call, type Gatehouse, type ServiceProcess } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Credentials, passwordKind, registerClient } from './support/clients.ts';
import { administrator, plainUser } from './support/people.ts';
import { startBeside } from './support/services.ts';
import { describeGatehouseOnce } from './support/suite.ts';
import { uniqueName } from './support/unique.ts';
import { waitFor } from './support/wait.ts';

interface Event {
  type: string;
  reason?: string;
  actor: object;
  subject?: { kind: string; id?: string; name?: string };
  details: Record<string, unknown>;
}

const flood = 1_100;
const type = 'client_authentication.refused';

describeGatehouseOnce('a flood of refusals', (getGatehouse) => {
  let gatehouse: Gatehouse;
  /** Takes the caller's address from the header, so that a test can come from many. */
  let replica: ServiceProcess;
  let victim: Credentials;
  let decoy: Credentials;
  let stopped = false;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    victim = await registerClient(gatehouse, passwordKind());
    decoy = await registerClient(gatehouse, passwordKind());
    replica = await startBeside(gatehouse, 'auth-server', { TRUST_PROXY: '1' });
  });
  const stop = async () => {
    if (!stopped) expect(await replica.stop()).toBe(0);
    stopped = true;
  };
  afterAll(stop);

  const send = (form: Record<string, string>, address: string, basic?: Credentials) =>
    call(`${replica.url}/oauth/token`, {
      form,
      headers: { 'x-forwarded-for': address },
      ...(basic === undefined ? {} : { basic }),
    });
  const sendInTens = async (count: number, sendOne: (index: number) => Promise<unknown>) => {
    for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: 10 }, (_, j) => sendOne(i + j)));
  };
  const read = async (query: Record<string, string>) => {
    const url = `${gatehouse.authUrl}/audit-events?${new URLSearchParams({ limit: '200', ...query })}`;
    return (await call(url, { basic: administrator })).json<{ events: Event[] }>().events;
  };

  test('without any secret does not hide wrong secrets for a real client', async () => {
    const grant = { grant_type: 'client_credentials' };
    await sendInTens(flood, (i) => {
      const clientId = i % 2 === 0 ? uniqueName('unknown') : decoy[0];
      return send({ ...grant, client_id: clientId }, `10.1.${i >> 8}.${i & 255}`);
    });
    await sendInTens(flood, (i) => send({ ...grant, client_id: victim[0] }, `10.2.${i >> 8}.${i & 255}`));
    for (let i = 0; i < 8; i += 1) expect((await send(grant, '10.3.0.1', [victim[0], `wrong-${i}`])).status).toBe(401);
    const told = await waitFor(
      async () => (await read({ type, subject: victim[0] })).filter(({ details }) => isBySecret(details)),
      (events) => events.length >= 3,
    );
    expect(told[0]).toMatchObject({ reason: 'wrong_credentials', subject: { kind: 'client', name: victim[0] } });
    expect(told[0]?.subject?.id).toEqual(expect.any(String));
  });

  test('does not hide wrong passwords of a user who exists, and an event names that user by its id', async () => {
    const form = { grant_type: 'password', username: plainUser[0], password: 'wrong-password' };
    expect((await send(form, '10.4.0.1', victim)).status).toBe(400);
    const stranger = `${uniqueName('nobody')}@example.com`;
    expect((await send({ ...form, username: stranger }, '10.4.0.2', victim)).status).toBe(400);
    const find = (subject: string) =>
      waitFor(
        () => read({ type: 'sign_in.refused', subject }),
        (events) => events.length > 0,
      );
    const id = (await find(plainUser[0]))[0]?.subject?.id ?? '';
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await find(id)).length).toBeGreaterThan(0);
    expect((await find(stranger))[0]?.subject).toEqual({ kind: 'user', name: stranger });
  });

  test('is counted: one event a kind of subject says how many refusals were left out', async () => {
    const before = await read({ type });
    expect(before.filter(({ reason }) => reason === 'left_out')).toEqual([]);
    await stop();
    const events = (await read({ type })).filter(({ reason }) => reason === 'left_out');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      outcome: 'refused',
      actor: { kind: 'service', name: 'auth-server' },
      details: { about: 'client', since: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    expect(events[0]?.details.left_out).toBeGreaterThanOrEqual(flood + flood / 2 - 1_000 - 6);
  });
});

function isBySecret({ method }: Record<string, unknown>): boolean {
  return method === 'client_secret_basic';
}
