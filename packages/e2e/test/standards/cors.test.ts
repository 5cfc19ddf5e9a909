import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { registerPublic } from '../journeys/support/registration.ts';
import { administrator } from '../support/people.ts';
import { describeSharedGatehouse } from '../support/suite.ts';
import { uniqueName } from '../support/unique.ts';

/** Milliseconds after which every replica knows of a change; a busy machine is slower. */
const known = 1_700;

describeSharedGatehouse('Fetch 3.2 (CORS)', (getGatehouse) => {
  let gatehouse: Gatehouse;
  beforeAll(() => {
    gatehouse = getGatehouse();
  });

  /** What preflights say, each by a connection of its own, so that every replica answers some. */
  const ask = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST', connection: 'close' };
    const asked = Array.from({ length: 8 }, () =>
      call(`${gatehouse.authUrl}/oauth/token`, { method: 'OPTIONS', headers }),
    );
    const answers = await Promise.all(asked);
    return [...new Set(answers.map((answer) => answer.headers['access-control-allow-origin']))];
  };

  it('a preflight knows the origins of clients at every replica a second after they were registered or deleted', async () => {
    const origin = `https://${uniqueName('page')}.example.com`;
    expect(await ask(origin)).toEqual(['*']);
    const clientId = await registerPublic(gatehouse, { redirect_uri: `${origin}/callback` });
    await sleep(known);
    expect(await ask(origin)).toEqual([origin]);
    const path = `${gatehouse.authUrl}/clients/${clientId}`;
    expect((await call(path, { method: 'DELETE', basic: administrator })).status).toBe(204);
    await sleep(known);
    expect(await ask(origin)).toEqual(['*']);
  });
});
