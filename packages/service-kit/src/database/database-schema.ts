import type { DataSource, EntitySchemaOptions, MigrationInterface, ObjectLiteral } from 'typeorm';
import type { Dialect } from './database-url.ts';

/** The tables of a service and their migrations, told to TypeORM where a migration is due (`schema/`). */
export interface DatabaseSchema {
  /** Entities, mapped to the column types of the dialect. */
  entities(dialect: Dialect): EntitySchemaOptions<ObjectLiteral>[];
  /** Oldest first. */
  migrations: readonly Migration[];
}

/** Its name is the one by which the database remembers it. */
export type Migration = new () => MigrationInterface & { readonly name: string };

/** The dialect of a connection of TypeORM. MariaDB speaks MySQL's. */
export function dialectOf({ options }: DataSource): Dialect {
  return options.type === 'better-sqlite3' ? 'sqlite' : 'mysql';
}
