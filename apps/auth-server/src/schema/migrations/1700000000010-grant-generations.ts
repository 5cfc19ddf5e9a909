import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The generation before which the codes and refresh tokens of a client are ended, and the one of each of them. */
export class GrantGenerations1700000000010 implements MigrationInterface {
  readonly name = 'GrantGenerations1700000000010';

  async up(runner: QueryRunner): Promise<void> {
    const { integer } = columnWords[dialectOf(runner.dataSource)];
    for (const [table, column] of added) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column} ${integer} NOT NULL DEFAULT 0`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, column] of added) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
}

const added = [
  ['clients', 'grant_generation'],
  ['authorization_codes', 'client_generation'],
  ['refresh_tokens', 'client_generation'],
] as const;
