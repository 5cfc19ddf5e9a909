import type { Logger } from 'typeorm';

/** TypeORM tells its logger of every statement that failed, whoever sent it; nothing else it says is heard. */
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
