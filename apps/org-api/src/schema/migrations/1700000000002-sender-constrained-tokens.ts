import { dialectOf } from '@gatehouse/service-kit/database';
import { createUsedIdentifierTable } from '@gatehouse/service-kit/used-identifiers';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables for DPoP (RFC 9449): used identifiers of proofs, and the key for nonces that all replicas share. */
export class SenderConstrainedTokens1700000000002 implements MigrationInterface {
  readonly name = 'SenderConstrainedTokens1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    const dialect = dialectOf(runner.dataSource);
    for (const statement of createUsedIdentifierTable(dialect)) await runner.query(statement);
    const types =
      dialect === 'mysql'
        ? { name: 'varchar(64) CHARACTER SET ascii COLLATE ascii_bin', value: 'binary(32)' }
        : { name: 'varchar(64)', value: 'blob' };
    await runner.query(`CREATE TABLE shared_keys (
      name ${types.name} PRIMARY KEY NOT NULL,
      value ${types.value} NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shared_keys');
    await runner.query('DROP TABLE used_identifiers');
  }
}
