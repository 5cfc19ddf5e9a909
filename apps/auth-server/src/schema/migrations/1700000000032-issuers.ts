import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The issuers whose tokens clients may prove themselves by. */
export class Issuers1700000000032 implements MigrationInterface {
  readonly name = 'Issuers1700000000032';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes, ascii, unicode, document } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE issuers (
      id ${bytes(16)} PRIMARY KEY NOT NULL,
      issuer_hash ${bytes(32)} NOT NULL,
      issuer ${ascii(512)} NOT NULL,
      name ${unicode(128)} NOT NULL,
      kind ${ascii(16)} NOT NULL,
      jwks ${document} NULL,
      jwks_uri ${ascii(512)} NULL,
      signature_algorithms ${ascii(255)} NOT NULL,
      created_at bigint NOT NULL,
      updated_at bigint NOT NULL
    )`);
    await runner.query('CREATE UNIQUE INDEX issuers_issuer ON issuers (issuer_hash)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE issuers');
  }
}
