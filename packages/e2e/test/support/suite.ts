import {
  type Gatehouse,
  quickestDialect,
  type ServiceName,
  startGatehouse,
  testDialects,
  useSharedGatehouse,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, type test } from '@jest/globals';

export type Dialect = (typeof testDialects)[number];

type Define = (getGatehouse: () => Gatehouse, dialect: Dialect) => void;
type Environments = Partial<Record<ServiceName, Record<string, string>>>;

/** A group of tests against both services as listening processes, once for each database. */
export function describeGatehouse(title: string, define: Define, env: Environments = {}): void {
  for (const dialect of testDialects) describeOn(dialect, title, define, env);
}

/** The same for a file that only asks: its services are those that other files ask too. */
export function describeSharedGatehouse(title: string, define: Define): void {
  for (const dialect of testDialects) describeShared(dialect, title, define);
}

/** The same on one database. */
export function describeSharedGatehouseOnce(title: string, define: Define): void {
  describeShared(quickestDialect, title, define);
}

function describeShared(dialect: Dialect, title: string, define: Define): void {
  describe(`${title}, on ${dialect}`, () => {
    let gatehouse: Gatehouse;
    beforeAll(async () => {
      gatehouse = await useSharedGatehouse(dialect);
    });
    define(() => gatehouse, dialect);
  });
}

/** A pair of its own on one database, for answers that no statement has a part in. */
export function describeGatehouseOnce(title: string, define: Define, env: Environments = {}): void {
  describeOn(quickestDialect, title, define, env);
}

function describeOn(dialect: Dialect, title: string, define: Define, env: Environments): void {
  describe(`${title}, on ${dialect}`, () => {
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

/** Whether this run waits for spans of half a minute, which are the same on every database: one run of each file does. */
export const waitsLong = process.env.E2E_ALSO_ON_MYSQL === undefined;

/** In the place of `test` or `describe`, for what runs on another database; it is not counted as skipped. */
export const elsewhere = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof test & typeof describe;
