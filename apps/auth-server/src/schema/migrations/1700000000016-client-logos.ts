import { dialectOf } from '@gatehouse/service-kit/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnWords } from './column-words.ts';

/** The logos that administrators put for clients. */
export class ClientLogos1700000000016 implements MigrationInterface {
  readonly name = 'ClientLogos1700000000016';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, bytes, file } = columnWords[dialectOf(runner.dataSource)];
    await runner.query(`CREATE TABLE client_logos (
      registration_id ${bytes(16)} PRIMARY KEY NOT NULL,
      client_id ${ascii(255)} NOT NULL,
      image ${file} NOT NULL,
      digest ${bytes(32)} NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE client_logos');
  }
}
