import { randomBytes } from 'node:crypto';
import type { Dialect } from '@gatehouse/service-kit';
import { findFreePort } from './free-port.ts';
import { runServiceScript, type ServiceName, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { createTestDatabase } from './test-database.ts';

/** Both services, listening on two hosts, each on its own empty database with the demo users. */
export interface Gatehouse {
  authUrl: string;
  baseUrl: string;
  authServer: ServiceProcess;
  orgApi: ServiceProcess;
  /** The environment each service was started with, to start it again or beside it. */
  env: Record<ServiceName, Record<string, string>>;
  /** Everything both services wrote. */
  output(): string;
  stop(): Promise<void>;
}

export async function startGatehouse(options: {
  dialect: Dialect;
  env?: Partial<Record<ServiceName, Record<string, string>>>;
}): Promise<Gatehouse> {
  const { dialect } = options;
  const [authPort, orgPort, authDatabase, orgDatabase] = await Promise.all([
    findFreePort(),
    findFreePort(),
    createTestDatabase(dialect),
    createTestDatabase(dialect),
  ]);
  const authUrl = `http://localhost:${authPort}`;
  const baseUrl = `http://localhost:${orgPort}`;
  const common = { AUTH_URL: authUrl, BASE_URL: baseUrl };
  const env = {
    'auth-server': {
      ...common,
      DATABASE_URL: authDatabase.url,
      KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ...options.env?.['auth-server'],
    },
    'org-api': { ...common, DATABASE_URL: orgDatabase.url, DEMO_DATA: 'true', ...options.env?.['org-api'] },
  };
  if (dialect === 'mysql') {
    await Promise.all([migrateService('auth-server', env['auth-server']), migrateService('org-api', env['org-api'])]);
  }
  const [authServer, orgApi] = await Promise.all([
    startServiceProcess({ name: 'auth-server', port: authPort, env: env['auth-server'] }),
    startServiceProcess({ name: 'org-api', port: orgPort, env: env['org-api'] }),
  ]);
  return {
    authUrl,
    baseUrl,
    authServer,
    orgApi,
    env,
    output: () => authServer.output() + orgApi.output(),
    async stop() {
      await Promise.all([authServer.stop(), orgApi.stop()]);
      await Promise.all([authDatabase.drop(), orgDatabase.drop()]);
    },
  };
}

async function migrateService(name: ServiceName, env: Record<string, string>): Promise<void> {
  const { code, output } = await runServiceScript(name, 'migrate', env);
  if (code !== 0) throw new Error(`migration of ${name} failed: ${output}`);
}
