import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import {
  createTestDatabase,
  type Gatehouse,
  repositoryRoot,
  runServiceScript,
  type ServiceName,
  type ServiceProcess,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { passwordKind, registerClient } from '../support/clients.ts';
import { startAgain } from '../support/services.ts';
import { elsewhere } from '../support/suite.ts';
import { waitFor } from '../support/wait.ts';
import { createIssuing } from './support/issued.ts';

/** Milliseconds, on a machine that has other things to do. */
const patience = 120_000;

describe.each(testDialects)('recover.js on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let authServer: ServiceProcess;
  let issuing: ReturnType<typeof createIssuing>;

  beforeAll(async () => {
    gatehouse = await startGatehouse({ dialect });
    authServer = gatehouse.authServer;
    issuing = createIssuing(gatehouse, await registerClient(gatehouse, passwordKind()));
  }, patience);
  afterAll(async () => {
    await authServer?.stop('SIGKILL');
    await gatehouse?.stop();
  });

  const start = async () => {
    authServer = await startAgain(gatehouse, 'auth-server');
  };
  const recover = (name: ServiceName, args: readonly string[] = [], env: Record<string, string> = {}) =>
    runServiceScript(name, 'recover', { ...gatehouse.env[name], ...env }, args);

  test(
    'with --end nothing leaves sessions and refresh tokens, and says what counts again',
    async () => {
      const issued = await issuing.signIn();
      await authServer.stop();
      const { code, output } = await recover('auth-server', ['--end', 'nothing']);
      expect(code).toBe(0);
      expect(output).toMatch(/^browser sessions: \d+ of the backup count, the last until 20[^\n]+Z$/m);
      expect(output).toMatch(/\nValid again: [^\n]+\n$/);
      await start();
      expect([(await issuing.refresh(issued)).status, await issuing.isSignedIn(issued)]).toEqual([200, true]);
    },
    patience,
  );

  // SQLite deletes all rows of a table by one statement.
  const testOnMysql = dialect === 'mysql' ? test : elsewhere;
  testOnMysql(
    'does the rest when it is run again after it was killed half way',
    async () => {
      await issuing.signIn();
      await authServer.stop();
      const env = gatehouse.env['auth-server'];
      const connection = await createConnection(env.DATABASE_URL ?? '');
      const count = async (table: string) => {
        const [[row]] = await connection.query<RowDataPacket[]>(`SELECT COUNT(*) AS found FROM ${table}`);
        return Number(row?.found);
      };
      const insert = 'INSERT INTO pushed_requests (id_hash, registration_id, parameters, expires_at)';
      await connection.query(`${insert} VALUES (REPEAT('h', 32), REPEAT('r', 16), '{}', 9999999999999)`);
      for (let doubling = 0; doubling < 17; doubling += 1) {
        const hash = `UNHEX(SHA2(CONCAT(HEX(id_hash), '${doubling}'), 256))`;
        await connection.query(
          `${insert} SELECT ${hash}, registration_id, parameters, expires_at FROM pushed_requests`,
        );
      }
      const many = await count('pushed_requests');
      const child = spawn(process.execPath, ['apps/auth-server/dist/recover.js', '--end', 'everything'], {
        ...{ cwd: repositoryRoot, env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' },
      });
      await waitFor(
        () => count('pushed_requests'),
        (found) => found < many,
      );
      child.kill('SIGKILL');
      const [code] = (await once(child, 'close')) as [number | null];
      const left = await count('pushed_requests');
      expect([code, many, left > 0, left < many]).toEqual([null, 131_072, true, true]);
      expect((await recover('auth-server', ['--end', 'everything'])).code).toBe(0);
      for (const table of ['pushed_requests', 'signing_keys', 'refresh_tokens', 'browser_sessions']) {
        expect([table, await count(table)]).toEqual([table, 0]);
      }
      await connection.end();
      await start();
      expect((await issuing.signIn()).tokens.token_type).toBe('Bearer');
    },
    patience,
  );

  test.each([
    ['auth-server', ['--end', 'everything']],
    ['org-api', []],
  ] as const)('of %s touches no schema that is not current', async (name, args) => {
    const database = await createTestDatabase(dialect);
    // An empty file is a database without tables.
    if (dialect === 'sqlite') writeFileSync(database.url.slice('sqlite:'.length), '');
    const answer = await recover(name, args, { DATABASE_URL: database.url });
    await database.drop();
    expect(answer).toEqual({ code: 1, output: 'cannot start: the schema is older than the code; run migrate.js\n' });
  });

  test.each<[ServiceName, string[]]>([
    ['auth-server', []],
    ['auth-server', ['--end']],
    ['auth-server', ['--end', 'all']],
    ['auth-server', ['--end', 'everything', '--new-keys']],
    ['auth-server', ['--end', 'everything', 'now']],
    ['org-api', ['--end', 'everything']],
    ['org-api', ['everything']],
  ])('of %s takes no %j: 64, and one line', async (name, args) => {
    const { code, output } = await recover(name, args);
    expect([code, output]).toEqual([64, expect.stringMatching(/^usage: recover[^\n]+\n$/)]);
  });

  test('is joined by backup.js, which takes one file (64), and no MySQL: 1, and one line names the page', async () => {
    const run = (args: string[]) => runServiceScript('org-api', 'backup', gatehouse.env['org-api'], args);
    expect(await run([])).toEqual({ code: 64, output: 'usage: backup FILE\n' });
    if (dialect !== 'mysql') return;
    const { code, output } = await run(['never-made.sqlite']);
    expect([code, output]).toEqual([1, expect.stringMatching(/^[^\n]*docs\/operations\/backup\.md[^\n]*\n$/)]);
    expect(readdirSync(repositoryRoot)).not.toContain('never-made.sqlite');
  });
});
