import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administrator, call, type Gatehouse, repositoryRoot, startGatehouse } from '@gatehouse/test-kit';
import { parseArguments, schemathesisVersion } from './arguments.ts';

const folder = join(repositoryRoot, 'packages/fuzz/schemathesis');
const print = (text: string) => process.stdout.write(`${text}\n`);

/** Throws an Error that says what to install, unless the version that this repository knows is there. */
function checkInstalled(command: string): void {
  const { stdout = '' } = spawnSync(command, ['--version'], { encoding: 'utf8' });
  if (stdout?.includes(schemathesisVersion)) return;
  const found = stdout ? `found ${stdout.trim()}` : `there is no ${command}`;
  throw new Error(
    `${found}; install schemathesis: pip install schemathesis==${schemathesisVersion} (or name it by SCHEMATHESIS=path)`,
  );
}

/** Registers a client, and gives the environment of the tool: its credentials, and a token of an administrator. */
async function prepareCredentials({ authUrl }: Gatehouse): Promise<Record<string, string>> {
  const [id, secret] = ['schemathesis', randomBytes(24).toString('hex')];
  const scope = ['openid', 'profile', 'email', 'phone', 'address', 'roles', 'offline_access'];
  const [username, password] = administrator;
  const grantTypes = ['password', 'authorization_code', 'refresh_token', 'client_credentials'];
  const client = { client_id: id, client_secret: secret, scope, authorized_grant_types: grantTypes };
  const redirecting = { redirect_uri: 'https://app.example.com/callback', access_token_validity: 86_400 };
  const registered = await call(`${authUrl}/clients`, {
    basic: [username, password],
    json: { ...redirecting, ...client },
  });
  if (registered.status !== 200) throw new Error(registered.text);
  const form = { grant_type: 'password', username, password, scope: scope.join(' ') };
  const tokens = await call(`${authUrl}/oauth/token`, { basic: [id, secret], form });
  const { access_token: token } = tokens.json<{ access_token: string }>();
  return { GATEHOUSE_CLIENT_ID: id, GATEHOUSE_CLIENT_SECRET: secret, GATEHOUSE_ACCESS_TOKEN: token };
}

/** Starts both services on empty databases, and lets schemathesis read and try the description of each. */
async function main(): Promise<number> {
  const { seed, examples, seconds } = parseArguments(process.argv.slice(2), () => randomInt(1, 2 ** 31));
  const command = process.env.SCHEMATHESIS ?? 'schemathesis';
  checkInstalled(command);
  print(`seed: ${seed}`);
  // One proxy is believed: what it says is the address of the caller.
  const env = { TRUST_PROXY: '1', LOG_LEVEL: 'error' };
  const gatehouse = await startGatehouse({ dialect: 'sqlite', env: { 'auth-server': env, 'org-api': env } });
  const workplace = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  const run = async (url: string, credentials: Record<string, string>) => {
    const options = ['--continue-on-failure', '--suppress-health-check', 'all'];
    const numbers = ['--seed', String(seed), '--max-examples', String(examples)];
    // The configuration turns all checks on: named on the command line they would run in spite of its exceptions.
    const configuration = ['--config-file', join(folder, 'schemathesis.toml')];
    const child = spawn(command, [...configuration, 'run', `${url}/openapi.json`, ...options, ...numbers], {
      cwd: workplace,
      env: {
        ...process.env,
        ...credentials,
        ...{ PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1', SCHEMATHESIS_HOOKS: 'hooks' },
      },
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: seconds * 1000,
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code === null) print(`${url}: not done within ${seconds} seconds`);
    return code ?? 1;
  };
  try {
    const credentials = await prepareCredentials(gatehouse);
    const codes = [await run(gatehouse.authUrl, credentials), await run(gatehouse.baseUrl, credentials)];
    print(`seed: ${seed}`);
    return codes.every((code) => code === 0) ? 0 : 1;
  } finally {
    await gatehouse.stop();
    await rm(workplace, { recursive: true, force: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
