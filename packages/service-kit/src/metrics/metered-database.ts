import type { StatementReading } from '../database/cluster-statements.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts';
import { isDatabaseOutOfReach, isDeadlock, isDuplicateKey } from '../database/database-errors.ts';
import { StatementError } from '../database/statement-error.ts';
import type { Metrics } from './metrics.ts';

const errorKinds = ['deadlock', 'out_of_reach', 'other'] as const;

/** Opens a database with metrics: whether it can be used, its connections, and its errors. */
export function openMeteredDatabase(metrics: Metrics, options: DatabaseOptions): Database {
  const errors = metrics.counter({
    name: 'gatehouse_database_errors_total',
    help: 'Statements that failed: given up as a deadlock, the database out of reach, anything else',
    labelNames: ['kind'],
  });
  for (const kind of errorKinds) errors.add([kind], 0);
  const count = (error: unknown) => {
    // A unique key that refuses a row decides a race. That is an answer and no error.
    if (!isDuplicateKey(error)) errors.add([kindOf(error)]);
  };
  const database = openDatabase({ ...options, onStatementError: count });
  reportReadiness(metrics, database);
  reportPool(metrics, database);
  return countRefusedConnections(database, count);
}

/** A failure before there is a connection to send a statement by is no failed statement. */
function countRefusedConnections(database: Database, count: (error: unknown) => void): Database {
  const note = (error: unknown): never => {
    if (!(error instanceof StatementError) && isDatabaseOutOfReach(error)) count(error);
    throw error;
  };
  return {
    ...database,
    query: <Row>(sql: string, parameters?: readonly unknown[], reading?: StatementReading) =>
      database.query<Row>(sql, parameters, reading).catch(note),
    execute: (sql, parameters, reading) => database.execute(sql, parameters, reading).catch(note),
  };
}

function kindOf(error: unknown): (typeof errorKinds)[number] {
  if (isDeadlock(error)) return 'deadlock';
  return isDatabaseOutOfReach(error) ? 'out_of_reach' : 'other';
}

function reportReadiness(metrics: Metrics, database: Database): void {
  const definition = {
    name: 'gatehouse_database_ready',
    help: 'Whether the database answers and has the schema of this version, as /health/ready says',
  };
  metrics.gauge(definition, async () => [
    [
      [],
      await database.check().then(
        () => 1,
        () => 0,
      ),
    ],
  ]);
}

function reportPool(metrics: Metrics, database: Database): void {
  const connections = {
    name: 'gatehouse_database_connections',
    help: 'Connections to the database, in use and idle; none with SQLite',
    labelNames: ['state'],
  };
  metrics.gauge(connections, () => {
    const pool = database.pool();
    return pool === undefined
      ? []
      : [
          [['in_use'], pool.inUse],
          [['idle'], pool.idle],
        ];
  });
  const waiting = {
    name: 'gatehouse_database_connection_requests_waiting',
    help: 'Statements that wait for a connection; none with SQLite',
  };
  metrics.gauge(waiting, () => {
    const pool = database.pool();
    return pool === undefined ? [] : [[[], pool.waiting]];
  });
}
