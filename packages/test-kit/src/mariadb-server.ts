import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Connection } from 'mysql2/promise';
import { connectAsRoot as connect } from './connect-as-root.ts';
import { findFreePort } from './free-port.ts';

/** A MariaDB server of a test's own, to set, stop and kill as it likes. */
export interface MariaDbServer {
  port: number;
  /** A connection of root's, closed with the server. */
  connectAsRoot(): Promise<Connection>;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended; at once where it has already. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again with the data it has; resolves as soon as it answers. */
  start(): Promise<void>;
  /** Kills it and forgets its data. */
  drop(): Promise<void>;
}

const debianProgram = '/usr/sbin/mariadbd';

/** MariaDB's server: the one that is named, Debian's, which is not on every PATH, or whichever is found by its name. */
export const mariaDbProgram = process.env.MARIADBD_PATH ?? (existsSync(debianProgram) ? debianProgram : 'mariadbd');

const installation = ['--auth-root-authentication-method=normal', '--skip-test-db', '--innodb-log-file-size=16M'];

/** The options of a small server in a hurry. */
const settings = [
  '--bind-address=127.0.0.1',
  '--innodb-buffer-pool-size=32M',
  '--innodb-log-file-size=16M',
  '--innodb-flush-log-at-trx-commit=0',
  '--performance-schema=OFF',
];

/**
 * Starts `mariadbd` on an empty data directory and a free port; needs Debian's mariadb-server-core or its like.
 * Of a cluster: `first` are further options of the first start alone.
 */
export async function startMariaDbServer(
  options: readonly string[] = [],
  cluster?: { first: readonly string[] },
): Promise<MariaDbServer> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mariadb-'));
  const port = await findFreePort();
  // Of one temporary folder each: a server that starts empties it of what it takes for its own.
  const folders = [`--datadir=${folder}/data`, `--tmpdir=${folder}`];
  const common = ['--no-defaults', ...folders, ...chooseUser(cluster !== undefined)];
  await cp(await findEmptyData(), `${folder}/data`, { recursive: true });
  if (isRoot() && cluster !== undefined) await promisify(execFile)('chown', ['-R', clusterUser, folder]);
  const place = [
    `--port=${port}`,
    `--socket=${folder}/socket`,
    `--pid-file=${folder}/pid`,
    `--log-error=${folder}/log`,
  ];
  const launch = (more: readonly string[] = []) =>
    spawn(mariaDbProgram, [...common, ...place, ...settings, ...options, ...more], { stdio: 'ignore' });

  let server = launch(cluster?.first);
  let connections: Connection[] = [];
  const connectAsRoot = async () => {
    const connection = await connect(port, server);
    connections.push(connection);
    return connection;
  };
  const stop = async (signal: NodeJS.Signals) => {
    for (const connection of connections) connection.destroy();
    connections = [];
    const exited = once(server, 'exit');
    if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await exited;
  };
  await connectAsRoot();
  return {
    port,
    connectAsRoot,
    signal: (name) => void server.kill(name),
    stop,
    async start() {
      server = launch();
      await connectAsRoot();
    },
    async drop() {
      await stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The program that copies data for a cluster writes as nobody where root starts it, so its servers are nobody's then. */
const clusterUser = 'nobody';
const isRoot = () => process.getuid?.() === 0;

function chooseUser(isOfCluster: boolean): string[] {
  if (!isRoot()) return [];
  return [`--user=${isOfCluster ? clusterUser : 'root'}`];
}

/** The data directory of a server that never ran. The first test of a machine makes it, which takes seconds; others copy it. */
async function findEmptyData(): Promise<string> {
  const { size, mtimeMs } = existsSync(mariaDbProgram) ? statSync(mariaDbProgram) : { size: 0, mtimeMs: 0 };
  const place = join(tmpdir(), `gatehouse-mariadb-empty-${process.getuid?.()}-${size}-${Math.round(mtimeMs)}`);
  if (existsSync(place)) return place;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mariadb-'));
  const folders = [`--datadir=${folder}/data`, `--tmpdir=${folder}`];
  await promisify(execFile)('mariadb-install-db', ['--no-defaults', ...folders, ...chooseUser(false), ...installation]);
  // Where two make it at the same moment the first one's is taken.
  await rename(`${folder}/data`, place).catch((error: unknown) => {
    if (!existsSync(place)) throw error;
  });
  await rm(folder, { recursive: true, force: true });
  return place;
}
