import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** Which upstream has a domain: one at most. */
export class UpstreamDomains1700000000036 implements MigrationInterface {
  readonly name = 'UpstreamDomains1700000000036';

  async up(runner: QueryRunner): Promise<void> {
    const { bytes, ascii } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE upstream_domains (
      domain ${ascii(253)} PRIMARY KEY NOT NULL,
      upstream_id ${bytes(16)} NOT NULL,
      taken_at bigint NOT NULL
    )`);
    await runner.query('CREATE INDEX upstream_domains_upstream ON upstream_domains (upstream_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE upstream_domains');
  }
}
