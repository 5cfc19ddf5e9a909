import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When clients got all roles by an administrator who has them. Of clients that are there it is not known. */
export class GivenCeilings1700000000030 implements MigrationInterface {
  readonly name = 'GivenCeilings1700000000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE clients ADD COLUMN ceiling_given_at bigint NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE clients DROP COLUMN ceiling_given_at');
  }
}
