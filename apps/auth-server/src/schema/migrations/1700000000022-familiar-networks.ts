import { addKnownSince, knownNetworkTable } from '@gatehouse/service-kit/guess-limit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when a network is known. */
export class FamiliarNetworks1700000000022 implements MigrationInterface {
  readonly name = 'FamiliarNetworks1700000000022';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(addKnownSince);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${knownNetworkTable} DROP COLUMN known_since`);
  }
}
