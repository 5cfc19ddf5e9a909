import type { DataSource } from 'typeorm';
import { type DatabaseSchema, dialectOf } from '../database-schema.ts';
import type { DatabaseUrl } from '../database-url.ts';
import { connectDataSource } from './data-source.ts';

// At most 64 characters on MySQL, whatever the database is called; locks belong to the server, not to a database.
const lockName = "CONCAT('gatehouse.', LEFT(SHA2(DATABASE(), 256), 40))";
const lockTimeout = 60;

/**
 * Brings the schema up to date. Two migrations at once are harmless: on MySQL the second waits for the first on a named lock
 * (DDL commits there on its own, so a transaction would not help); SQLite has one writer anyway.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  if (dialectOf(dataSource) === 'sqlite') {
    await dataSource.runMigrations({ transaction: 'all' });
    return;
  }
  const holder = dataSource.createQueryRunner();
  try {
    const [row = {}] = (await holder.query(`SELECT GET_LOCK(${lockName}, ?) AS got`, [lockTimeout])) as object[];
    // By its place: Vitess gives the column of a lone lock function a name of its own.
    if (Number(Object.values(row)[0]) !== 1) throw new Error('another migration has held the lock for too long');
    await dataSource.runMigrations({ transaction: 'none' });
    await holder.query(`SELECT RELEASE_LOCK(${lockName})`);
  } finally {
    await holder.release();
  }
}

/** Opens the database, migrates it and closes it. `migrate.js` runs this. */
export async function migrateDatabase(options: { url: DatabaseUrl } & DatabaseSchema): Promise<void> {
  const dataSource = await connectDataSource(options);
  try {
    await migrate(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
