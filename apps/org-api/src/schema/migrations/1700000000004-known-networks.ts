import { dialectOf } from '@gatehouse/service-kit/database';
import { createKnownNetworkTable, knownNetworkTable } from '@gatehouse/service-kit/guess-limit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The networks from which users signed in. */
export class KnownNetworks1700000000004 implements MigrationInterface {
  readonly name = 'KnownNetworks1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of createKnownNetworkTable(dialectOf(runner.dataSource))) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${knownNetworkTable}`);
  }
}
