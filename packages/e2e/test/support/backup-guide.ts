import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot, type ServiceName } from '@gatehouse/test-kit';
import { test } from '@jest/globals';
import { parseSteps, readSection } from './guide.ts';
import { doSteps } from './guide-terminal.ts';

/** Milliseconds that the steps of a section may take. */
const patience = 110_000;

/** Where the clients of MySQL are missing the tests that need them fail in CI; elsewhere they are left out. */
const has = (program: string) => spawnSync(program, ['--version']).status === 0;
export const testWithClients: typeof test.skip = has('mysqldump') || process.env.CI !== undefined ? test : test.skip;
/** The server is MariaDB, whose own clients the page asks for; mysqldump of MySQL 9 does not authenticate there. */
const clients = has('mariadb-dump')
  ? { dump: 'mariadb-dump', client: 'mariadb' }
  : { dump: 'mysqldump', client: 'mysql' };

/** A folder of an installation, with the programs in it, that ends with the test. */
export function makeInstallation(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
  for (const name of ['node_modules', 'apps', 'packages']) symlinkSync(join(repositoryRoot, name), join(folder, name));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Installation {
  folder: string;
  urls: Readonly<Record<ServiceName, string>>;
  /** Of each service, for its commands. */
  env: Readonly<Record<ServiceName, Readonly<Record<string, string>>>>;
  /** Changes the text of a page to what is there. */
  adapt?: (text: string) => string;
}

/** Does what a section of a page of operators says, in the folder of an installation. Gives the milliseconds that it took. */
export async function followPage(page: string, heading: string, installation: Installation): Promise<number> {
  const { folder, urls, env, adapt = (text) => text } = installation;
  const text = readFileSync(join(repositoryRoot, `docs/operations/${page}`), 'utf8');
  const section = readSection(text, heading).split('\n#', 1)[0] ?? '';
  const here = withVariables(adapt(section), env)
    .replaceAll('http://localhost:9000', urls['auth-server'])
    .replaceAll('http://localhost:9001', urls['org-api']);
  const steps = parseSteps(here);
  if (steps.length === 0) throw new Error(`${page} has no steps below ${heading}`);
  const startedAt = performance.now();
  await doSteps(steps, { folder, env: { ...process.env, HOME: folder } }, patience);
  return performance.now() - startedAt;
}

/** A command of a container, or of a service, runs here with what the service has. */
function withVariables(text: string, env: Installation['env']): string {
  return text.replaceAll(
    /^(?:docker compose (?:run --rm -T|exec) (?:auth-server|org-api) )?node apps\/(auth-server|org-api)\//gm,
    (_command, name: ServiceName) => {
      const variables = Object.entries(env[name]).map(([variable, value]) => `${variable}='${value}'`);
      return `env ${variables.join(' ')} node apps/${name}/`;
    },
  );
}

/** The text of a page with the server of a test in the place of the page's. Its root has no password. */
export function adaptToServer({ folder, port }: { folder: string; port: number }): (text: string) => string {
  return (text) =>
    text
      .replaceAll('--host mysql.internal --user root --password', `--host 127.0.0.1 --port ${port} --user root`)
      .replaceAll('host = mysql.internal', `host = 127.0.0.1\nport = ${port}`)
      .replaceAll('docker compose exec -T mysql ', '')
      .replaceAll(/^docker compose (?:stop|up) .*$/gm, ':')
      .replaceAll('/run/secrets/', `${folder}/`)
      .replaceAll(' --set-gtid-purged=OFF', '')
      .replaceAll(/^( *)mysqldump /gm, `$1${clients.dump} `)
      .replaceAll(/^( *)mysql (?=-)/gm, `$1${clients.client} `)
      .replaceAll('--user=root', `--host=127.0.0.1 --port=${port} --user=root`);
}
