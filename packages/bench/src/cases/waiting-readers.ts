import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { buildFormRequest } from '../load/load.ts';
import { stopChild } from '../machine/children.ts';
import { readCpuMicros, readResidentMb } from '../machine/process-usage.ts';
import { measureVariant, type Variant } from '../measurement/measure.ts';
import type { Row, Sample } from '../measurement/sample.ts';
import { median } from '../measurement/statistics.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import { statusListPath } from '../product/status-list-path.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { formatColumns } from '../report/table.ts';
import type { BenchCase } from './bench-case.ts';
import { tokenLoad } from './client-credentials.ts';

const script = fileURLToPath(new URL('../load/waiting-readers.js', import.meta.url));
/** As many as a process lets wait. */
const readers = 1_000;
/** Seconds for which the process is watched while nothing but the readers is there. */
const restSeconds = 5;

const alone = 'client_credentials alone';
const beside = `client_credentials beside ${readers.toLocaleString('en')} readers that wait`;
const besideRevocations = `${beside}, one revocation a second`;

/** The cost of callers that wait for a status list to change. */
export const waitingReaders: BenchCase = {
  name: 'waiting_readers',
  title: `client_credentials while ${readers.toLocaleString('en')} readers wait for a status list; auth-server is measured`,
  async run(lab) {
    // The readers name their addresses by a forwarded header.
    await lab.product.restart('auth-server', { TRUST_PROXY: 'loopback' });
    const { authServer } = lab.product;
    const client = lab.population.serviceClients.slice(0, 1);
    const load = tokenLoad(authServer.port, client);
    const tokens: Variant = { name: alone, server: () => authServer, prepare: () => load };
    const rows = [newRow(alone), newRow(beside), newRow(besideRevocations)] as const;
    const rests: Rest[] = [];
    await measureVariant(lab, tokens);
    for (let round = 0; round < lab.options.rounds; round += 1) {
      const before = await rest(authServer.pid);
      rows[0].samples.push(await measureVariant(lab, tokens));
      const stop = await startReaders(lab);
      const during = await rest(authServer.pid);
      rows[1].samples.push(await measureVariant(lab, tokens));
      const stopRevoking = startRevoking(lab);
      rests.push({ before, during, revoking: await rest(authServer.pid) });
      rows[2].samples.push(await measureVariant(lab, tokens));
      await stopRevoking();
      lab.say(`  readers were answered ${await stop()}`);
    }
    await lab.product.restart('auth-server');
    const result = buildRateResult(rows, { reference: alone });
    return { ...result, table: `${result.table}\n\n${describeRest(rests)}`, measured: [result.measured, rests] };
  },
};

/** The cost of a process that has nothing to do for callers that ask. */
interface Usage {
  /** Share of a core. */
  cpu: number;
  residentMb: number;
}

interface Rest {
  before: Usage;
  during: Usage;
  revoking: Usage;
}

async function rest(pid: number): Promise<Usage> {
  await sleep(1_000);
  const before = readCpuMicros(pid) ?? Number.NaN;
  await sleep(restSeconds * 1_000);
  const spent = (readCpuMicros(pid) ?? Number.NaN) - before;
  return { cpu: spent / (restSeconds * 1_000_000), residentMb: readResidentMb(pid) ?? Number.NaN };
}

function describeRest(rests: readonly Rest[]): string {
  const describe = (title: string, usages: readonly Usage[]) => [
    title,
    `${(median(usages.map(({ cpu }) => cpu)) * 100).toFixed(1)} %`,
    median(usages.map(({ residentMb }) => residentMb)).toFixed(0),
  ];
  return formatColumns([
    ['nobody else asks for tokens', 'of a core', 'MB'],
    describe(
      'nobody waits',
      rests.map(({ before }) => before),
    ),
    describe(
      `${readers.toLocaleString('en')} readers wait`,
      rests.map(({ during }) => during),
    ),
    describe(
      'the same, one revocation a second',
      rests.map(({ revoking }) => revoking),
    ),
  ]);
}

/** Starts the readers, and goes on when all of them wait. The function that it gives ends them and says how they were answered. */
async function startReaders({ product, population, children }: Lab): Promise<() => Promise<string>> {
  const { url, port } = product.authServer;
  const [token = ''] = await issueAccessTokens(port, population.serviceClients.slice(0, 1));
  const child = spawn(process.execPath, [script, url + statusListPath(token), String(readers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  while ((await countWaiting(url)) < readers) await sleep(100);
  return async () => {
    await stopChild(child);
    return output.trim();
  };
}

async function countWaiting(url: string): Promise<number> {
  const { body } = await request(`${url}/metrics`);
  return Number(/^gatehouse_status_list_waiting_readers (\d+)$/m.exec(await body.text())?.[1]);
}

/** Revokes a token a second until the function that it gives is called. */
function startRevoking({ product, population }: Lab): () => Promise<void> {
  const { port } = product.authServer;
  const [client] = population.serviceClients;
  if (client === undefined) throw new Error('the population has no clients');
  const stopping = new AbortController();
  const revoking = (async () => {
    while (!stopping.signal.aborted) {
      const [token = ''] = await issueAccessTokens(port, [client]);
      await exchange(port, [buildFormRequest('/oauth/revoke', client, { token })]);
      await sleep(1_000, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await revoking;
  };
}

function newRow(variant: string): Row & { samples: Sample[] } {
  return { variant, samples: [] };
}
