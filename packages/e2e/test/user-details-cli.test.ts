import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort, type Gatehouse, repositoryRoot } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { passwordKind, registerClient } from './support/clients.ts';
import { decideDevice, deviceGrant } from './support/device.ts';
import { administrator, plainUser } from './support/people.ts';
import { describeSharedGatehouse } from './support/suite.ts';

type Environment = Record<string, string>;

async function runProgram(args: string[], env: Environment, onOutput?: (stderr: string) => void) {
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
    onOutput?.(output.stderr);
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

describeSharedGatehouse('npm run user-details', (getGatehouse) => {
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
    expectFailure(/token: .*: check ACTIVE_USERNAME and ACTIVE_PASSWORD\n$/, [], {
      ...settings,
      ACTIVE_PASSWORD: 'not-the-password',
    }));

  test('says that a URL needs a scheme, and a username an @', async () => {
    const url = { ...settings, ACTIVE_TOKEN_URL: 'localhost:9000/oauth/token' };
    await expectFailure(
      /settings: ACTIVE_TOKEN_URL .* must be a URL that begins with http:\/\/ or https:\/\//,
      [],
      url,
    );
    await expectFailure(/settings: a username has an @: write ada@ and the domain/, [], {
      ...settings,
      ACTIVE_USERNAME: 'ada',
    });
    await expectFailure(/settings: a username has an @/, ['ada'], settings);
  });

  test('names the token step where the client secret is wrong', () =>
    expectFailure(/token: .*: check ACTIVE_CLIENT_ID and/, ['--client-secret', 'not-the-secret'], settings));

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

  describe('with --device', () => {
    let device: Environment;
    beforeAll(async () => {
      const metadata = { authorized_grant_types: [deviceGrant], redirect_uri: undefined };
      const [publicId] = await registerClient(gatehouse, passwordKind({ client_secret: undefined, ...metadata }));
      const { ACTIVE_API: api = '', ACTIVE_TOKEN_URL: url = '' } = settings;
      device = { ACTIVE_API: api, ACTIVE_TOKEN_URL: url, ACTIVE_CLIENT_ID: publicId };
    });

    /** Runs the program; a user elsewhere decides as soon as it says where. */
    const runDecided = async (args: string[], decision: 'allow' | 'deny', user = plainUser, env = device) => {
      let decided: Promise<unknown> | undefined;
      const result = await runProgram(['--device', ...args], env, (stderr) => {
        const url = /^or open (\S+)\n/m.exec(stderr)?.[1];
        if (url !== undefined) decided ??= decideDevice({ verification_uri_complete: url }, decision, user);
      });
      await decided;
      return result;
    };

    test('says where to sign in, waits, and prints the details of the user who did, without a password or a secret', async () => {
      const { code, stdout, stderr } = await runDecided([], 'allow');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ username: plainUser[0], firstName: 'Ursula' });
      expect(stderr).toMatch(
        /^To sign in, open \S+\/oauth\/device and type the code [B-Z]{4}-[B-Z]{4}\nor open \S+\?user_code=[B-Z]{4}-[B-Z]{4}\n$/,
      );
    });

    test('prints the details of the user that is named, with a client that has a secret', async () => {
      const metadata = { authorized_grant_types: [deviceGrant], redirect_uri: undefined };
      const [clientId] = await registerClient(gatehouse, passwordKind({ client_secret: secret, ...metadata }));
      const env = { ...device, ACTIVE_CLIENT_ID: clientId, ACTIVE_CLIENT_SECRET: secret };
      const { code, stdout } = await runDecided(['robot@example.com'], 'allow', administrator, env);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ username: 'robot@example.com' });
    });

    test('names the token step where the user says no', async () => {
      const { code, stdout, stderr } = await runDecided([], 'deny');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/\nuser-details: token: \S+ answered 400 access_denied [^\n]+\n$/);
    });

    test('names the device step where the client may not, and what is missing', async () => {
      const { ACTIVE_CLIENT_ID: clientId = '' } = settings;
      const env = { ...device, ACTIVE_CLIENT_ID: clientId, ACTIVE_CLIENT_SECRET: secret };
      const advice = /device: \S+ answered 400 unauthorized_client .*: register the client for device authorization/;
      await expectFailure(advice, ['--device'], env);
      const secretless =
        /device: \S+ answered 401 invalid_client .*: check ACTIVE_CLIENT_ID; a client with a secret needs/;
      await expectFailure(secretless, ['--device'], { ...device, ACTIVE_CLIENT_ID: clientId });
      await expectFailure(/ACTIVE_API/, ['--device'], { ...device, ACTIVE_API: '' });
    });
  });

  test('refuses a flag that it does not know', () => expectFailure(/--nonsense/, ['--nonsense'], settings));
});
