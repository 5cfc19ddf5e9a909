import type { Dialect } from '@gatehouse/service-kit/database';
import { findFreePort } from './free-port.ts';
import { createServiceDatabase, credentialsKey, keyEncryptionKey } from './service-database.ts';
import {
  migrateService,
  repositoryRoot,
  type ServiceName,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts';
import { type ServiceReplicas, startServiceReplicas } from './service-replicas.ts';
import { createTestDatabase, type TestDatabase, testReplicas } from './test-database.ts';

/** Both services, listening on two hosts, each on its own database, empty but for the demo users. */
export interface Gatehouse<Service extends ServiceProcess = ServiceProcess> {
  authUrl: string;
  baseUrl: string;
  authServer: Service;
  orgApi: Service;
  /** The environment each service was started with, to start it again or to start another one. */
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

/** Replicas of each service behind a balancer each, all on one database server: two of this build, or one of each of `builds`. */
export function startReplicatedGatehouse({
  builds,
  ...options
}: GatehouseOptions & { builds?: readonly string[] }): Promise<Gatehouse<ServiceReplicas>> {
  const folders = builds ?? [repositoryRoot, repositoryRoot];
  // Another build finds what the migrations of this one leave, and makes its own rows.
  const createDatabase = builds === undefined ? createServiceDatabase : createMigratedDatabase;
  return startServices({ ...options, createDatabase }, (service) =>
    startServiceReplicas({ ...service, builds: folders }),
  );
}

type InternalOptions = GatehouseOptions & { createDatabase?: typeof createServiceDatabase };

async function startServices<Service extends ServiceProcess>(
  { dialect, env: extra = {}, databaseServer, createDatabase = createServiceDatabase }: InternalOptions,
  start: (service: { name: ServiceName; port: number; env: Record<string, string> }) => Promise<Service>,
): Promise<Gatehouse<Service>> {
  const [authPort, orgPort, authDatabase, orgDatabase] = await Promise.all([
    findFreePort(),
    findFreePort(),
    createDatabase('auth-server', dialect, databaseServer),
    createDatabase('org-api', dialect, databaseServer),
  ]);
  const authUrl = `http://localhost:${authPort}`;
  const baseUrl = `http://localhost:${orgPort}`;
  const common = { AUTH_URL: authUrl, BASE_URL: baseUrl };
  const env = {
    'auth-server': {
      ...common,
      DATABASE_URL: authDatabase.url,
      KEY_ENCRYPTION_KEY: keyEncryptionKey,
      ...extra['auth-server'],
    },
    'org-api': {
      ...common,
      DATABASE_URL: orgDatabase.url,
      DEMO_DATA: 'true',
      CREDENTIALS_KEY: credentialsKey,
      ...extra['org-api'],
    },
  };
  // For a test that names a database of its own.
  const first: Record<string, string> = createDatabase === createServiceDatabase ? { MIGRATE_ON_START: 'true' } : {};
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

/** A database with the tables of this build. */
async function createMigratedDatabase(name: ServiceName, dialect: Dialect, server?: string): Promise<TestDatabase> {
  const database = await createTestDatabase(dialect, server);
  await migrateService(name, { DATABASE_URL: database.url });
  return database;
}
