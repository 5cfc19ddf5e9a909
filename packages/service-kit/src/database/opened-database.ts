import type { Logger } from '../logging.ts';
import type { DatabaseSchema } from './database-schema.ts';
import type { DatabaseUrl } from './database-url.ts';
import type { Statements } from './open-statements.ts';

export interface OpeningOptions extends DatabaseSchema {
  url: DatabaseUrl;
  /** The most connections to a MySQL server; 10 if left out. */
  poolSize?: number;
  migrateOnStart: boolean;
  log: Logger;
  /** Called for every failed statement, before it is sent again or its caller learns of it. */
  onStatementError?(error: unknown): void;
}

/** A database whose schema is up to date. */
export interface OpenedDatabase {
  statements: Statements;
  /** Whether several servers take writes. */
  isMultiPrimary: boolean;
}
