import { createServer } from '@gatehouse/service-kit/http';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { ProblemDetails } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { authServerErrorHandler } from '../src/http/error-handlers.ts';
import { registerJwks } from '../src/keys/jwks-endpoint.ts';
import { meterSigningKeys } from '../src/keys/meter-signing-keys.ts';
import type { SigningKeys } from '../src/keys/signing-keys.ts';
import { silentLog } from './support/stores.ts';

/** Keys that are not read yet, as where the database is away when the service starts. */
function createUnreadKeys() {
  const state = { isAway: true };
  const load = async () => {
    if (state.isAway) throw new Error('out of reach');
  };
  return { state, keys: { load, summary: () => [], publicKeys: () => [] } as unknown as SigningKeys };
}

describe('the key set before the keys are read', () => {
  it('is a 503 that no verifier takes for a set without keys', async () => {
    const app = createServer({ log: silentLog, trustProxy: false, publicUrl: 'http://localhost:9000' });
    app.setErrorHandler(authServerErrorHandler);
    app.addSchema(ProblemDetails);
    await registerJwks(app, { signingKeys: createUnreadKeys().keys });
    const answer = await app.inject('/oauth/jwks');
    await app.close();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(answer.headers['cache-control']).toBeUndefined();
    expect(answer.json()).toMatchObject({ detail: 'the signing keys are not there yet' });
  });

  it('shows in the figures how often they were read, and how often that failed', async () => {
    const metrics = createMetrics();
    const { state, keys } = createUnreadKeys();
    const metered = meterSigningKeys(keys, metrics, Date.now);
    await expect(metered.load()).rejects.toThrow('out of reach');
    await expect(metered.load()).rejects.toThrow('out of reach');
    state.isAway = false;
    await metered.load();
    const lines = (await metrics.print()).split('\n').filter((line) => line.includes('_reads_total{'));
    expect(lines).toEqual([
      'gatehouse_signing_key_reads_total{outcome="read"} 1',
      'gatehouse_signing_key_reads_total{outcome="failed"} 2',
    ]);
  });
});
