import { call, type Gatehouse, type ServiceProcess } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { passwordKind, registerClient } from './support/clients.ts';
import { administrator } from './support/people.ts';
import { startBeside } from './support/services.ts';
import { describeGatehouseOnce } from './support/suite.ts';

const outside = 'https://app.example.com/back-channel';
const local = [
  'http://localhost:8080/logout',
  'https://localhost/logout',
  'https://LOCALHOST./logout',
  'https://app.localhost/logout',
  'https://127.0.0.1/logout',
  'https://127.9.8.7:8443/logout',
  'https://0x7f.1/logout',
  'https://[::1]/logout',
  'https://[::ffff:127.0.0.1]/logout',
  'https://0.0.0.0/logout',
];

describeGatehouseOnce('a backchannel_logout_uri on this machine', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let production: ServiceProcess;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    production = await startBeside(gatehouse, 'auth-server', { NODE_ENV: 'production' });
  });
  afterAll(() => production.stop());

  const buildClient = (uri: string) => ({
    ...passwordKind({ client_secret: 'a-secret-that-is-long-enough' }),
    backchannel_logout_uri: uri,
  });
  const send = (path: string, method: string, json: object) =>
    call(`${production.url}${path}`, { method, json, basic: administrator });
  const faultyFields = (answer: Awaited<ReturnType<typeof send>>) =>
    answer.json<{ errors?: { field: string }[] }>().errors?.map(({ field }) => field);

  test.each(local)('is refused in production, at registration and in a change: %s', async (uri) => {
    const refused = await send('/clients', 'POST', buildClient(uri));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('backchannel_logout_uri must not')]);
    const client = buildClient(outside);
    expect((await send('/clients', 'POST', client)).status).toBe(200);
    const change = await send(`/clients/${client.client_id}`, 'PATCH', { backchannel_logout_uri: uri });
    expect([change.status, faultyFields(change)]).toEqual([400, ['backchannel_logout_uri']]);
  });

  test('is taken outside production, and a client that has one can be changed in production', async () => {
    const client = buildClient('http://localhost:8080/logout');
    await registerClient(gatehouse, client);
    const change = await send(`/clients/${client.client_id}`, 'PATCH', { access_token_validity: 60 });
    expect(change.status).toBe(200);
    expect(change.json()).toMatchObject({ backchannel_logout_uri: client.backchannel_logout_uri });
    const taken = await send(`/clients/${client.client_id}`, 'PATCH', { backchannel_logout_uri: null });
    expect(taken.status).toBe(200);
  });
});
