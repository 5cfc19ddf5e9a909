import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Clients that are disabled, when their secrets were set, and when they were used. */
export class ClientStates1700000000024 implements MigrationInterface {
  readonly name = 'ClientStates1700000000024';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, bytes, document, flag, integer } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`ALTER TABLE clients ADD COLUMN enabled ${flag} NOT NULL DEFAULT 1`);
    await runner.query(`ALTER TABLE clients ADD COLUMN kept_settings ${document} NULL`);
    await runner.query(`ALTER TABLE clients ADD COLUMN code_generation ${integer} NOT NULL DEFAULT 0`);
    await runner.query('ALTER TABLE clients ADD COLUMN secret_set_at bigint NULL');
    await runner.query(`CREATE TABLE client_uses (
      registration ${bytes(16)} NOT NULL,
      kind ${ascii(32)} NOT NULL,
      used_at bigint NOT NULL,
      PRIMARY KEY (registration, kind))`);
    await runner.query('CREATE INDEX client_uses_time ON client_uses (kind, used_at, registration)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE client_uses');
    for (const name of ['enabled', 'kept_settings', 'code_generation', 'secret_set_at']) {
      await runner.query(`ALTER TABLE clients DROP COLUMN ${name}`);
    }
  }
}
