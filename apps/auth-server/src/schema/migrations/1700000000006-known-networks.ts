import { dialectOf } from '@gatehouse/service-kit/database';
import { createKnownNetworkTable, knownNetworkTable } from '@gatehouse/service-kit/guess-limit';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The networks from which clients authenticated, and digests of the secrets that the server made. */
export class KnownNetworks1700000000006 implements MigrationInterface {
  readonly name = 'KnownNetworks1700000000006';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    for (const statement of createKnownNetworkTable(dialect)) await runner.query(statement);
    for (const column of digests) {
      await runner.query(`ALTER TABLE clients ADD COLUMN ${column} ${columnWords[dialect].ascii(80)}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of digests) await runner.query(`ALTER TABLE clients DROP COLUMN ${column}`);
    await runner.query(`DROP TABLE ${knownNetworkTable}`);
  }
}

const digests = ['secret_digest', 'previous_secret_digest'];
