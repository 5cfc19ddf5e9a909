import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Gatehouse, type MariaDbServer, startGatehouse, startMariaDbServer } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { obtainCode } from './support/authorization.ts';
import { type Credentials, passwordKind, registerClient, serviceAccountKind } from './support/clients.ts';
import { plainUser } from './support/people.ts';
import { describeOnMysql } from './support/suite.ts';
import { getUserTokens, isActive, postToken } from './support/tokens.ts';
import { getUserDetails } from './support/users.ts';

const databases = ['auth', 'org'];

/** What goes on beside all requests. */
const besideRequests = [
  // Probes, and what a connection is told when it is dialled.
  /^SELECT 1$|^SET SESSION\b/,
  // Each service reads its keys again; there are only a few.
  /\bsigning_keys\b/,
  // Every few seconds: audit events, refusals, counts of use, and clients that have still to be told of a session's end.
  /^INSERT INTO `?(?:audit_events|refusals|usage_counts)\b|^SELECT .*\bsession_participants\b/,
  // Once in a while: when clients were last used, and which of them are still registered.
  /^INSERT INTO `?client_uses\b|^SELECT registration_id FROM clients WHERE registration_id IN\b/,
  // Every minute: rows whose terms an older replica left out.
  /^SELECT updated_at, \w+ AS id FROM .* OFFSET 9999$|\bterms_at <> updated_at\b/,
  // Once a second at most, whatever the number of requests: the few upstreams.
  /^SELECT \* FROM upstreams ORDER BY id LIMIT 50$/,
  // Every 20 seconds: the users that changed.
  /^SELECT id, updated_at FROM users WHERE updated_at >= .* LIMIT 1000$/,
  // Every minute: the users that were erased within the hour.
  /^SELECT \* FROM erasures WHERE erased_at >= \?$/,
  // Every ten seconds: the users that were deleted.
  /^SELECT .*\bdeleted_users\b/,
  // Every 100 ms while org-api waits for a status list, whatever the number of requests.
  /^SELECT \S+ AS list_id, \(SELECT first_index \+ size FROM status_blocks\b/,
  // The purge.
  /^DELETE FROM \w+ WHERE expires_at <= .* ORDER BY expires_at LIMIT 250$/,
];

/** Milliseconds after which no answer to a look-up is shared any more, which is when a request costs the most. */
const forgottenAfter = 1_000;

/** What engines that spread one database over many servers want of a schema and of statements. */
describeOnMysql('on an engine of many servers', (dialect) => {
  let server: MariaDbServer;
  let root: Awaited<ReturnType<MariaDbServer['connectAsRoot']>>;
  let gatehouse: Gatehouse;
  let app: Credentials;
  let machine: Credentials;

  const query = async (sql: string, parameters: unknown[] = []) => {
    const [rows] = await root.query(sql, parameters);
    return rows as Record<string, unknown>[];
  };

  beforeAll(async () => {
    server = await startMariaDbServer(['--log-output=TABLE']);
    root = await server.connectAsRoot();
    for (const name of databases) await root.query(`CREATE DATABASE ${name}`);
    await root.query("CREATE USER app@'%' IDENTIFIED BY 'app'");
    await root.query("GRANT ALL ON auth.* TO app@'%'");
    await root.query("GRANT ALL ON org.* TO app@'%'");
    const urlOf = (name: string) => ({ DATABASE_URL: `mysql://app:app@127.0.0.1:${server.port}/${name}` });
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': urlOf('auth'), 'org-api': urlOf('org') } });
    app = await registerClient(gatehouse, passwordKind());
    machine = await registerClient(gatehouse, serviceAccountKind());
  }, 180_000);
  afterAll(async () => {
    await gatehouse?.stop();
    await server?.drop();
  });

  /** What both services send while `work` runs. */
  const listStatements = async (work: () => Promise<unknown>): Promise<string[]> => {
    await root.query('TRUNCATE mysql.general_log');
    await root.query('SET GLOBAL general_log = 1');
    await work();
    await root.query('SET GLOBAL general_log = 0');
    const sql = `SELECT CONVERT(argument USING utf8mb4) AS statement FROM mysql.general_log
      WHERE user_host LIKE 'app%' AND command_type IN ('Query', 'Execute')`;
    const statements = (await query(sql)).map(({ statement }) => String(statement).replace(/\s+/g, ' ').trim());
    return statements.filter((statement) => !besideRequests.some((pattern) => pattern.test(statement)));
  };

  test('every table has a primary key, which Group Replication asks for, and InnoDB keeps it', async () => {
    const sql = `SELECT t.table_schema, t.table_name, t.engine FROM information_schema.tables t
      LEFT JOIN information_schema.table_constraints c ON c.table_schema = t.table_schema
        AND c.table_name = t.table_name AND c.constraint_type = 'PRIMARY KEY'
      WHERE t.table_schema IN (?) AND (c.constraint_name IS NULL OR t.engine <> 'InnoDB' OR t.table_type <> 'BASE TABLE')`;
    expect(await query(sql, [databases])).toEqual([]);
  });

  test('every table has its row in the table of the page on scale that says how Vitess spreads it, and no other has', async () => {
    const sql = 'SELECT DISTINCT table_name AS name FROM information_schema.tables WHERE table_schema IN (?)';
    const tables = (await query(sql, [databases])).map(({ name }) => String(name));
    expect((await readSpreadTables()).sort()).toEqual(tables.sort());
  });

  test('no table counts up, which is a point that all shards would go through', async () => {
    const sql = `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema IN (?) AND extra LIKE '%auto_increment%'`;
    // TypeORM's own list of migrations, written by none but them.
    expect(new Set((await query(sql, [databases])).map(({ name }) => name))).toEqual(new Set(['schema_migrations']));
  });

  test('there is no foreign key, trigger, view, event or stored program', async () => {
    const counts = [
      `SELECT COUNT(*) AS count FROM information_schema.table_constraints
        WHERE constraint_schema IN (?) AND constraint_type = 'FOREIGN KEY'`,
      'SELECT COUNT(*) AS count FROM information_schema.triggers WHERE trigger_schema IN (?)',
      'SELECT COUNT(*) AS count FROM information_schema.views WHERE table_schema IN (?)',
      'SELECT COUNT(*) AS count FROM information_schema.events WHERE event_schema IN (?)',
      'SELECT COUNT(*) AS count FROM information_schema.routines WHERE routine_schema IN (?)',
    ].map(async (sql) => Number((await query(sql, [databases]))[0]?.count));
    expect(await Promise.all(counts)).toEqual([0, 0, 0, 0, 0]);
  });

  test('new ids follow the time but cannot be guessed from each other', async () => {
    const tokens = [await getUserTokens(gatehouse, app), await getUserTokens(gatehouse, app)];
    expect(tokens).toHaveLength(2);
    const ids = (await query('SELECT HEX(id) AS id FROM auth.refresh_tokens ORDER BY id')).map(({ id }) => String(id));
    const times = ids.map((id) => Number.parseInt(id.slice(0, 12), 16));
    expect(ids.every((id) => id[12] === '7')).toBe(true);
    expect(Math.max(...times) - Date.now()).toBeLessThan(1000);
    expect(new Set(ids.map((id) => id.slice(16))).size).toBe(ids.length);
  });

  test('on hot paths every statement stands alone, names one table and finds its rows by a key', async () => {
    const leading = await readLeadingColumns();
    const documented = await readDocumentedCounts();
    const { refresh_token: refreshToken = '', access_token: accessToken } = await getUserTokens(gatehouse, app);
    const { redemption } = await obtainCode(gatehouse, app);
    const token = (basic: Credentials, form: Record<string, string>) => () => postToken(gatehouse, { basic, form });
    const [username, password] = plainUser;
    const paths: [string, () => Promise<unknown>][] = [
      ['client_credentials of a service account', token(machine, { grant_type: 'client_credentials' })],
      ['password', token(app, { grant_type: 'password', username, password })],
      ['code exchange', token(app, redemption)],
      ['refresh', token(app, { grant_type: 'refresh_token', refresh_token: refreshToken })],
      ['introspection', () => isActive(gatehouse, app, accessToken)],
      ['user details', () => getUserDetails(gatehouse, username, accessToken)],
    ];
    for (const [name, work] of paths) {
      await sleep(forgottenAfter);
      const statements = await listStatements(work);
      expect(statements.length).toBeGreaterThan(0);
      expect({ name, tooMany: statements.slice(documented.get(name) ?? 0) }).toEqual({ name, tooMany: [] });
      expect([name, statements.filter((statement) => !isFit(statement, leading))]).toEqual([name, []]);
    }
  });

  /** The first column of every key of every table. */
  const readLeadingColumns = async () => {
    const sql = `SELECT table_name AS name, GROUP_CONCAT(column_name) AS columns FROM information_schema.statistics
      WHERE table_schema IN (?) AND seq_in_index = 1 GROUP BY table_name`;
    const rows = await query(sql, [databases]);
    return new Map(rows.map(({ name, columns }) => [String(name), String(columns).split(',')]));
  };
});

/** The tables of the table on Vitess. A cell may name several. */
async function readSpreadTables(): Promise<string[]> {
  const page = await readFile(new URL('../../../docs/operations/scale.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| table | primary vindex');
  const cells = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

/** The most statements of each kind of request, by the table of the page on scale: `4, and 2 more …` is 6. */
async function readDocumentedCounts(): Promise<ReadonlyMap<string, number>> {
  const page = await readFile(new URL('../../../docs/operations/scale.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| request | statements |');
  const rows = [...table.matchAll(/^\| ([^|]+) \| (\d+)(?:, and (\d+) more [^|]*)? \|$/gm)];
  return new Map(rows.map(([, name = '', least, more = 0]) => [name, Number(least) + Number(more)]));
}

/** One INSERT, or one statement whose WHERE names the first column of a key of its one table. */
function isFit(statement: string, leading: ReadonlyMap<string, string[]>): boolean {
  const named = new Set(
    [...statement.matchAll(/\b(?:INTO|FROM|UPDATE|JOIN) `?(\w+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => leading.has(name)),
  );
  const [table] = named;
  if (named.size !== 1 || table === undefined) return false;
  if (statement.startsWith('INSERT INTO')) return !/\bSELECT\b/.test(statement);
  if (!/^(SELECT|UPDATE|DELETE)\b/.test(statement) || /\bJOIN\b|\(SELECT\b/.test(statement)) return false;
  const keys = leading.get(table)?.join('|');
  return new RegExp(`\\bWHERE\\b.*\\b(${keys})\`? (=|IN|<=|>) ?`).test(statement);
}
