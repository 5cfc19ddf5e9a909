import type { Socket } from 'node:net';
import { findFreePort } from '@gatehouse/test-kit';
import { type Connection, createServer } from 'mysql2';
import { testSchema } from './test-service.ts';

/** Rows; or how many rows were matched; or a fault, by the number that MySQL gives it. */
export type Answer = readonly Record<string, unknown>[] | { affectedRows: number } | { code: number; message: string };

/** Speaks MySQL's protocol and has no rows: it answers what a test says. For how a service talks to a server, not for SQL. */
export interface ScriptedServer {
  port: number;
  /** What it was told, in order, with the number of the connection. */
  sent: { connection: number; sql: string }[];
  /** The statements alone that a pattern fits. */
  find(pattern: RegExp): string[];
  /** Ends all connections, and takes no more. */
  close(): Promise<void>;
}

const migrated = testSchema.migrations.map((Migration) => ({ name: new Migration().name }));

/** What it says of itself: a single primary that takes writes, with a schema that is up to date. */
const usualAnswers: [RegExp, Answer][] = [
  [/^SELECT VERSION\(\)/i, [{ version: '8.4.2' }]],
  [/^SELECT DATABASE\(\)/, [{ db_name: 'gatehouse' }]],
  [/^SELECT @@GLOBAL.read_only/, [{ readOnly: 0 }]],
  [/^SELECT GET_LOCK/, [{ got: 1 }]],
  [/^SELECT name FROM schema_migrations$/, migrated],
  [/^(SELECT|SHOW)/, []],
];

/** `answer` gives undefined where the usual answer fits. With `queryAttributes` it takes them before each query, as MySQL does since 8.0.23. */
export async function startScriptedServer(
  answer: (sql: string) => Answer | undefined | Promise<Answer> = () => undefined,
  { queryAttributes = false } = {},
): Promise<ScriptedServer> {
  const port = await findFreePort();
  const connections: Connection[] = [];
  const sent: ScriptedServer['sent'] = [];
  const server = createServer((accepted) => {
    const connection = accepted as Connection & { stream: Socket };
    // An answer is several small packets: each would wait until the one before is acknowledged.
    connection.stream.setNoDelay(true);
    const number = connections.push(connection);
    const reply = async (sql: string) => {
      sent.push({ connection: number, sql });
      write(connection, (await answer(sql)) ?? usualAnswers.find(([pattern]) => pattern.test(sql))?.[1]);
      awaitCommand();
    };
    // The driver's server numbers packets on and on; each command begins at 0.
    const awaitCommand = () => {
      connection.sequenceId = 0;
    };
    const authCallback = (_login: unknown, accept: (fault: null) => void) => {
      accept(null);
      awaitCommand();
    };
    // The driver's server takes SET for the preparation of a statement.
    connection.on('query', (text: string) => reply(queryAttributes ? text.slice(attributesLength) : text));
    connection.on('stmt_prepare', reply);
    connection.on('error', () => {});
    const capabilityFlags = greeting.capabilityFlags + (queryAttributes ? attributesFlag : 0);
    connection.serverHandshake({ ...greeting, capabilityFlags, connectionId: number, authCallback });
  });
  server.listen(port);
  return {
    port,
    sent,
    find: (pattern) => sent.map(({ sql }) => sql).filter((sql) => pattern.test(sql)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const connection of connections) connection.destroy();
      }),
  };
}

const [compression, encryption] = [0x20, 0x800];
/** The capability, and the bytes before a query that has no attribute. */
const [attributesFlag, attributesLength] = [0x08000000, 2];
const utf8 = 45;
const greeting = {
  ...{ protocolVersion: 10, serverVersion: '8.4.2', statusFlags: 2, characterSet: utf8 },
  capabilityFlags: 0xffffff ^ compression ^ encryption,
};

function write(connection: Connection, answer: Answer = { affectedRows: 0 }): void {
  if ('affectedRows' in answer) connection.writeOk(answer);
  else if ('code' in answer) connection.writeError(answer);
  else writeRows(connection, answer);
}

function writeRows(connection: Connection, rows: readonly Record<string, unknown>[]): void {
  const columns = Object.keys(rows[0] ?? { none: null });
  const toTexts = (row: Record<string, unknown>) =>
    Object.fromEntries(columns.map((column) => [column, String(row[column])]));
  connection.writeTextResult(rows.map(toTexts), columns.map(describeColumn));
}

function describeColumn(name: string) {
  const text = 253;
  return {
    ...{ catalog: 'def', schema: '', table: '', orgTable: '', name, orgName: name },
    ...{ characterSet: utf8, columnLength: 255, columnType: text, flags: 0, decimals: 0 },
  };
}
