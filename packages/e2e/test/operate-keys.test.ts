import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  call,
  type Gatehouse,
  repositoryRoot,
  type ServiceProcess,
  startGatehouse,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { V1Deployment } from '@kubernetes/client-node';
import { createConnection } from 'mysql2/promise';
import { parse } from 'yaml';
import { isCommand, parseSteps, readBlocks, readSection } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { getManifest, hasKubectl, readVariables, renderFolder } from './support/manifests.ts';
import { describeOnMysql } from './support/suite.ts';
import { waitFor } from './support/wait.ts';

const page = readFileSync(join(repositoryRoot, 'docs/operations/keys.md'), 'utf8');
const client: [string, string] = ['an-application', 'the-secret-of-the-application'];
/** Milliseconds; some seconds where the machine has nothing else to do. */
const patience = 100_000;

describeOnMysql('docs/operations/keys.md', () => {
  let gatehouse: Gatehouse;
  let running: ServiceProcess;
  let folder: string;
  let tokens: { access_token: string; refresh_token: string };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
    gatehouse = await startGatehouse({ dialect: 'mysql' });
    running = gatehouse.authServer;
    const administrator: [string, string] = ['admin@example.com', 'admin-password'];
    const json = {
      client_id: client[0],
      client_secret: client[1],
      scope: ['profile'],
      authorized_grant_types: ['password', 'refresh_token'],
    };
    await call(`${gatehouse.authUrl}/clients`, { basic: administrator, json });
    tokens = (await ask({ grant_type: 'password', username: 'user@example.com', password: 'user-password' })).json();
  });
  afterEach(async () => {
    await running?.stop('SIGKILL');
    await gatehouse?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (form: Record<string, string>) => call(`${gatehouse.authUrl}/oauth/token`, { basic: client, form });
  const refresh = () => ask({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
  const isActive = async (token: string) => {
    const { authUrl } = gatehouse;
    return (await call(`${authUrl}/oauth/introspect`, { basic: client, form: { token } })).json().active;
  };
  const listPublished = async () =>
    (await call(`${gatehouse.authUrl}/oauth/jwks`)).json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid);

  /** The command of a container is run here, with what the container would have. */
  const follow = (text: string, changes: Record<string, string> = {}) => {
    const here = text.replaceAll(
      /^(docker compose exec auth-server|kubectl -n gatehouse exec deployment\/auth-server --) /gm,
      '',
    );
    const env = { ...process.env, ...gatehouse.env['auth-server'], ...changes };
    return doSteps(parseSteps(here).filter(isCommand), { folder: repositoryRoot, env }, patience - 10_000);
  };

  const runSql = async (section: string) => {
    const connection = await createConnection(gatehouse.env['auth-server'].DATABASE_URL ?? '');
    for (const statement of readBlocks(readSection(page, section), 'sql')) await connection.query(statement);
    await connection.end();
  };

  const restart = async (env: Record<string, string>, until: 'live' | 'ready' = 'ready') => {
    await running.stop();
    const port = Number(new URL(gatehouse.authUrl).port);
    running = await startServiceProcess({
      name: 'auth-server',
      port,
      env: { ...gatehouse.env['auth-server'], ...env },
      until,
    });
  };

  test(
    'the keys are listed and rotated, and nothing that is out ends',
    async () => {
      const [list = ''] = page.split('\n## ', 1);
      await follow(list);
      await follow(readSection(page, '## Rotate the signing keys'));
      await waitFor(listPublished, (keys) => keys.length === 4);
      expect(await isActive(tokens.access_token)).toBe(true);
    },
    patience,
  );

  test(
    'the keys are rotated by the commands of Kubernetes too',
    async () => {
      await follow(readSection(page, '## Rotate on Kubernetes'));
      await waitFor(listPublished, (keys) => keys.length === 4);
      expect(await isActive(tokens.access_token)).toBe(true);
    },
    patience,
  );

  test(
    'a key that leaked is gone from the key set, and so is what it signed; users need not sign in again',
    async () => {
      const leaked = await listPublished();
      await follow(readSection(page, '## A signing key leaked'));
      await runSql('## A signing key leaked');
      const left = await waitFor(listPublished, (keys) => keys.length === 2, 5_000);
      expect(left.filter((kid) => leaked.includes(kid))).toEqual([]);
      expect(await isActive(tokens.access_token)).toBe(false);
      expect((await refresh()).status).toBe(200);
    },
    patience,
  );

  test(
    'the encryption key is changed with compose, and all tokens stay valid',
    async () => {
      const secrets = join(folder, 'secrets');
      mkdirSync(secrets);
      writeFileSync(join(secrets, 'key-encryption-key'), gatehouse.env['auth-server'].KEY_ENCRYPTION_KEY ?? '', {
        mode: 0o444,
      });
      const section = readSection(page, '## Change the encryption key').split('### Kubernetes', 1)[0] ?? '';
      const steps = parseSteps(section.replaceAll(/^docker compose .*$/gm, 'true'));
      const start = steps.findIndex((step) => isCommand(step) && step.command === 'true\n');
      expect(start).toBeGreaterThan(1);
      await doSteps(steps.slice(0, start), { folder, env: process.env }, patience);
      const file = parse(readFileSync(join(folder, 'previous-key.yaml'), 'utf8')) as {
        services: Record<string, { environment: Record<string, string> }>;
        secrets: Record<string, { file: string }>;
      };
      const [[name = '', path = ''] = []] = Object.entries(file.services['auth-server']?.environment ?? {});
      const key = { KEY_ENCRYPTION_KEY: '', KEY_ENCRYPTION_KEY_FILE: join(secrets, 'key-encryption-key') };
      const previous = join(folder, file.secrets[path.replace('/run/secrets/', '')]?.file ?? '');
      await restart({ ...key, [name]: previous });
      await doSteps(steps.slice(start), { folder, env: process.env }, patience);
      await restart(key);
      expect(await isActive(tokens.access_token)).toBe(true);
    },
    patience,
  );

  test(
    'a lost key costs the signing keys alone, and auth-server is ready again without a restart',
    async () => {
      const key = { KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };
      await restart(key, 'live');
      await follow(readSection(page, '### KEY_ENCRYPTION_KEY'), key);
      const readiness = () => call(`${gatehouse.authUrl}/health/ready`);
      expect((await waitFor(readiness, ({ status }) => status === 200)).status).toBe(200);
      expect(await isActive(tokens.access_token)).toBe(false);
      expect((await refresh()).status).toBe(200);
    },
    patience,
  );
});

const describeWithKubectl = hasKubectl || process.env.CI ? describe : describe.skip;
describeWithKubectl('docs/operations/keys.md on Kubernetes', () => {
  test('its patch gives the pods the old key beside the new one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-overlay-'));
    cpSync(join(repositoryRoot, 'infra/k8s'), folder, { recursive: true });
    const overlay = join(folder, 'overlays/production');
    const kustomization = readFileSync(join(overlay, 'kustomization.yaml'), 'utf8');
    const [, patch = ''] = readBlocks(page, 'yaml');
    writeFileSync(join(overlay, 'kustomization.yaml'), kustomization.replace('\npatches:\n', `\npatches:\n${patch}`));
    const manifests = renderFolder(overlay);
    rmSync(folder, { recursive: true });
    const pod = getManifest<V1Deployment>(manifests, 'Deployment/auth-server').spec?.template.spec;
    const file = readVariables(pod?.containers[0], manifests).KEY_ENCRYPTION_KEY_PREVIOUS_FILE;
    const mount = pod?.containers[0]?.volumeMounts?.find(({ name }) => name === 'secrets')?.mountPath;
    const items = pod?.volumes?.find(({ name }) => name === 'secrets')?.secret?.items ?? [];
    expect(items.map(({ path }) => `${mount}/${path}`)).toContain(file);
    expect(items.map(({ key }) => key)).toContain('key-encryption-key');
  });
});
