import type { Database } from '../database/database.ts';
import type { SpanDescription, Tracing } from './tracing.ts';

/** The most statements whose description is kept. There are fewer, apart from statements that take lists. */
const most = 500;

/** Adds a span for each statement, named by its operation and its table. It holds no text and no parameter of the statement. */
export function traceDatabase(database: Database, tracing: Tracing | undefined): Database {
  if (tracing === undefined) return database;
  const descriptions = new Map<string, SpanDescription>();
  const describe = (sql: string): SpanDescription => {
    const known = descriptions.get(sql);
    if (known !== undefined) return known;
    const description = describeStatement(sql, database.dialect);
    if (descriptions.size < most) descriptions.set(sql, description);
    return description;
  };
  return {
    ...database,
    query: (sql, parameters, reading) => tracing.inSpan(describe(sql), () => database.query(sql, parameters, reading)),
    execute: (sql, parameters, reading) =>
      tracing.inSpan(describe(sql), () => database.execute(sql, parameters, reading)),
  };
}

/** The table is not that of a statement in parentheses. */
const statement =
  /^\s*(SELECT|INSERT|UPDATE|DELETE)\b(?:(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\b(?:FROM|INTO)\s|\s+)\s*`?(\w+)/i;

function describeStatement(sql: string, dialect: string): SpanDescription {
  const [, verb = 'statement', table] = statement.exec(sql) ?? [];
  const operation = verb.toUpperCase();
  return {
    name: table === undefined ? operation : `${operation} ${table}`,
    kind: 'client',
    attributes: {
      'db.system.name': dialect,
      'db.operation.name': operation,
      ...(table === undefined ? {} : { 'db.collection.name': table }),
    },
  };
}
