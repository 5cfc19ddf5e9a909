import { randomBytes } from 'node:crypto';
import type { Dialect } from '@gatehouse/service-kit/database';
import { findFreePort } from './free-port.ts';
import {
  repositoryRoot,
  runServiceScript,
  type ServiceName,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts';
import { type ServiceReplicas, startServiceReplicas } from './service-replicas.ts';
import { createTestDatabase, testReplicas } from './test-database.ts';

/** Both services, listening on two hosts, each on its own empty database with the demo users. */
export interface Gatehouse<Service extends ServiceProcess = ServiceProcess> {
  authUrl: string;
  baseUrl: string;
  authServer: Service;
  orgApi: Service;
  /** The environment each service was started with, to start it again or beside it. */
  env: Record<ServiceName, Record<string, string>>;
  /** Everything both services wrote. */
  output(): string;
  /** Kills both, since nobody waits for what they are at any more, and drops their databases. */
  stop(): Promise<void>;
}

interface GatehouseOptions {
  dialect: Dialect;
  env?: Partial<Record<ServiceName, Record<string, string>>>;
  /** A MySQL server other than that of `TEST_MYSQL_URL`. */
  databaseServer?: string;
}

/** One process of each service; two replicas of each where `E2E_REPLICAS` is 2. */
export function startGatehouse(options: GatehouseOptions): Promise<Gatehouse> {
  if (testReplicas > 1) return startReplicatedGatehouse(options);
  return startServices(options, startServiceProcess);
}

/** Replicas of each service behind a balancer each, all on one database server: two of this build, or one of each. */
export function startReplicatedGatehouse({
  builds = [repositoryRoot, repositoryRoot],
  ...options
}: GatehouseOptions & { builds?: readonly string[] }): Promise<Gatehouse<ServiceReplicas>> {
  const withSchema = { ...options, migrateFirst: true };
  return startServices(withSchema, (service) => startServiceReplicas({ ...service, builds }));
}

async function startServices<Service extends ServiceProcess>(
  { dialect, env: extra = {}, databaseServer, migrateFirst }: GatehouseOptions & { migrateFirst?: boolean },
  start: (service: { name: ServiceName; port: number; env: Record<string, string> }) => Promise<Service>,
): Promise<Gatehouse<Service>> {
  const [authPort, orgPort, authDatabase, orgDatabase] = await Promise.all([
    findFreePort(),
    findFreePort(),
    createTestDatabase(dialect, databaseServer),
    createTestDatabase(dialect, databaseServer),
  ]);
  const authUrl = `http://localhost:${authPort}`;
  const baseUrl = `http://localhost:${orgPort}`;
  const common = { AUTH_URL: authUrl, BASE_URL: baseUrl };
  const env = {
    'auth-server': {
      ...common,
      DATABASE_URL: authDatabase.url,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ...extra['auth-server'],
    },
    'org-api': { ...common, DATABASE_URL: orgDatabase.url, DEMO_DATA: 'true', ...extra['org-api'] },
  };
  // Of replicas always by this build, whichever then runs; a service that is alone does it at its start.
  if (migrateFirst) {
    await Promise.all([migrateService('auth-server', env['auth-server']), migrateService('org-api', env['org-api'])]);
  }
  const first: Record<string, string> = migrateFirst ? {} : { MIGRATE_ON_START: 'true' };
  const [authServer, orgApi] = await Promise.all([
    start({ name: 'auth-server', port: authPort, env: { ...first, ...env['auth-server'] } }),
    start({ name: 'org-api', port: orgPort, env: { ...first, ...env['org-api'] } }),
  ]);
  return {
    authUrl,
    baseUrl,
    authServer,
    orgApi,
    env,
    output: () => authServer.output() + orgApi.output(),
    async stop() {
      await Promise.all([authServer.stop('SIGKILL'), orgApi.stop('SIGKILL')]);
      await Promise.all([authDatabase.drop(), orgDatabase.drop()]);
    },
  };
}

/** Brings the database of a service up to date. */
export async function migrateService(name: ServiceName, env: Record<string, string>): Promise<void> {
  const { code, output } = await runServiceScript(name, 'migrate', env);
  if (code !== 0) throw new Error(`migration of ${name} failed: ${output}`);
}
