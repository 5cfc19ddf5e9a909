import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatehouse/test-kit';
import type { Children } from '../machine/children.ts';
import { type ServerProcess, startServer } from '../servers/server-process.ts';

export type ServiceName = 'auth-server' | 'org-api';

/** Both services as processes, with the settings of production. */
export interface Product {
  authServer: ServerProcess;
  orgApi: ServerProcess;
  /** `KEY_ENCRYPTION_KEY`, for starting another replica. */
  keyEncryptionKey: string;
  /** Ends a service and starts a new process at the same address. `env` adds variables for this start. */
  restart(name: ServiceName, env?: Record<string, string>): Promise<ServerProcess>;
  /** Starts one more auth-server, at an address of its own, on the same database. */
  startReplica(): Promise<ServerProcess>;
  stop(): Promise<void>;
}

export interface ProductOptions {
  /** `DATABASE_URL` of each service. */
  databases: Record<ServiceName, string>;
  children: Children;
  /** If absent, a new one is made. */
  keyEncryptionKey?: string | undefined;
  /** Folder for the services' logs. If absent, the logs are discarded. */
  logFolder?: string | undefined;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

export async function startProduct(options: ProductOptions): Promise<Product> {
  const ports = { 'auth-server': await findFreePort(), 'org-api': await findFreePort() };
  const { keyEncryptionKey = randomBytes(32).toString('base64') } = options;
  const common = {
    NODE_ENV: 'production',
    AUTH_URL: `http://127.0.0.1:${ports['auth-server']}`,
    BASE_URL: `http://127.0.0.1:${ports['org-api']}`,
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
    MIGRATE_ON_START: 'false',
  };
  const envOf = (name: ServiceName) => ({ ...common, DATABASE_URL: options.databases[name] });
  const start = (name: ServiceName, env: Record<string, string> = {}, port = ports[name]) =>
    startServer({
      script: scriptOf(name, 'main'),
      port,
      readyPath: '/health/ready',
      env: { ...envOf(name), ...env },
      logFile: options.logFolder === undefined ? undefined : openSync(join(options.logFolder, `${name}.log`), 'a'),
      children: options.children,
    });

  await Promise.all((['auth-server', 'org-api'] as const).map((name) => migrate(name, envOf(name))));
  const running = { 'auth-server': await start('auth-server'), 'org-api': await start('org-api') };
  return {
    keyEncryptionKey,
    get authServer() {
      return running['auth-server'];
    },
    get orgApi() {
      return running['org-api'];
    },
    async restart(name, env) {
      await running[name].stop();
      running[name] = await start(name, env);
      return running[name];
    },
    startReplica: async () => start('auth-server', {}, await findFreePort()),
    async stop() {
      await Promise.all([running['auth-server'].stop(), running['org-api'].stop()]);
    },
  };
}

function scriptOf(name: ServiceName, script: string): string {
  return join(root, 'apps', name, 'dist', `${script}.js`);
}

async function migrate(name: ServiceName, env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [scriptOf(name, 'migrate')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the migration of ${name} ended with ${code}`);
}
