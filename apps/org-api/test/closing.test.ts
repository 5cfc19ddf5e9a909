import { intervalsAlone } from '@gatehouse/test-kit';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { startOrganization } from './support/organization.ts';

beforeEach(() => void jest.useFakeTimers(intervalsAlone));
afterEach(() => {
  jest.useRealTimers();
});

it('org-api stores at its end what the audit log still waits for, closes the database, and repeats nothing more', async () => {
  const organization = await startOrganization('sqlite');
  const { audit, database, metrics } = organization.deps;
  audit.note({ type: 'administrator.refused', reason: 'role_missing', actor: { kind: 'client', name: 'robot' } });
  expect(jest.getTimerCount()).toBeGreaterThan(0);
  await organization.close();
  expect(await metrics.print()).toContain('gatehouse_audit_events_total{outcome="stored"} 1\n');
  await expect(database.query('SELECT 1')).rejects.toThrow();
  expect(jest.getTimerCount()).toBe(0);
});
