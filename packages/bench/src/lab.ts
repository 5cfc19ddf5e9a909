import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatehouse/test-kit';
import type { BenchOptions } from './arguments.ts';
import { type BenchDatabases, openBenchDatabases } from './database/bench-databases.ts';
import { openTableWriter, type TableWriter } from './database/table-writer.ts';
import { createLoadGenerators, type LoadGenerators } from './load/run-load.ts';
import { type Children, createChildren } from './machine/children.ts';
import type { CleanUp } from './machine/clean-up.ts';
import { type Cores, shareOutCores } from './machine/cores.ts';
import { type Population, populate } from './product/population.ts';
import { type Product, startProduct } from './product/product.ts';
import { type ServerProcess, startServer } from './servers/server-process.ts';

/** The environment of the cases: the product with its databases and users, the other servers, the load generators. */
export interface Lab {
  options: BenchOptions;
  databases: BenchDatabases;
  databaseUrls: { auth: string; org: string };
  writers: { auth: TableWriter; org: TableWriter };
  product: Product;
  population: Population;
  generators: LoadGenerators;
  cores: Cores;
  children: Children;
  cleanUp: CleanUp;
  /** A bare server with this environment (`servers/bare`). */
  startBare(env?: Record<string, string>): Promise<ServerProcess>;
  /** node-oidc-provider (`servers/peer`). */
  startPeer(env?: { ALG?: 'ES256' | 'RS256'; FORMAT?: 'jwt' | 'opaque' }): Promise<ServerProcess>;
  /** Logs progress. */
  say(line: string): void;
  close(): Promise<void>;
}

const people = 1_000;
const coldClients = 100;

export async function openLab(
  options: BenchOptions,
  { say, cleanUp, cores = shareOutCores() }: { say(line: string): void; cleanUp: CleanUp; cores?: Cores },
): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const children = createChildren();
  const databases = await openBenchDatabases(options.database, folder);
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true }), databases.dropAll];
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  cleanUp.add(async () => {
    children.killAll();
    await close();
  });
  try {
    cores.keepAside(process.pid);
    if (databases.pid !== undefined) cores.keepAside(databases.pid);
    closing.push(async () => databases.pid !== undefined && cores.release(databases.pid));
    const databaseUrls = { auth: await databases.create('auth'), org: await databases.create('org') };
    const urls = { 'auth-server': databaseUrls.auth, 'org-api': databaseUrls.org };
    const product = await startProduct({ databases: urls, children, logFolder: options.logs });
    closing.push(product.stop);
    const writers = { auth: await openTableWriter(databaseUrls.auth), org: await openTableWriter(databaseUrls.org) };
    closing.push(writers.auth.close, writers.org.close);
    const population = await populate(writers, { robots: options.population, people, coldClients });
    const start = async (script: string, env: Record<string, string>) => {
      const port = await findFreePort();
      return startServer({ script: scriptPath(script), port, readyPath: '/health/ready', env, children });
    };
    return {
      options,
      databases,
      databaseUrls,
      writers,
      product,
      population,
      generators: createLoadGenerators({ folder, children }),
      cores,
      children,
      cleanUp,
      startBare: (env = {}) => start('bare/server', env),
      startPeer: (env = {}) => start('peer/oidc-provider', { ...env }),
      say,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function scriptPath(name: string): string {
  return fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
}
