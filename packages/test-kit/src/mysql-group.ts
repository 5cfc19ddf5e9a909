import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Connection } from 'mysql2/promise';
import { connectAsRoot as connect } from './connect-as-root.ts';
import { findFreePort } from './free-port.ts';
import { testDialects } from './test-database.ts';

/** Several MySQL servers that are one group of Group Replication, each of which takes writes. */
export interface MysqlGroup {
  members: readonly MysqlMember[];
  drop(): Promise<void>;
}

export interface MysqlMember {
  port: number;
  /** A connection of root's, closed with the server. */
  connectAsRoot(): Promise<Connection>;
  /** Ends without a word to anybody. */
  kill(): Promise<void>;
  /** Starts again as a server outside the group, which takes writes: nothing told it to wait for the group. */
  startOutside(): Promise<void>;
  join(): Promise<void>;
}

/** MySQL's server: the one that is named. Debian 12 has none (`.ci/newest-mysql`). */
const program = process.env.MYSQLD_PATH;

/** Whether tests of a group run: where they do on MySQL, and a server is named. Others say so. */
export function canStartMysqlGroup(): boolean {
  if (!testDialects.includes('mysql')) return false;
  if (program !== undefined) return true;
  process.stderr.write('MYSQLD_PATH names no MySQL server. The tests of a replication group are skipped.\n');
  return false;
}

const settings = [
  '--bind-address=127.0.0.1',
  '--report-host=127.0.0.1',
  '--mysqlx=OFF',
  '--innodb-buffer-pool-size=32M',
  '--innodb-flush-log-at-trx-commit=0',
  '--sync-binlog=0',
  '--gtid-mode=ON',
  '--enforce-gtid-consistency=ON',
  '--plugin-load-add=group_replication.so',
  '--group-replication-single-primary-mode=OFF',
  '--group-replication-start-on-boot=OFF',
  '--group-replication-ip-allowlist=127.0.0.1',
  '--group-replication-recovery-get-public-key=ON',
  '--group-replication-member-expel-timeout=0',
];

/** Each server makes its own users: what one of them had written alone would keep it out of the group. */
const firstStatements = `SET SQL_LOG_BIN = 0;
CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY '';
GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
SET SQL_LOG_BIN = 1;
`;

/** Starts the servers on loopback ports of their own, each with an empty data directory, and makes them one group. */
export async function startMysqlGroup(size = 3): Promise<MysqlGroup> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-mysql-'));
  const empty = `${folder}/empty`;
  await promisify(execFile)(getProgram(), ['--initialize-insecure', `--datadir=${empty}`]);
  // The server's own id.
  await rm(`${empty}/auto.cnf`);
  await writeFile(`${folder}/first.sql`, firstStatements);
  const addresses: string[] = [];
  while (addresses.length < size) addresses.push(`127.0.0.1:${await findFreePort()}`);
  const group = [
    `--group-replication-group-name=${randomUUID()}`,
    `--group-replication-group-seeds=${addresses.join(',')}`,
    `--init-file=${folder}/first.sql`,
  ];
  const servers: StartedServer[] = [];
  const drop = async () => {
    await Promise.all(servers.map(({ member }) => member.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const [index, address] of addresses.entries()) {
      const data = `${folder}/${index}`;
      await cp(empty, data, { recursive: true });
      const place = [`--server-id=${index + 1}`, `--group-replication-local-address=${address}`, ...group];
      const server = await startServer(data, place);
      servers.push(server);
      await server.joinGroup({ isFirst: index === 0 });
    }
  } catch (error) {
    await drop();
    throw error;
  }
  return { members: servers.map(({ member }) => member), drop };
}

interface StartedServer {
  member: MysqlMember;
  joinGroup(options: { isFirst: boolean }): Promise<void>;
}

async function startServer(data: string, place: readonly string[]): Promise<StartedServer> {
  const port = await findFreePort();
  const files = [`--datadir=${data}`, `--socket=${data}.socket`, `--pid-file=${data}.pid`, `--log-error=${data}.err`];
  const launch = () => spawn(getProgram(), [...files, `--port=${port}`, ...settings, ...place], { stdio: 'ignore' });
  let server = launch();
  let connections: Connection[] = [];
  const connectAsRoot = async () => {
    const connection = await connect(port, server);
    connections.push(connection);
    return connection;
  };
  const joinGroup = async ({ isFirst }: { isFirst: boolean }) => {
    const root = await connectAsRoot();
    if (isFirst) await root.query('SET GLOBAL group_replication_bootstrap_group = ON');
    await root.query("START GROUP_REPLICATION USER = 'root'");
    if (isFirst) await root.query('SET GLOBAL group_replication_bootstrap_group = OFF');
    await untilOnline(root);
  };
  await connectAsRoot();
  const member: MysqlMember = {
    port,
    connectAsRoot,
    async kill() {
      for (const connection of connections) connection.destroy();
      connections = [];
      const exited = once(server, 'exit');
      if (server.exitCode === null && server.signalCode === null && server.kill('SIGKILL')) await exited;
    },
    async startOutside() {
      server = launch();
      await connectAsRoot();
    },
    join: () => joinGroup({ isFirst: false }),
  };
  return { member, joinGroup };
}

function getProgram(): string {
  if (program === undefined) throw new Error('MYSQLD_PATH names no server');
  return program;
}

/** A member that joins first takes what the others have. */
async function untilOnline(root: Connection): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const [rows] = await root.query(
      'SELECT member_state AS state FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid',
    );
    const state = (rows as { state: string }[])[0]?.state;
    if (state === 'ONLINE') return;
    if (performance.now() > deadline) throw new Error(`the member is ${state} and does not get in step`);
    await sleep(50);
  }
}
