import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The servers by which users sign in, the sign-ins there that are under way, and the sessions that began by one. */
export class Upstreams1700000000035 implements MigrationInterface {
  readonly name = 'Upstreams1700000000035';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes, ascii, unicode, document, flag } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE upstreams (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      alias ${ascii(32)} NOT NULL,
      display_name ${unicode(64)} NOT NULL,
      enabled ${flag} NOT NULL,
      kind ${ascii(16)} NOT NULL,
      issuer ${ascii(512)} NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      client_secret ${ascii(1024)} NULL,
      members ${document} NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`);
    await runner.query('CREATE UNIQUE INDEX upstreams_alias ON upstreams (alias)');
    await runner.query(`CREATE TABLE upstream_attempts (
      state_hash ${bytes(32)} PRIMARY KEY NOT NULL,
      id ${bytes(16)} NOT NULL,
      upstream_id ${bytes(16)} NOT NULL,
      browser_hash ${bytes(32)} NOT NULL,
      place ${ascii(16)} NOT NULL,
      carried ${document} NOT NULL,
      client_id ${ascii(255)} NULL,
      max_age bigint NULL,
      status ${ascii(16)} NOT NULL,
      account ${document} NULL,
      began_at bigint NOT NULL,
      expires_at bigint NOT NULL
    )`);
    for (const [name, column] of [
      ['id', 'id'],
      ['browser', 'browser_hash'],
      ['expiry', 'expires_at'],
    ]) {
      await runner.query(`CREATE INDEX upstream_attempts_${name} ON upstream_attempts (${column})`);
    }
    for (const [name, type] of [
      ['upstream_at', 'bigint'],
      ['upstream_level', ascii(64)],
      ['identity_id', ascii(64)],
      ['upstream_id', bytes(16)],
    ]) {
      await runner.query(`ALTER TABLE browser_sessions ADD COLUMN ${name} ${type} NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['upstream_id', 'identity_id', 'upstream_level', 'upstream_at']) {
      await runner.query(`ALTER TABLE browser_sessions DROP COLUMN ${name}`);
    }
    await runner.query('DROP TABLE upstream_attempts');
    await runner.query('DROP TABLE upstreams');
  }
}
