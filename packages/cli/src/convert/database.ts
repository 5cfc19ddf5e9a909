import { spawnSync } from 'node:child_process';
import { readSecret } from '../connection/client-authentication.ts';
import { StepError, UsageError } from '../failures.ts';
import { decodeUtf8, largestFile } from './read-source.ts';
import { type OpenTable, type Row, requireColumns } from './read-table.ts';

/** A database of MySQL or MariaDB that another server keeps its tables in. */
export interface Database {
  /** Undefined where there is no such table. `added` are columns more: expressions on a row of the table, `t`. */
  find(table: string, added?: Readonly<Record<string, string>>): OpenTable | undefined;
}

/** MySQL cuts a list at 1,024 bytes, and writes times in the zone of the session, unless it is told otherwise. */
const session = "SET group_concat_max_len = 1000000, time_zone = '+00:00'";

/**
 * Opens the database of an address, `mysql://USER@HOST:PORT/NAME`. The client program of MariaDB or MySQL reads it, so the tool
 * carries no driver. Throws a UsageError or StepError.
 */
export function openDatabase(address: string, environment: NodeJS.ProcessEnv): Database {
  const ask = createAsk(address, environment);
  const tables = new Map<string, string[]>();
  const listed = ask(
    'SELECT JSON_ARRAY(TABLE_NAME, COLUMN_NAME) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()',
  );
  for (const text of listed) {
    const [table, column] = JSON.parse(text) as [string, string];
    tables.set(table, [...(tables.get(table) ?? []), column]);
  }
  return {
    find(table, added = {}) {
      const columns = tables.get(table);
      if (columns === undefined) return undefined;
      const own = columns.map((column) => [column, `CAST(t.${quoteName(column)} AS CHAR)`] as const);
      const members = [...own, ...Object.entries(added)].map(([name, value]) => `${quoteText(name)}, ${value}`);
      return openTable(table, [...columns, ...Object.keys(added)], () =>
        ask(`SELECT JSON_OBJECT(${members.join(', ')}) FROM ${quoteName(table)} t`),
      );
    },
  };
}

function openTable(table: string, columns: readonly string[], readRows: () => readonly string[]): OpenTable {
  const names = new Map(columns.map((name) => [name.toLowerCase(), name]));
  const has = (column: string) => names.has(column.toLowerCase());
  return (needed) => {
    requireColumns(`the table ${table}`, needed, has);
    const rows = readRows();
    return {
      has,
      *[Symbol.iterator]() {
        for (const text of rows) yield readRow(JSON.parse(text), names);
      },
    };
  };
}

function readRow(values: Record<string, string | null>, names: ReadonlyMap<string, string>): Row {
  return (column) => values[names.get(column.toLowerCase()) ?? ''] || undefined;
}

/** Makes the function that sends a statement, and returns the lines of its answer: each is one value, in JSON. */
function createAsk(address: string, environment: NodeJS.ProcessEnv): (statement: string) => string[] {
  const { host, port, user, name } = parseAddress(address);
  const password = readSecret(environment, 'GATEHOUSE_DATABASE_PASSWORD');
  const args = [
    '--no-defaults',
    ...['--protocol=TCP', `--host=${host}`, `--port=${port}`, `--user=${user}`],
    ...['--default-character-set=utf8mb4', '--batch', '--raw', '--skip-column-names', `--database=${name}`],
  ];
  const env = { ...environment, ...(password !== undefined && { MYSQL_PWD: password }) };
  return (statement) => {
    const lines = decodeUtf8(runClient([...args, `--execute=${session}; ${statement}`], env), 'the database').split(
      '\n',
    );
    return lines.slice(0, -1);
  };
}

function parseAddress(address: string) {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['mysql:', 'mariadb:'].includes(url.protocol) || url.pathname.length < 2)
    throw new UsageError('--database-url is mysql://USER@HOST:PORT/NAME');
  if (url.password !== '')
    throw new UsageError(
      'others see arguments: GATEHOUSE_DATABASE_PASSWORD or GATEHOUSE_DATABASE_PASSWORD_FILE has the password of the database',
    );
  const [user = '', name = ''] = [url.username, url.pathname.slice(1)].map(decodeURIComponent);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port || '3306', user, name };
}

/** MariaDB's package has the former name, MySQL's the latter. */
const programs = ['mariadb', 'mysql'];

function runClient(args: string[], env: NodeJS.ProcessEnv): Buffer {
  for (const program of programs) {
    const { error, status, stdout, stderr } = spawnSync(program, args, { env, maxBuffer: largestFile });
    const { code } = (error ?? {}) as NodeJS.ErrnoException;
    if (code === 'ENOENT') continue;
    if (code === 'ENOBUFS')
      throw new StepError('database', 'a table is larger than 256 MiB: export it in several files');
    if (status === 0) return stdout;
    const [first = ''] = String(stderr).trim().split('\n');
    throw new StepError('database', first || `${program} did not end (${code ?? status})`);
  }
  throw new StepError('database', `neither ${programs.join(' nor ')} is installed: export the tables as files`);
}

function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
