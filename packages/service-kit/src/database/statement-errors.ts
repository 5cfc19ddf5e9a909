import type { Logger } from 'typeorm';

/** TypeORM calls its logger for every failed statement. This logger ignores everything else. */
export function createStatementErrorLogger(onStatementError: (error: unknown) => void): Logger {
  const ignore = () => {};
  return {
    logQueryError: (error) => onStatementError(error),
    logQuery: ignore,
    logQuerySlow: ignore,
    logSchemaBuild: ignore,
    logMigration: ignore,
    log: ignore,
  };
}
