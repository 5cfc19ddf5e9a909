import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort, type Gatehouse, repositoryRoot } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import { passwordKind, registerClient } from './support/clients.ts';
import { administrator, plainUser } from './support/people.ts';
import { describeGatehouse } from './support/suite.ts';

type Environment = Record<string, string>;

async function runProgram(args: string[], env: Environment) {
  const child = spawn(process.execPath, ['packages/demo/user-details.mjs', ...args], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

describeGatehouse('npm run user-details', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let settings: Environment;
  const secret = 'cli s%cret+&:~';

  beforeAll(async () => {
    gatehouse = getGatehouse();
    const [clientId] = await registerClient(gatehouse, passwordKind({ client_secret: secret }));
    settings = {
      ACTIVE_USERNAME: plainUser[0],
      ACTIVE_PASSWORD: plainUser[1],
      ACTIVE_API: gatehouse.baseUrl,
      ACTIVE_CLIENT_ID: clientId,
      ACTIVE_CLIENT_SECRET: secret,
      ACTIVE_TOKEN_URL: `${gatehouse.authUrl}/oauth/token`,
    };
  });

  /** Exit 1, nothing but one line that names the step, and none of the secrets in it. */
  const expectFailure = async (step: RegExp, args: string[], env: Environment) => {
    const { code, stdout, stderr } = await runProgram(args, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toMatch(step);
    for (const value of [plainUser[1], 'not-the-password', secret, encodeURIComponent(secret), 'not-the-secret']) {
      expect(stderr).not.toContain(value);
    }
    expect(stderr).not.toMatch(/[\w-]{20,}\.[\w-]{20,}\./);
  };

  test('prints the details of the user of the variables as JSON', async () => {
    const { code, stdout, stderr } = await runProgram([], settings);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ username: plainUser[0], userType: 'Person', firstName: 'Ursula' });
  });

  test('prints the details of the user that is named, where the caller may read them', async () => {
    const env = { ...settings, ACTIVE_USERNAME: administrator[0], ACTIVE_PASSWORD: administrator[1] };
    const { code, stdout } = await runProgram(['robot@example.com'], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ username: 'robot@example.com', userType: 'Robot' });
  });

  test('takes a base address with a slash at its end', async () => {
    const { code } = await runProgram([], { ...settings, ACTIVE_API: `${gatehouse.baseUrl}/` });
    expect(code).toBe(0);
  });

  test('lets flags win over variables', async () => {
    const wrong = Object.fromEntries(Object.keys(settings).map((name) => [name, 'http://127.0.0.1:1/wrong']));
    const { ACTIVE_CLIENT_ID: clientId = '', ACTIVE_TOKEN_URL: tokenUrl = '' } = settings;
    const flags = [
      ...['--username', plainUser[0], '--password', plainUser[1], '--api', gatehouse.baseUrl],
      ...['--client-id', clientId, '--client-secret', secret, '--token-url', tokenUrl],
    ];
    const { code, stdout, stderr } = await runProgram(flags, wrong);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ username: plainUser[0] });
  });

  test('names the token step where the password is wrong', () =>
    expectFailure(/token/, [], { ...settings, ACTIVE_PASSWORD: 'not-the-password' }));

  test('names the token step where the client secret is wrong', () =>
    expectFailure(/token/, ['--client-secret', 'not-the-secret'], settings));

  test('names the token step where the token URL is out of reach', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}/oauth/token`;
    await expectFailure(/token/, [], { ...settings, ACTIVE_TOKEN_URL: url });
  });

  test.each([
    'ACTIVE_USERNAME',
    'ACTIVE_PASSWORD',
    'ACTIVE_API',
    'ACTIVE_CLIENT_ID',
    'ACTIVE_CLIENT_SECRET',
    'ACTIVE_TOKEN_URL',
  ])('names %s where it is missing or empty', async (name) => {
    const { [name]: _left, ...others } = settings;
    await expectFailure(new RegExp(name), [], others);
    await expectFailure(new RegExp(name), [], { ...others, [name]: '' });
  });

  test.each(['http://127.0.0.1:1', 'http://no-such-host.invalid', 'nonsense'])(
    'names the user-details step where the API is %s',
    (api) => expectFailure(/user[ -]details:? .*(user details|userId|URL|reach)/, [], { ...settings, ACTIVE_API: api }),
  );

  test('names the user-details step where the user may not be read, or does not exist', async () => {
    await expectFailure(/user details.* 403/, [administrator[0]], settings);
    const env = { ...settings, ACTIVE_USERNAME: administrator[0], ACTIVE_PASSWORD: administrator[1] };
    await expectFailure(/user details.* 404/, ['nobody@example.com'], env);
  });

  test('refuses a flag that it does not know', () => expectFailure(/--nonsense/, ['--nonsense'], settings));
});
