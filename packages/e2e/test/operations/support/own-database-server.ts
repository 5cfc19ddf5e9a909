import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, testDialects } from '@gatehouse/test-kit';
import { describe } from '@jest/globals';
import { createConnection } from 'mysql2/promise';

/** A database server that a test may stop, kill and start again. */
export interface OwnDatabaseServer {
  /** As `TEST_MYSQL_URL` takes it. */
  url: string;
  start(): Promise<void>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
}

const program = process.env.MARIADBD_PATH ?? '/usr/sbin/mariadbd';

/** As `describe`, where tests run on MySQL; where MariaDB's server is missing a CI run fails, and others say so. */
export function describeWithOwnDatabaseServer(title: string, define: () => void): void {
  if (!testDialects.includes('mysql')) {
    describe.skip(title, define);
    return;
  }
  if (existsSync(program)) {
    describe(title, define);
    return;
  }
  const text = `MariaDB's server is missing: there is no ${program}. Install it, or name it by MARIADBD_PATH.`;
  if (process.env.CI) throw new Error(`${text} Tests that restart a database must not be skipped here.`);
  process.stderr.write(`${text} The tests that restart a database are skipped.\n`);
  describe.skip(title, define);
}

/** A MariaDB server on a port and in a folder of its own, with durable commits as it has them by default. */
export async function startOwnDatabaseServer(): Promise<OwnDatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mariadb-'));
  const port = await findFreePort();
  const common = ['--no-defaults', `--datadir=${folder}`, `--user=${userInfo().username}`];
  execFileSync('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const options = [`--port=${port}`, `--socket=${folder}/socket`, '--bind-address=127.0.0.1', '--skip-name-resolve'];
  let running: ChildProcess | undefined;
  const server: OwnDatabaseServer = {
    url: `mysql://root@127.0.0.1:${port}/mysql`,
    async start() {
      running = spawn(program, [...common, ...options], { stdio: 'ignore' });
      await untilAccepting(port, running);
    },
    async stop(signal) {
      const stopping = running;
      running = undefined;
      if (stopping === undefined || stopping.exitCode !== null) return;
      const ended = once(stopping, 'exit');
      stopping.kill(signal);
      await ended;
    },
    async remove() {
      await server.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** Milliseconds a start may take, with recovery after a kill. */
const startLimit = 60_000;

async function untilAccepting(port: number, server: ChildProcess): Promise<void> {
  const deadline = performance.now() + startLimit;
  for (;;) {
    try {
      const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' });
      return await connection.end();
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
