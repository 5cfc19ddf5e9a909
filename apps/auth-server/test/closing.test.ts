import { intervalsAlone } from '@gatehouse/test-kit';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { startRealm, webClient } from './support/realm.ts';

beforeEach(() => void jest.useFakeTimers(intervalsAlone));
afterEach(() => {
  jest.useRealTimers();
});

it('auth-server stores at its end what the audit log still waits for, closes the database, and repeats nothing more', async () => {
  const realm = await startRealm();
  const { database, metrics } = realm.deps;
  const form = { grant_type: 'client_credentials' };
  expect((await realm.tokenRequest({ client_id: webClient.client_id, client_secret: 'wrong' }, form)).status).toBe(401);
  expect(jest.getTimerCount()).toBeGreaterThan(0);
  await realm.close();
  expect(await metrics.print()).toContain('gatehouse_audit_events_total{outcome="stored"} 1\n');
  await expect(database.query('SELECT 1')).rejects.toThrow();
  expect(jest.getTimerCount()).toBe(0);
});
