import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { buildFormRequest, type ClientLogin } from '../load/load.ts';
import { awaitStatusList, type ListInHand, readStatusList } from '../load/waiting-reader.ts';
import { median, percentile } from '../measurement/statistics.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import { statusListPath } from '../product/status-list-path.ts';
import type { CaseResult } from '../report/case-result.ts';
import { formatColumns, formatCount } from '../report/table.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import type { BenchCase } from './bench-case.ts';

/** Readers at each replica; fewer than a network may have. */
const readersAtEach = 50;
/** Revocations in each round, one after the other. */
const revocationsInRound = 40;
/** Milliseconds from the answer of a revocation to the answers of 99 % of the readers. */
const goal = 300;

/** Checks that a revocation reaches all who wait for the status list, at every replica. */
export const revocation: BenchCase = {
  name: 'revocation',
  title: `from the answer of a revocation to the answers of ${readersAtEach} readers that wait at each replica`,
  async run(lab) {
    const other = await lab.product.startReplica();
    const replicas = [lab.product.authServer, other];
    try {
      const delays: number[][] = replicas.map(() => []);
      for (let round = 0; round < lab.options.rounds; round += 1) await measureRound(lab, replicas, delays);
      return buildResult(delays);
    } finally {
      await other.stop();
    }
  },
};

/** Where a revocation took place, every other time, and when it was answered. */
interface Revocation {
  at: ServerProcess;
  client: ClientLogin;
  token: string;
}

async function measureRound(lab: Lab, replicas: readonly ServerProcess[], delays: number[][]): Promise<void> {
  const clients = lab.population.serviceClients.slice(0, revocationsInRound);
  const tokens = await issueAccessTokens(lab.product.authServer.port, clients);
  const path = statusListPath(tokens.at(-1) ?? '');
  const dispatcher = new Agent({ headersTimeout: 60_000 });
  const lists = new Map<ServerProcess, ListInHand[]>();
  for (const replica of replicas) {
    const reading = Array.from({ length: readersAtEach }, () => readStatusList(replica.url + path, { dispatcher }));
    lists.set(replica, await Promise.all(reading));
  }
  for (const [index, client] of clients.entries()) {
    const token = tokens[index] ?? '';
    // Those of the hour before are in another list.
    if (statusListPath(token) !== path) continue;
    const at = replicas[index % replicas.length] as ServerProcess;
    await measureOne({ at, client, token }, { replicas, path, lists, dispatcher, delays });
  }
  await dispatcher.close();
}

interface Readers {
  replicas: readonly ServerProcess[];
  path: string;
  /** The lists that the readers at each replica have in hand. */
  lists: Map<ServerProcess, ListInHand[]>;
  dispatcher: Agent;
  /** Milliseconds, by replica. */
  delays: number[][];
}

async function measureOne({ at, client, token }: Revocation, readers: Readers): Promise<void> {
  const { replicas, path, lists, dispatcher, delays } = readers;
  let revokedAt = Number.NaN;
  const waiting = replicas.map(async (replica, index) => {
    const answers = (lists.get(replica) ?? []).map(async (inHand) => {
      const next = await awaitStatusList(replica.url + path, inHand, { dispatcher });
      const answeredAt = performance.now();
      if (next.status !== 200) throw new Error(`a reader was answered ${next.status}`);
      // A reader may be answered before the caller of the revocation is.
      delays[index]?.push(Number.isNaN(revokedAt) ? 0 : answeredAt - revokedAt);
      return next;
    });
    lists.set(replica, await Promise.all(answers));
  });
  // Revocations come at any moment between two readings of the database.
  await sleep(150 + Math.random() * 100);
  await exchange(at.port, [buildFormRequest('/oauth/revoke', client, { token })]);
  revokedAt = performance.now();
  await Promise.all(waiting);
}

function buildResult(delays: readonly number[][]): CaseResult {
  const rows = delays.map((values, index) => ({ replica: `replica ${index + 1}`, values }));
  const cells = rows.map(({ replica, values }) => [
    replica,
    formatCount(values.length),
    ...[median(values), percentile(values, 99), Math.max(...values)].map((value) => value.toFixed(1)),
  ]);
  const p99 = percentile(delays.flat(), 99);
  return {
    table: formatColumns([['', 'answers', 'p50 ms', 'p99 ms', 'max ms'], ...cells]),
    goals: [{ text: `p99 over both replicas below ${goal} ms: ${p99.toFixed(1)} ms`, met: p99 < goal }],
    bars: {
      unit: 'ms (p99)',
      values: rows.map(({ replica, values }) => ({ label: replica, value: percentile(values, 99) })),
    },
    measured: rows.map(({ replica, values }) => ({ replica, p50: median(values), p99: percentile(values, 99) })),
    valid: true,
  };
}
