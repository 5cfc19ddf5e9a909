import type { DataSource } from 'typeorm';
import type { Statements } from './open-statements.ts';

/** SQLite has one connection, TypeORM's own; closing ends it. */
export function createSqliteStatements(dataSource: DataSource): Statements {
  return {
    query: <Row>(sql: string, parameters: readonly unknown[]) => dataSource.query<Row[]>(sql, [...parameters]),
    async execute(sql, parameters) {
      const runner = dataSource.createQueryRunner();
      try {
        const result = await runner.query(sql, [...parameters], true);
        return result.affected ?? 0;
      } finally {
        await runner.release();
      }
    },
    pool: () => undefined,
    close: () => dataSource.destroy(),
  };
}
