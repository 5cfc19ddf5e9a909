import { call, createTestDatabase, findFreePort, startServiceProcess } from '@gatehouse/test-kit';
import { expect, it } from '@jest/globals';

it('publishes no empty key set while it has no keys', async () => {
  const database = await createTestDatabase('sqlite');
  const service = await startServiceProcess({
    name: 'auth-server',
    port: await findFreePort(),
    env: { DATABASE_URL: database.url, MIGRATE_ON_START: 'false' },
    until: 'live',
  });
  try {
    const { status, headers, json } = await call(`${service.url}/oauth/jwks`);
    expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    // RFC 9110 15.1: without a word about it a 503 is not kept.
    expect(headers['cache-control'] ?? 'no-store').toBe('no-store');
    expect(headers).not.toHaveProperty('expires');
    expect(json()).not.toHaveProperty('keys');
  } finally {
    await service.stop();
    await database.drop();
  }
});
