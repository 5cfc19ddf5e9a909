import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/**
 * How users sign in. All is NULL in rows of the release before: their users had passwords. `acr_values` and `max_age` of a
 * device code are what the device asked for.
 */
export class Levels1700000000020 implements MigrationInterface {
  readonly name = 'Levels1700000000020';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, added] of listColumns(runner)) {
      for (const column of added) await runner.query(`ALTER TABLE ${table} ADD COLUMN ${column}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table, added] of listColumns(runner)) {
      for (const column of added) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column.split(' ')[0]}`);
    }
  }
}

function listColumns(runner: QueryRunner) {
  const { ascii, integer, flag } = columnWords[dialectOf(runner.dataSource)];
  const authentication = [`acr ${ascii(64)} NULL`, `amr ${ascii(64)} NULL`];
  return Object.entries({
    browser_sessions: [
      ...['password_at', 'code_at', 'passkey_at'].map((name) => `${name} bigint NULL`),
      `passkey_uv ${flag} NOT NULL DEFAULT 0`,
    ],
    authorization_codes: authentication,
    refresh_tokens: authentication,
    device_codes: [...authentication, `acr_values ${ascii(255)} NULL`, `asked_max_age ${integer} NULL`],
    resources: [`required_acr ${ascii(64)} NULL`, `max_age ${integer} NULL`],
  });
}
