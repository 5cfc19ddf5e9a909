import mysql2 from 'mysql2';
import { DataSource, type DataSourceOptions, EntitySchema } from 'typeorm';
import type { DatabaseSchema } from '../database-schema.ts';
import type { DatabaseServer } from '../database-server.ts';
import type { DatabaseUrl, MysqlUrl } from '../database-url.ts';
import { migrationTable } from '../migrations-done.ts';
import { buildPoolOptions, findServer } from '../mysql-server.ts';
import { openSqlite, type SqliteConnection } from '../sqlite-connection.ts';

/** Connects; rejects where the server is out of reach. */
export async function connectDataSource({
  url,
  ...schema
}: DatabaseSchema & { url: DatabaseUrl }): Promise<DataSource> {
  if (url.dialect === 'sqlite') return openSqliteDataSource(openSqlite(url.path), schema);
  const { server, address } = await findServer(url);
  return openDataSource(mysqlOptions({ ...url, ...address }, server, schema));
}

/** On a connection that there is. To destroy the data source closes it. */
export function openSqliteDataSource(connection: SqliteConnection, schema: DatabaseSchema): Promise<DataSource> {
  // TypeORM calls its driver as a constructor, and takes what that gives as its connection.
  const driver = function lend() {
    return connection;
  };
  return openDataSource({ ...commonOptions('sqlite', schema), type: 'better-sqlite3', database: ':memory:', driver });
}

function openDataSource(options: DataSourceOptions): Promise<DataSource> {
  return new DataSource(options).initialize();
}

function commonOptions(dialect: DatabaseUrl['dialect'], { entities, migrations }: DatabaseSchema) {
  return {
    entities: entities(dialect).map((options) => new EntitySchema(options)),
    migrations: [...migrations],
    migrationsTableName: migrationTable,
    logging: false,
  };
}

/** A migration holds its lock by one connection, and works by another. */
function mysqlOptions(url: MysqlUrl, { type }: DatabaseServer, schema: DatabaseSchema): DataSourceOptions {
  const { user, connectionLimit, queueLimit, ...connection } = buildPoolOptions(url, 2);
  return {
    ...commonOptions('mysql', schema),
    ...connection,
    type,
    // Left to itself TypeORM asks for mysql2 by name, and finds a second one outside of the bundle.
    driver: { createPool: mysql2.createPool },
    username: user,
    poolSize: connectionLimit,
    extra: { queueLimit },
  };
}
