import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  assertionType,
  call,
  createClientKey,
  createTestBrowser,
  findFreePort,
  type Gatehouse,
  makeCertificates,
  signIn,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { passwordKind, postClient } from './support/clients.ts';
import { type CommandLine, createCommandLine, onceAsked, type Run } from './support/command-line.ts';
import { openDevicePage } from './support/device.ts';
import { administrator, idpAdministrator, plainUser } from './support/people.ts';
import { describeGatehouse, describeGatehouseOnce } from './support/suite.ts';
import { startTlsProxy } from './support/tls-proxy.ts';
import { uniqueName } from './support/unique.ts';

type Person = readonly [string, string];

/** Signs in at the address that the tool asks to open, as its user does in a browser. */
function signInAt([username, password]: Person, follow = true) {
  const landed: string[] = [];
  const onAsked = onceAsked(/open (http\S+)\n/, ([, url = '']) => {
    void (async () => {
      const answer = await signIn(url, { username, password });
      const location = String(answer.headers.location);
      landed.push(location);
      if (follow) landed.push((await call(location)).text);
    })();
  });
  return { onAsked, landed };
}

async function login({ run }: CommandLine, user: Person, args: string[] = []): Promise<Run> {
  return run(['login', ...args], { onAsked: signInAt(user).onAsked });
}

const cliOn = { 'auth-server': { CLI_CLIENT: 'device' } };

describeGatehouse(
  'the command line',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    let cli: CommandLine;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      cli = createCommandLine(gatehouse.authUrl);
      expect(await login(cli, administrator)).toMatchObject({ code: 0 });
    });
    afterAll(() => cli.remove());

    test('signs in by a browser of the same machine, keeps what it needs for itself, and signs out', async () => {
      const own = createCommandLine(gatehouse.authUrl);
      const { onAsked, landed } = signInAt(administrator);
      const { code, stdout, stderr } = await own.run(['login'], { onAsked });
      expect([code, stdout]).toEqual([0, `signed in at ${gatehouse.authUrl} as ${administrator[0]}\n`]);
      const asked = new URL(/open (\S+)/.exec(stderr)?.[1] ?? '');
      expect(Object.fromEntries(asked.searchParams)).toMatchObject({
        ...{ client_id: 'gatehouse-cli', scope: 'openid profile roles', code_challenge_method: 'S256' },
        dpop_jkt: expect.any(String),
      });
      expect(landed[1]).toContain('You are signed in.');

      const folder = join(own.folder, 'gatehouse');
      const [file = '', ...others] = readdirSync(folder);
      expect(others).toEqual([]);
      expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([0o700, 0o600]);
      const kept = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      expect(`${stdout}${stderr}`).not.toContain(kept.refreshToken);
      expect((await own.run(['users', 'get', plainUser[0]])).stdout).toContain('firstName: Ursula');

      expect(await own.run(['logout'])).toEqual({
        code: 0,
        stdout: '',
        stderr: `signed out at ${gatehouse.authUrl}\n`,
      });
      expect(existsSync(join(folder, file))).toBe(false);
      writeFileSync(join(folder, file), JSON.stringify(kept));
      const ended = await own.run(['users', 'list']);
      expect(ended).toEqual({ code: 1, stdout: '', stderr: 'gatehouse: sign-in: it has ended: run gatehouse login\n' });
      writeFileSync(join(folder, file), JSON.stringify(kept));
      expect(await own.json('logout')).toEqual({ signed_out: gatehouse.authUrl });
      expect(existsSync(join(folder, file))).toBe(false);
      expect(await own.json('logout')).toEqual({ signed_out: null });
      own.remove();
    });

    test('takes no answer of a sign-in but its own', async () => {
      const { onAsked, landed } = signInAt(administrator, false);
      const running = cli.run(['login'], { onAsked });
      while (landed.length === 0) await new Promise((next) => setTimeout(next, 50));
      const address = new URL(landed[0] ?? '');
      for (const [name, value] of [
        ['state', 'other'],
        ['iss', 'https://evil.example.com'],
      ] as const) {
        const wrong = new URL(address);
        wrong.searchParams.set(name, value);
        expect((await call(wrong.href)).status).toBe(404);
      }
      expect((await call(address.href)).status).toBe(200);
      expect((await running).code).toBe(0);
    });

    test('signs in by a browser of another machine, whose page warns an administrator', async () => {
      const own = createCommandLine(gatehouse.authUrl);
      const warning = 'that person would administer here as you';
      const onAsked = (user: Person, decision: string, pages: string[]) =>
        onceAsked(/open (\S+) and type the code (\S+)\n/, ([, url, code]) => {
          void (async () => {
            const opened = `${url}?user_code=${code}`;
            const { browser, page } = await openDevicePage(opened, user);
            pages.push(page.text);
            await browser.submit(page, opened, { decision });
          })();
        });
      const seen: string[] = [];
      const allowed = await own.run(['login', '--device'], { onAsked: onAsked(administrator, 'allow', seen) });
      expect([allowed.code, seen[0]]).toEqual([0, expect.stringContaining(warning)]);
      expect(await own.run(['clients', 'list'])).toMatchObject({ code: 0, stderr: '' });

      const ofUser: string[] = [];
      const denied = await own.run(['login', '--device'], { onAsked: onAsked(plainUser, 'deny', ofUser) });
      expect([denied.code, ofUser[0]]).toEqual([1, expect.not.stringContaining(warning)]);
      expect(denied.stderr).toContain('access_denied');
      own.remove();
    });

    test('administers clients', async () => {
      const client_id = uniqueName('shop');
      const registered = await postClient(gatehouse, passwordKind({ client_id, ...{ client_name: 'Shop' } }));
      expect(registered.status).toBe(200);
      expect((await cli.run(['clients', 'list', '--search', client_id])).stdout).toBe(`${client_id}  Shop\n`);
      expect(await cli.json('clients', 'get', client_id)).toMatchObject({ client_id, client_name: 'Shop' });

      const changed = await cli.json('clients', 'set', client_id, 'client_name=Our shop', 'scope=["openid"]');
      expect(changed).toMatchObject({ client_name: 'Our shop', scope: ['openid'] });
      expect((await cli.run(['clients', 'set', client_id, 'enabled=false'])).code).toBe(0);
      expect((await cli.run(['clients', 'list', '--search', client_id])).stdout).toMatch(/disabled\n$/);

      const { code, stdout } = await cli.run(['clients', 'secret', client_id, '--grace', '60']);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S{32,}\n$/)]);
      const checked = { path: `${gatehouse.authUrl}/clients/${client_id}/secret-checks`, secret: stdout.trim() };
      const answer = await call(checked.path, { basic: [...administrator], json: { secret: checked.secret } });
      expect(answer.json()).toEqual({ matches: true });

      const unasked = await cli.run(['clients', 'delete', client_id]);
      expect(unasked).toEqual({
        ...{ code: 64, stdout: '' },
        stderr: 'gatehouse: there is no terminal to ask at: use --yes\n',
      });
      expect(await cli.json('clients', 'delete', client_id, '--yes')).toEqual({ deleted: client_id });
      const gone = await cli.run(['clients', 'get', client_id]);
      expect([gone.code, gone.stdout]).toEqual([1, '']);
      expect(gone.stderr).toMatch(/^gatehouse: clients get: GET \/clients\/\S+ answered 404[^\n]*\n$/);
    });

    test('administers users and groups', async () => {
      const username = `${uniqueName('ada')}@example.com`;
      const password = 'a first password of Ada';
      const made = await cli.run(['users', 'create', username, 'firstName=Ada', '--password-file', '-'], {
        input: password,
      });
      expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('firstName: Ada')]);
      expect(made.stdout + made.stderr).not.toContain(password);
      expect(await cli.json('users', 'set', username, 'lastName=Lovelace', 'nickname=null')).toMatchObject({
        lastName: 'Lovelace',
      });
      expect((await cli.run(['users', 'list', '--search', username])).stdout).toBe(`${username}  Person\n`);

      const group = uniqueName('staff');
      const groups = `${gatehouse.baseUrl}/organization/api/organization/group`;
      expect((await call(groups, { basic: [...administrator], json: { name: group } })).status).toBe(401);
      const { token } = await askToken(gatehouse);
      expect((await call(groups, { bearer: token, json: { name: group, description: 'Staff' } })).status).toBe(201);
      expect((await cli.run(['groups', 'add', group.toUpperCase(), username, plainUser[0]])).stdout).toBe(
        `2 put into ${group.toUpperCase()}\n`,
      );
      expect((await cli.run(['groups', 'members', group])).stdout.trim().split('\n').sort()).toEqual(
        [username, plainUser[0]].sort(),
      );
      expect(await cli.json('groups', 'remove', group, plainUser[0])).toEqual({ added: 0, removed: 1 });
      expect((await cli.run(['groups', 'list'])).stdout).toContain(`${group}`);
      expect((await cli.run(['groups', 'members', 'no such group'])).stderr).toBe(
        'gatehouse: groups: there is no group no such group\n',
      );

      expect((await cli.run(['users', 'disable', username])).stdout).toContain('enabled: false');
      expect((await cli.run(['users', 'enable', username])).stdout).toContain('enabled: true');
      const exported = await cli.run(['users', 'export', username]);
      expect(JSON.parse(exported.stdout)).toMatchObject({
        user: { username, firstName: 'Ada' },
        activity: expect.anything(),
      });
      expect((await cli.run(['users', 'delete', username, '--yes', '--quiet'])).stderr).toBe('');
      expect((await cli.run(['users', 'get', username])).code).toBe(1);

      const names = ['deleted', 'erased', 'told'].map((name) => `${uniqueName(name)}@example.com`);
      const [deleted = '', erased = '', told = ''] = names;
      for (const name of names) await cli.json('users', 'create', name, 'userType=Robot');
      expect(await cli.json('users', 'delete', deleted, '--yes')).toEqual({ deleted });
      expect(await cli.json('users', 'erase', erased, '--yes')).toEqual({ erased });
      const text = { code: 0, stdout: '', stderr: `deleted ${told}\n` };
      expect(await cli.run(['users', 'delete', told, '--yes'])).toEqual(text);
    });

    test('lists and rotates the signing keys', async () => {
      expect((await cli.run(['keys', 'list'])).stdout).toMatch(/^(\S+ +(ES256|RS256) +signing +\S+\n)+$/);
      const keys = await cli.json<{ state: string }[]>('keys', 'rotate');
      expect(keys.filter(({ state }) => state === 'waiting').length).toBeGreaterThan(0);
      expect(await cli.run(['keys', 'rotate'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('answered 409'),
      });
    });

    test('is a service account by a secret, a key or an assertion, and holds a token', async () => {
      const robot = `${uniqueName('robot')}@example.com`;
      const roles = 'roles=["SystemAdministrator"]';
      expect((await cli.run(['users', 'create', robot, 'userType=Robot', roles])).code).toBe(0);
      const key = createClientKey('ES256', 'one');
      const common = {
        scope: ['profile', 'roles'],
        authorized_grant_types: ['service_account'],
        srvc_ac_user_name: robot,
      };
      const [bySecret, byKey, byIssuer] = ['by-secret', 'by-key', 'by-issuer'].map(uniqueName) as [
        string,
        string,
        string,
      ];
      const issuer = `https://${byIssuer}.example.com`;
      const issuers = {
        basic: [...administrator] as [string, string],
        json: { issuer, name: 'Builds', jwks: { keys: [key.jwk] } },
      };
      expect((await call(`${gatehouse.authUrl}/issuers`, issuers)).status).toBe(201);
      const federated = {
        token_endpoint_auth_method: 'federated_jwt',
        federated_credentials: [{ issuer, subject: 'job' }],
      };
      const secret = 'a secret: of %+&~ the robot';
      const proven = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
      expect((await postClient(gatehouse, { ...common, client_id: bySecret, client_secret: secret })).status).toBe(200);
      expect((await postClient(gatehouse, { ...common, client_id: byKey, ...proven })).status).toBe(200);
      expect((await postClient(gatehouse, { ...common, client_id: byIssuer, ...federated })).status).toBe(200);
      const write = (name: string, text: string) => {
        const file = join(cli.folder, name);
        writeFileSync(file, text);
        return file;
      };
      const now = Math.floor(Date.now() / 1000);
      const token = (exp: number) =>
        key.assertion(byIssuer, gatehouse.authUrl, { iss: issuer, sub: 'job', iat: now, exp });
      const file = write('assertion', `${token(now + 600)}\n`);
      const ofFile = {
        GATEHOUSE_CLIENT_ID: byIssuer,
        GATEHOUSE_CLIENT_ASSERTION_FILE: file,
        GATEHOUSE_CLIENT_ASSERTION_TYPE: assertionType,
      };
      const environments: Record<string, string>[] = [
        { GATEHOUSE_CLIENT_ID: bySecret, GATEHOUSE_CLIENT_SECRET: secret },
        { GATEHOUSE_CLIENT_ID: bySecret, GATEHOUSE_CLIENT_SECRET_FILE: write('secret', `${secret}\n`) },
        { GATEHOUSE_CLIENT_ID: byKey, GATEHOUSE_CLIENT_KEY_FILE: write('key', JSON.stringify(key.privateJwk)) },
        ofFile,
        { GATEHOUSE_TOKEN: (await askToken(gatehouse)).token },
      ];
      for (const env of environments) {
        const options = { env: { ...env, XDG_CONFIG_HOME: '/nowhere' } };
        const { code, stdout, stderr } = await cli.run(['users', 'get', robot], options);
        expect([Object.keys(env), code, stderr]).toEqual([Object.keys(env), 0, '']);
        expect(stdout).toContain(robot);
      }
      const over = token(now - 600);
      writeFileSync(file, over);
      const refused = await cli.run(['users', 'get', robot], { env: ofFile });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^gatehouse: token: .*invalid_client/)]);
      expect(refused.stderr).not.toContain(over);
    });

    test('says what an administrator with fewer roles may not', async () => {
      const own = createCommandLine(gatehouse.authUrl);
      expect((await login(own, idpAdministrator)).code).toBe(0);
      expect((await own.run(['clients', 'list'])).code).toBe(0);
      const refused = await own.run(['users', 'create', 'bob@example.com', 'roles=["SystemAdministrator"]']);
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('answered 403') });
      own.remove();
    });

    test('may run many times at the same moment, and a moment later', async () => {
      for (const apart of [0, 60, 120]) {
        const runs = await Promise.all(
          Array.from({ length: 8 }, async (_, index) => {
            await sleep(index * apart);
            return cli.run(['clients', 'list']);
          }),
        );
        expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
      }
      expect(readdirSync(join(cli.folder, 'gatehouse')).length).toBe(1);
    });

    test('goes on by a sign-in that took the place of the one that it found', async () => {
      const own = createCommandLine(gatehouse.authUrl);
      expect((await login(own, administrator)).code).toBe(0);
      const folder = join(cli.folder, 'gatehouse');
      const [file = ''] = readdirSync(folder);
      const lock = join(folder, `${file}.lock`);
      writeFileSync(lock, '');
      const running = cli.run(['clients', 'list']);
      await sleep(2_000);
      copyFileSync(join(own.folder, 'gatehouse', file), join(folder, file));
      rmSync(lock);
      expect(await running).toMatchObject({ code: 0, stderr: '' });
      own.remove();
    });

    test('goes on where a killed command left its lock', async () => {
      const folder = join(cli.folder, 'gatehouse');
      const [file = ''] = readdirSync(folder);
      const lock = join(folder, `${file}.lock`);
      writeFileSync(lock, '');
      const since = new Date(Date.now() - 61_000);
      utimesSync(lock, since, since);
      expect(await cli.run(['clients', 'list'])).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(lock)).toBe(false);
    });
  },
  cliOn,
);

/** A token of the administrator by the password grant. */
async function askToken(gatehouse: Gatehouse): Promise<{ token: string }> {
  const client = passwordKind();
  await postClient(gatehouse, client);
  const form = { grant_type: 'password', username: administrator[0], password: administrator[1] };
  const basic: [string, string] = [client.client_id, client.client_secret ?? ''];
  const answer = await call(`${gatehouse.authUrl}/oauth/token`, { basic, form });
  return { token: answer.json<{ access_token: string }>().access_token };
}

const mfa = 'urn:gatehouse:acr:mfa';

describeGatehouseOnce(
  'the command line where administration takes a second step',
  (getGatehouse) => {
    test('names the sign-in that satisfies it', async () => {
      const cli = createCommandLine(getGatehouse().authUrl);
      expect((await login(cli, administrator)).code).toBe(0);
      expect(await cli.run(['clients', 'list'])).toEqual({
        ...{ code: 1, stdout: '' },
        stderr: `gatehouse: sign-in: the sign-in does not suffice for this: run gatehouse login --acr ${mfa}\n`,
      });
      const asked = await cli.run(['login', '--acr', mfa, '--max-age', '60'], {
        onAsked: onceAsked(/open (\S+)\n/, ([, url = '']) => {
          const parameters = new URL(url).searchParams;
          expect([parameters.get('acr_values'), parameters.get('max_age')]).toEqual([mfa, '60']);
          void createTestBrowser().get(
            `${parameters.get('redirect_uri')}?${new URLSearchParams({
              ...{ state: parameters.get('state') ?? '', iss: getGatehouse().authUrl, error: 'access_denied' },
            })}`,
          );
        }),
      });
      expect(asked).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('sign-in: the server answered access_denied'),
      });
      cli.remove();
    });
  },
  {
    'auth-server': { CLI_CLIENT: 'on', ADMINISTRATION_ACR: mfa },
    'org-api': { ADMINISTRATION_ACR: mfa },
  },
);

describeGatehouseOnce('the command line where its client is off', (getGatehouse) => {
  test('cannot sign anybody in', async () => {
    const cli = createCommandLine(getGatehouse().authUrl);
    const { code, stderr } = await cli.run(['login', '--device']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^gatehouse: device: \S+ answered 401 invalid_client/)]);
    cli.remove();
  });

  test('trusts the certificates that --ca names', async () => {
    const [port, certificates] = [await findFreePort(), await makeCertificates('localhost')];
    const { authUrl } = getGatehouse();
    const proxy = await startTlsProxy(port, Number(new URL(authUrl).port), certificates);
    const cli = createCommandLine(`https://localhost:${port}`);
    const untrusted = await cli.run(['clients', 'list']);
    expect(untrusted).toMatchObject({ code: 1, stderr: expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE') });
    // The document is that of the http address: it was read.
    const trusted = await cli.run(['clients', 'list', '--ca', certificates.ca]);
    expect(trusted).toMatchObject({ code: 1, stderr: expect.stringContaining('is the document of another issuer') });
    expect((await cli.run(['clients', 'list', '--ca', '/nowhere.pem'])).code).toBe(64);
    cli.remove();
    await proxy.stop();
  });
});

describe('the command line', () => {
  const cli = createCommandLine('http://127.0.0.1:1');
  afterAll(() => cli.remove());

  test.each<[string[], RegExp]>([
    [[], /^gatehouse: name a command/],
    [['clients', 'sell'], /^gatehouse: there is no command clients sell/],
    [['clients', 'get'], /^gatehouse: use it as: gatehouse clients get ID$/m],
    [['clients', 'get', 'a', 'b'], /use it as/],
    [['clients', 'list', '--secret', 'x'], /Unknown option '--secret'/],
    [['clients', 'set', 'a', 'client_secret=x'], /client_secret is a secret, and others see arguments/],
    [['users', 'set', 'a', 'password=x'], /password is a secret/],
    [['users', 'set', 'a', 'x'], /x is not KEY=VALUE/],
    [['clients', 'secret', 'a', '--grace', 'soon'], /--grace takes seconds/],
    [['login', '--max-age', 'soon'], /--max-age takes seconds/],
    [['clients', 'list', '--output', 'xml'], /--output takes text or json/],
    [['clients', 'list', '--timeout', '0'], /--timeout takes seconds/],
    [['clients', 'list', '--issuer', 'auth.example.com'], /--issuer takes an address/],
    [['clients', 'list', '--issuer', 'http://auth.example.com'], /is http, by which others read along/],
  ])('refuses %j as wrong usage, in one line', async (args, text) => {
    const { code, stdout, stderr } = await cli.run(args);
    expect([code, stdout, stderr.match(/\n/g)?.length]).toEqual([64, '', 1]);
    expect(stderr).toMatch(text);
  });

  test('shows how all and one of its commands are used, and its version', async () => {
    const [all, one, version] = [
      await cli.run(['--help']),
      await cli.run(['users', 'set', '--help']),
      await cli.run(['--version']),
    ];
    expect(all.stdout).toContain('gatehouse clients secret ID [--grace …]');
    expect(one.stdout).toMatch(/^gatehouse users set NAME KEY=VALUE…\n/);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect([all.code, one.code, version.code]).toEqual([0, 0, 0]);
  });

  const serve = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = (args: string[]) =>
      cli.run([...args, '--issuer', issuer], { env: { GATEHOUSE_TOKEN: 'a token' } }).finally(() => {
        server.closeAllConnections();
        server.close();
      });
    return { issuer, run };
  };

  test('writes what a terminal would obey as text', async () => {
    const clients = [{ client_id: 'shop', client_name: 'Shop \u001b[31m\u202egnp.exe\u009b' }];
    for (const format of ['text', 'json']) {
      const { run } = await serve(({ url, headers }, response) => {
        const issuer = `http://${headers.host}`;
        const endpoints = ['authorization', 'token', 'revocation', 'device_authorization'];
        const metadata = Object.fromEntries(endpoints.map((name) => [`${name}_endpoint`, `${issuer}/${name}`]));
        const document = { ...metadata, issuer, protected_resources: [issuer] };
        response.end(JSON.stringify(url?.startsWith('/.well-known') ? document : { clients }));
      });
      const { stdout } = await run(['clients', 'list', '--output', format]);
      expect(stdout).toContain('Shop \\u001b[31m\\u202egnp.exe\\u009b');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
      expect(stdout).not.toMatch(/[\u001b\u202e\u009b]/);
      if (format === 'json') expect(JSON.parse(stdout)).toEqual(clients);
    }
  });

  test('waits as a server asks for, five tries long, and says so', async () => {
    for (const quiet of [[], ['--quiet']]) {
      let asked = 0;
      const { run } = await serve((_request, response) => {
        asked += 1;
        response.writeHead(asked < 3 ? 503 : 429, { 'retry-after': '0' }).end();
      });
      const { code, stderr } = await run(['clients', 'list', ...quiet]);
      expect([asked, code]).toEqual([5, 1]);
      expect(stderr).toMatch(/gatehouse: discovery: \S+ answered 429\n$/);
      expect(stderr.includes('answered 503; the next try is in 0 s\n')).toBe(quiet.length === 0);
      expect(stderr.match(/\n/g)).toHaveLength(quiet.length === 0 ? 5 : 1);
    }
  });

  test('gives up on a server that does not answer', async () => {
    const { run } = await serve(() => undefined);
    const { code, stderr } = await run(['clients', 'list', '--timeout', '1']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('did not answer within 1 s')]);
  });
});
