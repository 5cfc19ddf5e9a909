import { type Gatehouse, type ServiceName, startGatehouse, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, type test } from '@jest/globals';

export type Dialect = (typeof testDialects)[number];

/** A group of tests against both services as listening processes, once for each database. */
export function describeGatehouse(
  title: string,
  define: (getGatehouse: () => Gatehouse, dialect: Dialect) => void,
  env: Partial<Record<ServiceName, Record<string, string>>> = {},
): void {
  describe.each(testDialects)(`${title}, on %s`, (dialect) => {
    let gatehouse: Gatehouse;
    beforeAll(async () => {
      gatehouse = await startGatehouse({ dialect, env });
    });
    afterAll(() => gatehouse?.stop());
    define(() => gatehouse, dialect);
  });
}

/** A group of tests that mean something on MySQL alone: several processes on one database server. */
export function describeOnMysql(title: string, define: (dialect: Dialect) => void): void {
  const group = testDialects.includes('mysql') ? describe : describe.skip;
  group(`${title}, on mysql`, () => define('mysql'));
}

/** In the place of `test` or `describe`, for what runs on another database; it is not counted as skipped. */
export const elsewhere = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof test & typeof describe;
