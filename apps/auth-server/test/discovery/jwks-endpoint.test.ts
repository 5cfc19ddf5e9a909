import { createServer } from '@gatehouse/service-kit/http';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { ProblemDetails } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { authServerErrorHandler } from '../../src/http/error-handlers.ts';
import { registerJwks } from '../../src/keys/jwks-endpoint.ts';
import { meterSigningKeys } from '../../src/keys/meter-signing-keys.ts';
import type { SigningKeys } from '../../src/keys/signing-keys.ts';
import { silentLog } from '../support/stores.ts';

/** Keys that are not read yet, as where the database is away when the service starts. */
function createUnreadKeys() {
  const state = { isAway: true };
  const load = async () => {
    if (state.isAway) throw new Error('out of reach');
  };
  return { state, keys: { load, summary: () => [], publicKeys: () => [] } as unknown as SigningKeys };
}

describe('the figures of the keys', () => {
  it('tell how many there are in each state, and of those that sign since when and how long yet', async () => {
    const metrics = createMetrics();
    const now = 1_000_000;
    const keyOf = (algorithm: string, state: string, signFrom: number, expiresAt: number) => ({
      ...{ algorithm, state, signFrom, expiresAt },
    });
    const keys = [
      keyOf('ES256', 'retiring', 1_000, 1_001_000),
      keyOf('ES256', 'retiring', 2_000, 1_002_000),
      keyOf('ES256', 'signing', 998_500, 1_090_000),
      keyOf('RS256', 'signing', 999_000, 1_005_000),
      keyOf('RS256', 'waiting', 1_001_000, 1_095_000),
    ];
    meterSigningKeys({ summary: () => keys } as unknown as SigningKeys, metrics, () => now);
    const lines = (await metrics.print()).split('\n').filter((line) => line.includes('{algorithm='));
    expect(lines).toEqual([
      'gatehouse_signing_key_age_seconds{algorithm="ES256"} 1.5',
      'gatehouse_signing_key_age_seconds{algorithm="RS256"} 1',
      'gatehouse_signing_key_remaining_seconds{algorithm="ES256"} 90',
      'gatehouse_signing_key_remaining_seconds{algorithm="RS256"} 5',
      'gatehouse_signing_keys{algorithm="ES256",state="waiting"} 0',
      'gatehouse_signing_keys{algorithm="ES256",state="signing"} 1',
      'gatehouse_signing_keys{algorithm="ES256",state="retiring"} 2',
      'gatehouse_signing_keys{algorithm="RS256",state="waiting"} 1',
      'gatehouse_signing_keys{algorithm="RS256",state="signing"} 1',
      'gatehouse_signing_keys{algorithm="RS256",state="retiring"} 0',
    ]);
  });
});

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
