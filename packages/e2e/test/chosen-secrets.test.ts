import { type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { passwordKind, postClient, registerClient } from './support/clients.ts';
import { administrator } from './support/people.ts';
import { describeGatehouseOnce } from './support/suite.ts';
import { getUserTokens } from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';

const secretOf = (length: number) => uniqueName('s').padEnd(length, 'x').slice(0, length);
const replaceSecret = ({ authUrl }: Gatehouse, id: string, json: object) =>
  call(`${authUrl}/clients/${id}/secret`, { basic: administrator, json } satisfies CallOptions);

const production = { NODE_ENV: 'production' };

describeGatehouseOnce(
  'a client secret that a person chooses, in production',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    beforeAll(() => {
      gatehouse = getGatehouse();
    });

    it('has at least 16 characters where a client is registered', async () => {
      const short = await postClient(gatehouse, passwordKind({ client_secret: secretOf(15) }));
      expect([short.status, short.text]).toEqual([
        400,
        expect.stringMatching(/^creation of client .* failed: client_secret must have at least 16 characters$/),
      ]);
      expect((await postClient(gatehouse, passwordKind({ client_secret: secretOf(16) }))).status).toBe(200);
    });

    it('has at least 16 characters where a secret is replaced; what the server makes is longer', async () => {
      const client = await registerClient(gatehouse, passwordKind({ client_secret: secretOf(16) }));
      const short = await replaceSecret(gatehouse, client[0], { client_secret: secretOf(15) });
      expect([short.status, short.text]).toEqual([400, expect.stringContaining('client_secret must have at least 16')]);
      await getUserTokens(gatehouse, client);
      expect((await replaceSecret(gatehouse, client[0], { client_secret: secretOf(16) })).status).toBe(200);
      expect((await replaceSecret(gatehouse, client[0], {})).status).toBe(200);
    });
  },
  { 'auth-server': production },
);

describeGatehouseOnce('a client secret that a person chooses, in development', (getGatehouse) => {
  it('may be short, and the log says for which client, but not which', async () => {
    const gatehouse = getGatehouse();
    const [registered, replaced, long] = [secretOf(15), secretOf(14), secretOf(16)];
    const client = await registerClient(gatehouse, passwordKind({ client_secret: registered }));
    await getUserTokens(gatehouse, client);
    const other = await registerClient(gatehouse, passwordKind({ client_secret: long }));
    expect((await replaceSecret(gatehouse, other[0], { client_secret: replaced })).status).toBe(200);
    const third = await registerClient(gatehouse, passwordKind({ client_secret: long }));
    const lines = gatehouse.output().split('\n');
    const warnings = lines.filter((line) => line.includes('fewer than 16 characters'));
    expect(warnings.map((line) => JSON.parse(line).clientId)).toEqual([client[0], other[0]]);
    expect(warnings.join()).not.toContain(third[0]);
    for (const secret of [registered, replaced, long]) expect(gatehouse.output()).not.toContain(secret);
  });
});
