import { setTimeout as sleep } from 'node:timers/promises';
import { type MariaDbServer, startGaleraCluster, startMariaDbServer } from '@gatehouse/test-kit';
import { createDistance, type Distance } from '../distance/distance.ts';
import { listRequests } from '../distance/requests.ts';
import { keepWriting, makeTable, nameOfWrite, timeStatements } from '../distance/statements.ts';
import { type Times, time } from '../distance/times.ts';
import { type Lab, openLab } from '../lab.ts';
import { median, percentile } from '../measurement/statistics.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import type { CaseResult } from '../report/case-result.ts';
import { formatColumns } from '../report/table.ts';
import type { BenchCase } from './bench-case.ts';

/** Milliseconds to the other region and back. */
const roundTrip = 40;
/** Milliseconds before each request. No answer is shared for longer, so each request sends all its statements. */
const pause = 800;
const journeysInRound = 5;
/** At another node, a second. */
const otherWrites = 100;

type Server = Pick<MariaDbServer, 'port' | 'connectAsRoot'>;

interface Column {
  name: string;
  lab: Lab;
  roundTrip: number;
  /** A database at another node that takes writes meanwhile. */
  busy?: string;
  times: Times;
}

/** Compares a database in another region, and the nodes of a Galera cluster in three regions, with the same in one. */
export const distance: BenchCase = {
  name: 'distance',
  title: `Requests one after the other, ${roundTrip} ms between regions: milliseconds, p50 and p95`,
  isExtra: true,
  async run(lab) {
    const way = createDistance();
    const closing: (() => unknown)[] = [way.close];
    const close = async () => {
      for (const step of closing.splice(0).reverse()) await step();
    };
    lab.cleanUp.add(close);
    try {
      const single = await startMariaDbServer();
      closing.push(single.drop);
      const cluster = await startGaleraCluster(3, way.reach);
      closing.push(cluster.drop);
      const [node, other] = cluster.nodes as readonly Server[] as [Server, Server];
      const open = async (server: Server) => {
        const opened = await openLab({ ...lab.options, population: 100, database: await makeUser(server) }, lab);
        closing.push(opened.close);
        await makeTable(opened.databaseUrls.auth);
        return opened;
      };
      const far = await open({ ...single, port: await way.reach(single.port) });
      const near = await open(node);
      const busy = near.databaseUrls.auth.replace(`:${node.port}/`, `:${other.port}/`);
      const columns: Column[] = [
        { name: 'one server here', lab: far, roundTrip: 0, times: new Map() },
        { name: `one server ${roundTrip} ms away`, lab: far, roundTrip, times: new Map() },
        { name: 'Galera, nodes here', lab: near, roundTrip: 0, times: new Map() },
        { name: `Galera, nodes ${roundTrip} ms apart`, lab: near, roundTrip, times: new Map() },
        { name: `and ${otherWrites} writes/s at another node`, lab: near, roundTrip, busy, times: new Map() },
      ];
      for (let round = 0; round < lab.options.rounds; round += 1) {
        for (const column of columns) await measure(column, way, round);
        lab.say(`  round ${round + 1} of ${lab.options.rounds}`);
      }
      return buildResult(columns);
    } finally {
      await close();
    }
  },
};

/** The address of the server for a user who may make databases. */
async function makeUser({ port, connectAsRoot }: Server): Promise<string> {
  const root = await connectAsRoot();
  await root.query("CREATE USER bench@'%' IDENTIFIED BY 'bench'");
  await root.query("GRANT ALL ON *.* TO bench@'%'");
  return `mysql://bench:bench@127.0.0.1:${port}/mysql`;
}

async function measure({ lab, busy, times, ...column }: Column, way: Distance, round: number): Promise<void> {
  const [token = ''] = await issueAccessTokens(lab.product.authServer.port, [lab.population.administrator]);
  way.roundTrip = column.roundTrip;
  const stop = busy === undefined ? async () => {} : keepWriting(busy, otherWrites);
  const travel = async (journey: number, into: Times) => {
    for (const [name, send] of listRequests(lab, token, journey)) {
      await sleep(pause);
      await time(into, name, send);
    }
  };
  // Opens the connections that are left, and has the secrets checked for the first time.
  await travel(0, new Map());
  await timeStatements(lab.databaseUrls.auth, times);
  for (let journey = 0; journey < journeysInRound; journey += 1) {
    await travel(1 + round * journeysInRound + journey, times);
  }
  await stop();
  way.roundTrip = 0;
}

function buildResult(columns: readonly Column[]): CaseResult {
  const names = [...(columns[0]?.times.keys() ?? [])];
  const format = (values: readonly number[] = []) =>
    `${Math.round(median(values))}, ${Math.round(percentile(values, 95))}`;
  const rows = names.map((name) => [name, ...columns.map(({ times }) => format(times.get(name)))]);
  return {
    table: formatColumns([['', ...columns.map(({ name }) => name)], ...rows]),
    goals: [],
    bars: { unit: 'ms', values: [] },
    measured: columns.map(({ name, times }) => ({ name, times: Object.fromEntries(times) })),
    // Each write goes over the distance, or this measured something else.
    valid: columns.every((column) => median(column.times.get(nameOfWrite) ?? []) >= column.roundTrip),
  };
}
