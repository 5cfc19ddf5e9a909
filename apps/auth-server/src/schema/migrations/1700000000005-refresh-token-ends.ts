import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** When a refresh token ends for good, and from which network the one before it was used. */
export class RefreshTokenEnds1700000000005 implements MigrationInterface {
  readonly name = 'RefreshTokenEnds1700000000005';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes } = columnWords[dialectOf(runner.dataSource)];
    await runner.query('ALTER TABLE refresh_tokens ADD COLUMN ends_at bigint');
    await runner.query(`ALTER TABLE refresh_tokens ADD COLUMN rotated_from ${bytes(32)}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of ['ends_at', 'rotated_from']) {
      await runner.query(`ALTER TABLE refresh_tokens DROP COLUMN ${column}`);
    }
  }
}
