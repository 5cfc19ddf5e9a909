import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clients that let groups in get their terms written once more: each group is one of them. */
export class AllowedGroupTerms1700000000040 implements MigrationInterface {
  readonly name = 'AllowedGroupTerms1700000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE clients SET terms_at = 0 WHERE metadata LIKE '%"allowed_groups"%'`);
  }

  /** A term that nobody looks for harms nobody. */
  async down(): Promise<void> {}
}
