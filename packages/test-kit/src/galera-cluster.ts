import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import { findFreePort } from './free-port.ts';
import { type MariaDbServer, mariaDbProgram, startMariaDbServer } from './mariadb-server.ts';
import { testDialects } from './test-database.ts';

/** Several MariaDB servers, each of which takes writes and hands them on to the others. */
export interface GaleraCluster {
  nodes: readonly GaleraNode[];
  drop(): Promise<void>;
}

export interface GaleraNode {
  port: number;
  /** A connection of root's, closed with the node. */
  connectAsRoot(): Promise<Connection>;
  /** Ends without a word to anybody. */
  kill(): Promise<void>;
  /** Starts again; resolves when the node has what the others have. */
  rejoin(): Promise<void>;
  /** Keeps what the others write from being seen here, for half a second again and again; resolves when it has begun. */
  startLagging(): Promise<Lag>;
}

export interface Lag {
  /** Resolves when the node has caught up. */
  stop(): Promise<void>;
}

/** The programs of a cluster, where Debian's mariadb-server, galera-4 and rsync put them. */
const galeraLibrary = process.env.GALERA_PATH ?? '/usr/lib/galera/libgalera_smm.so';
const programs = [mariaDbProgram, '/usr/bin/rsync'];

/** Whether tests of a cluster run: where they do on MySQL. Where its software is missing a CI run fails, and others say so. */
export function canStartGaleraCluster(): boolean {
  if (!testDialects.includes('mysql')) return false;
  const missing = [galeraLibrary, ...programs].filter((path) => !existsSync(path));
  if (missing.length === 0) return true;
  const text = `A Galera cluster cannot be started: there is no ${missing.join(' and no ')}.`;
  if (process.env.CI) throw new Error(`${text} Tests of a cluster must not be skipped here.`);
  process.stderr.write(`${text} The tests of a cluster are skipped.\n`);
  return false;
}

/** Milliseconds for which a lagging node applies nothing, and then everything. */
const held = 500;
const released = 20;

/** For a node on a machine of its own; here three of them share one. */
const providerOptions = [
  'gcache.size=16M',
  'gcache.page_size=4M',
  // A node that lags must not hold up the others, which is what flow control is for.
  'gcs.fc_limit=100000',
  // A node that was killed is missed after three seconds; one that only has to wait for a processor is not.
  'evs.keepalive_period=PT0.5S',
  'evs.suspect_timeout=PT3S',
  'evs.inactive_timeout=PT6S',
];

/**
 * Starts the nodes on loopback ports of their own, each with an empty data directory and the software of Debian.
 * `reach` gives the port at which the other nodes find a node that talks to its group at `port`, such as the port of a relay.
 */
export async function startGaleraCluster(
  size = 3,
  reach: (port: number) => number | Promise<number> = (port) => port,
): Promise<GaleraCluster> {
  const places = await Promise.all(Array.from({ length: size }, findPlace));
  const doors = await Promise.all(places.map(({ group }) => reach(group)));
  const addresses = doors.map((port) => `127.0.0.1:${port}`);
  const optionsOf = (place: Place) => [
    ...buildOptions(place),
    `--wsrep-cluster-address=gcomm://${addresses.join(',')}`,
  ];
  const nodes: GaleraNode[] = [];
  const servers: MariaDbServer[] = [];
  const drop = async () => {
    await Promise.all(servers.map((server) => server.drop()));
  };
  try {
    for (const [index, place] of places.entries()) {
      // The first makes the cluster, and later joins it like the others.
      const first = index === 0 ? ['--wsrep-new-cluster'] : [];
      const server = await startMariaDbServer(optionsOf(place), { first });
      servers.push(server);
      await untilSynced(server);
      nodes.push(createNode(server));
    }
  } catch (error) {
    await drop();
    throw error;
  }
  return { nodes, drop };
}

interface Place {
  /** Ports for the talk of the group, and for state that a node missed: increments, or all of it. */
  group: number;
  increments: number;
  transfer: number;
}

async function findPlace(): Promise<Place> {
  return { group: await findFreePort(), increments: await findFreePort(), transfer: await findFreePort() };
}

function buildOptions({ group, increments, transfer }: Place): string[] {
  const options = [
    ...providerOptions,
    `base_host=127.0.0.1`,
    `base_port=${group}`,
    `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
    `ist.recv_addr=127.0.0.1:${increments}`,
  ];
  return [
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--wsrep-on=ON',
    `--wsrep-provider=${galeraLibrary}`,
    `--wsrep-provider-options=${options.join(';')}`,
    '--wsrep-cluster-name=gatehouse-test',
    '--wsrep-node-address=127.0.0.1',
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${transfer}`,
  ];
}

function createNode(server: MariaDbServer): GaleraNode {
  return {
    port: server.port,
    connectAsRoot: server.connectAsRoot,
    kill: () => server.stop('SIGKILL'),
    async rejoin() {
      await server.start();
      await untilSynced(server);
    },
    async startLagging() {
      const connection = await server.connectAsRoot();
      const stopping = new AbortController();
      await connection.query('FLUSH TABLES WITH READ LOCK');
      const lagging = keepLagging(connection, stopping.signal);
      return {
        async stop() {
          stopping.abort();
          await lagging;
        },
      };
    },
  };
}

async function keepLagging(connection: Connection, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(held);
    await connection.query('UNLOCK TABLES');
    if (signal.aborted) break;
    await sleep(released);
    await connection.query('FLUSH TABLES WITH READ LOCK');
  }
  connection.destroy();
}

/** A node that joins answers connections before it answers statements. */
async function untilSynced(server: MariaDbServer): Promise<void> {
  const connection = await server.connectAsRoot();
  const deadline = performance.now() + 60_000;
  for (;;) {
    const [rows] = await connection.query("SHOW GLOBAL STATUS LIKE 'wsrep_local_state_comment'");
    const state = (rows as { Value: string }[])[0]?.Value;
    if (state === 'Synced') return connection.destroy();
    if (performance.now() > deadline) throw new Error(`the node is ${state} and does not get in step`);
    await sleep(50);
  }
}
