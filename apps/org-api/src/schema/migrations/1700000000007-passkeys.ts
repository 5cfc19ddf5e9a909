import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys, and the hashes of those that were deleted. */
export class Passkeys1700000000007 implements MigrationInterface {
  readonly name = 'Passkeys1700000000007';

  async up(runner: QueryRunner): Promise<void> {
    const mysql = dialectOf(runner.dataSource) === 'mysql';
    const ascii = (length: number) => `varchar(${length})${mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''}`;
    const unicode = (length: number) =>
      `varchar(${length})${mysql ? ' CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : ''}`;
    const bytes = (length: number) => (mysql ? `binary(${length})` : 'blob');
    const flag = mysql ? 'tinyint' : 'integer';
    await runner.query(`CREATE TABLE passkeys (
      credential_hash ${bytes(32)} NOT NULL PRIMARY KEY,
      id ${bytes(16)} NOT NULL,
      credential_id blob NOT NULL,
      user_id ${bytes(16)} NOT NULL,
      user_handle blob NOT NULL,
      public_key blob NOT NULL,
      sign_count bigint NOT NULL,
      backup_eligible ${flag} NOT NULL,
      backed_up ${flag} NOT NULL,
      user_verified ${flag} NOT NULL,
      transports ${ascii(255)} NOT NULL,
      aaguid ${ascii(36)} NOT NULL,
      name ${unicode(64)} NOT NULL,
      created_at bigint NOT NULL,
      last_used_at bigint NULL)`);
    await runner.query('CREATE INDEX passkeys_user_id ON passkeys (user_id)');
    await runner.query(`CREATE TABLE deleted_passkeys (
      credential_hash ${bytes(32)} NOT NULL PRIMARY KEY,
      expires_at bigint NOT NULL)`);
    await runner.query('CREATE INDEX deleted_passkeys_expires_at ON deleted_passkeys (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deleted_passkeys');
    await runner.query('DROP TABLE passkeys');
  }
}
