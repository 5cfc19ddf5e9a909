import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSlowHash } from '@gatehouse/service-kit';
import { call, type Gatehouse } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { registerAdministeringClient } from './support/administering-client.ts';
import { passwordKind, postClient } from './support/clients.ts';
import { type CommandLine, createCommandLine } from './support/command-line.ts';
import { administrator, plainUser } from './support/people.ts';
import { describeGatehouse } from './support/suite.ts';
import { postToken } from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Plan {
  project: string;
  changes: { action: string; kind: string; name: string; members: Record<string, { from?: unknown; to?: unknown }> }[];
}

describeGatehouse(
  'a project of files',
  (getGatehouse) => {
    let gatehouse: Gatehouse;
    let cli: CommandLine;
    let credentials: Record<string, string>;
    let folder: string;
    let project: string;
    let unique: string;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      cli = createCommandLine(gatehouse.authUrl);
      credentials = await registerAdministeringClient(gatehouse);
    });
    afterAll(() => cli.remove());
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-project-'));
      project = uniqueName('shop');
      unique = project;
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      cli.run(args, { env: { ...credentials, SHOP_SECRET: 'the secret of the shop', CORP_SECRET: 'of corp', ...env } });
    const write = (text: string, file = 'project.yaml') => writeFileSync(join(folder, file), text);
    const plan = async (...args: string[]): Promise<Plan & { code: number }> => {
      const { code, stdout, stderr } = await run(['plan', '-f', folder, '--output', 'json', ...args]);
      if (code !== 0 && code !== 2) throw new Error(stderr);
      return { ...(JSON.parse(stdout) as Plan), code };
    };
    const lines = async (...args: string[]) => (await run(['plan', '-f', folder, ...args])).stdout.trim().split('\n');
    const get = (path: string) => call(`${gatehouse.authUrl}${path}`, { basic: [...administrator] });
    const patch = (path: string, json: object) =>
      call(`${gatehouse.authUrl}${path}`, { method: 'PATCH', basic: [...administrator], json });

    const wholeProject = () => `
gatehouse: 1
project: ${project}
issuers:
  - { issuer: "https://${unique}.example.com/tenant", name: Builds }
resources:
  - resource: https://${unique}.example.com
    name: Orders
    "name#de": Bestellungen
    scopes: [{ name: "${unique}:read", description: see your orders }]
    groups: [${unique}/it, "${unique}:*"]
groups:
  - { name: ${unique}/it, description: IT, members: [${plainUser[0]}] }
users:
  - { username: ${unique}@example.com, userType: Robot }
clients:
  - client_id: ${unique}
    client_name: Shop
    client_secret: { env: SHOP_SECRET }
    scope: [openid, profile, groups, "${unique}:read"]
    authorized_grant_types: [authorization_code, refresh_token]
    redirect_uri: https://shop.example.com/callback
    resources: ["${gatehouse.baseUrl}", https://${unique}.example.com]
    allowed_groups: [${unique}/it]
    logo: { file: shop.png }
  - client_id: ${unique}-strict
    profile: fapi2
    jwks: { keys: [{ kty: EC, crv: P-256, x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" }] }
    scope: [openid]
    authorized_grant_types: [authorization_code]
    redirect_uri: https://strict.example.com/callback
  - client_id: ${unique}-nightly
    client_secret: { generate: nightly.secret }
    enabled: false
    scope: [roles]
    authorized_grant_types: [service_account]
    srvc_ac_user_name: ${unique}@example.com
upstreams:
  - { alias: ${aliasOf(unique)}, display_name: Corp, kind: oidc, issuer: "https://corp.example.com", client_id: x, client_secret: { env: CORP_SECRET }, email_domains: [Example.com] }
`;
    const aliasOf = (name: string) => name.slice(-30).replace(/^-+/, '');
    const applyWhole = async () => {
      write(wholeProject());
      writeFileSync(join(folder, 'shop.png'), picture);
      expect(await run(['apply', '-f', folder, '--quiet'])).toMatchObject({ code: 0, stderr: '' });
    };

    test('is planned, applied, and the same then; the second apply writes nothing', async () => {
      write(wholeProject());
      writeFileSync(join(folder, 'shop.png'), picture);
      expect(await lines()).toEqual([
        `+ issuer https://${unique}.example.com/tenant`,
        `+ resource https://${unique}.example.com`,
        `+ group ${unique}/it`,
        `+ user ${unique}@example.com`,
        `+ client ${unique}`,
        `+ client ${unique}-strict`,
        `+ client ${unique}-nightly`,
        `+ upstream ${aliasOf(unique)}`,
      ]);
      const applied = await run(['apply', '-f', folder]);
      expect([applied.code, applied.stdout]).toEqual([0, '8 changes were made\n']);
      expect(applied.stdout + applied.stderr).not.toContain('the secret of the shop');

      const client = (await get(`/clients/${unique}`)).json();
      expect(client).toMatchObject({ managed_by: project, client_name: 'Shop', allowed_groups: [`${unique}/it`] });
      expect((await get(`/clients/${unique}-nightly`)).json()).toMatchObject({ enabled: false, managed_by: project });
      const file = join(folder, 'nightly.secret');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const check = {
        basic: [...administrator] as [string, string],
        json: { secret: readFileSync(file, 'utf8').trim() },
      };
      const matches = await call(`${gatehouse.authUrl}/clients/${unique}-nightly/secret-checks`, check);
      expect(matches.json()).toEqual({ matches: true });

      const before = await countEvents(gatehouse);
      expect(await plan()).toEqual({ project, changes: [], code: 0 });
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0, stdout: '0 changes were made\n' });
      expect(await countEvents(gatehouse)).toEqual(before);
    });

    test('sees every change by hand, and takes it back', async () => {
      await applyWhole();
      const own = { client_name: 'Mine', client_uri: 'https://mine.example.com', access_token_validity: 60 };
      expect((await patch(`/clients/${unique}`, own)).status).toBe(200);
      const secret = { client_secret: 'another', grace_seconds: 0 };
      await call(`${gatehouse.authUrl}/clients/${unique}/secret`, { basic: [...administrator], json: secret });
      await call(`${gatehouse.authUrl}/clients/${unique}/logo`, { method: 'DELETE', basic: [...administrator] });
      expect((await patch(`/upstreams/${aliasOf(unique)}`, { link: 'never', client_secret: 'other' })).status).toBe(
        200,
      );
      const { code, stdout } = await run(['plan', '-f', folder, '--diff']);
      expect([code, stdout.split('\n')]).toEqual([
        2,
        expect.arrayContaining([
          `~ client ${unique}: client_name, access_token_validity, client_uri, client_secret: changes, logo`,
          '    client_name: "Mine" -> "Shop"',
          '    client_uri: "https://mine.example.com" -> (none)',
          '    access_token_validity: 60 -> 1800',
          `~ upstream ${aliasOf(unique)}: link, client_secret: changes`,
        ]),
      ]);
      expect(stdout).not.toMatch(/another|the secret|of corp/);
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0, stdout: '2 changes were made\n' });
      expect((await plan()).changes).toEqual([]);
      expect((await get(`/clients/${unique}`)).json()).not.toHaveProperty('client_uri');
      const previous = (await get(`/clients/${unique}`)).json<{ previous_secret_expires_at: string }>();
      const grace = new Date(previous.previous_secret_expires_at).getTime() - Date.now();
      expect(grace / 1000).toBeGreaterThan(3000);
    });

    test('of users counts the members that it names alone, and of groups the members', async () => {
      await applyWhole();
      write(
        wholeProject()
          .replace('userType: Robot }', 'userType: Robot, enabled: false }')
          .replace(plainUser[0], administrator[0]),
      );
      expect(await lines()).toEqual([`~ group ${unique}/it: members`, `~ user ${unique}@example.com: enabled`]);
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0 });
      expect(await plan()).toMatchObject({ changes: [], code: 0 });
    });

    test('takes no object of another project, or of none, unless it adopts it', async () => {
      const client = { ...passwordKind({ client_id: unique }), client_secret: 'made by hand' };
      await postClient(gatehouse, client);
      write(`
gatehouse: 1
project: ${project}
clients:
  - { client_id: ${unique}, client_secret: { env: SHOP_SECRET }, scope: [openid], authorized_grant_types: [password] }
`);
      expect(await lines()).toEqual([`! client ${unique}: managed by no project; --adopt takes it`]);
      const refused = await run(['apply', '-f', folder]);
      expect(refused).toMatchObject({
        ...{ code: 1, stdout: '' },
        stderr: `gatehouse: plan: client ${unique}: managed by no project; --adopt takes it\n`,
      });
      expect((await get(`/clients/${unique}`)).json()).toMatchObject({ scope: client.scope });
      expect(await run(['apply', '-f', folder, '--adopt'])).toMatchObject({ code: 0 });
      const adopted = (await get(`/clients/${unique}`)).json();
      expect(adopted).toMatchObject({ scope: ['openid'], managed_by: project });
      expect(adopted).not.toHaveProperty('previous_secret_expires_at');
      expect((await plan()).changes).toEqual([]);
      const other = await run(['plan', '-f', folder, '--project', 'other']);
      expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('the files are of two projects') });
    });

    test('keeps a client that a profile describes in part, and what else was changed by hand', async () => {
      const text = `gatehouse: 1
project: ${project}
clients:
  - { client_id: ${unique}, client_secret: { env: SHOP_SECRET }, profile: oauth21, scope: [openid], authorized_grant_types: [authorization_code], redirect_uri: "https://shop.example.com/callback" }
`;
      write(text);
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0 });
      expect((await plan()).changes).toEqual([]);
      const changes = { dpop_bound_access_tokens: true, token_endpoint_auth_method: 'client_secret_post' };
      expect((await patch(`/clients/${unique}`, changes)).status).toBe(200);
      expect(await lines()).toEqual([`~ client ${unique}: token_endpoint_auth_method, dpop_bound_access_tokens`]);
      const out = join(folder, 'out');
      expect(await run(['export', '--project', project, '--out', out, '--managed-only'])).toMatchObject({ code: 0 });
      const exported = readFileSync(join(out, 'clients.yaml'), 'utf8');
      expect(exported).toContain('dpop_bound_access_tokens: true');
      expect(exported).toContain('token_endpoint_auth_method: client_secret_post');
      expect(exported).not.toContain('require_pkce');
    });

    test('makes a client by the hash of its secret, which is compared no more', async () => {
      const hash = await createSlowHash().hash('the secret of then');
      write(`gatehouse: 1
project: ${project}
clients:
  - { client_id: ${unique}, client_secret_hash: "${hash}", scope: [profile], authorized_grant_types: [client_credentials] }
`);
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0 });
      const form = { grant_type: 'client_credentials' };
      const basic: [string, string] = [unique, 'the secret of then'];
      expect((await postToken(gatehouse, { basic, form })).status).toBe(200);
      expect((await plan()).changes).toEqual([]);
    });

    test('takes no members of a group that an upstream of the server fills, nor a client that registered itself', async () => {
      const upstream = wholeProject()
        .split('\n')
        .find((line) => line.includes('display_name'));
      const filling = upstream?.replace(/ }$/, `, groups: { claim: groups, map: { x: ${unique}/IT } } }`);
      write(`gatehouse: 1\nproject: ${project}\nupstreams:\n${filling}\n`);
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0 });
      write(`gatehouse: 1\nproject: ${project}\ngroups:\n  - { name: ${unique}/it, members: [] }\n`);
      const groups = await run(['plan', '-f', folder]);
      expect([groups.code, groups.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^gatehouse: plan: .*project\.yaml:4: upstream .* fills the group .*\/it, which takes no members/,
        ),
      ]);

      const { json } = await call(`${gatehouse.authUrl}/registration-tokens`, { basic: [...administrator], json: {} });
      const bearer = json<{ token: string }>().token;
      const metadata = { client_name: unique, redirect_uris: ['https://own.example.com/callback'] };
      const registered = await call(`${gatehouse.authUrl}/oauth/register`, { bearer, json: metadata });
      const { client_id: own } = registered.json<{ client_id: string }>();
      write(`gatehouse: 1\nproject: ${project}\nclients:\n  - { client_id: ${own}, scope: [openid] }\n`);
      const clients = await run(['plan', '-f', folder, '--adopt']);
      expect([clients.code, clients.stderr]).toEqual([
        1,
        expect.stringMatching(/^gatehouse: plan: .*project\.yaml:4: client .* registered itself, and keeps itself\n$/),
      ]);
    });

    test('deletes what it had and has no more only where it is told, on a terminal or by --yes', async () => {
      await applyWhole();
      write(`gatehouse: 1\nproject: ${project}\ngroups: [{ name: ${unique}/it, description: IT }]`);
      expect(await lines()).toEqual(
        [
          `upstream ${aliasOf(unique)}`,
          `client ${unique}-strict`,
          `client ${unique}-nightly`,
          `client ${unique}`,
          `resource https://${unique}.example.com`,
          `issuer https://${unique}.example.com/tenant`,
        ].map((each) => `- ${each}: not in the files; --prune deletes it`),
      );
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0, stdout: '0 changes were made\n' });
      expect((await run(['apply', '-f', folder, '--prune'])).code).toBe(64);
      expect((await get(`/clients/${unique}`)).status).toBe(200);
      expect(await run(['apply', '-f', folder, '--prune', '--yes'])).toMatchObject({
        code: 0,
        stdout: '6 changes were made\n',
      });
      expect((await get(`/clients/${unique}`)).status).toBe(404);
      expect(await plan()).toMatchObject({ changes: [], code: 0 });
    });

    test('stops at the first failure, says what was done, and goes on when it is applied again', async () => {
      write(`
gatehouse: 1
project: ${project}
groups: [{ name: ${unique}/it }]
clients:
  - { client_id: ${unique}, client_secret: { env: SHOP_SECRET }, scope: [no-such-scope], authorized_grant_types: [password] }
  - { client_id: ${unique}-b, client_secret: { generate: b.secret }, scope: [openid], authorized_grant_types: [password] }
`);
      const failed = await run(['apply', '-f', folder]);
      expect(failed).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/apply: POST \/clients answered 400/),
      });
      expect(failed.stderr).toMatch(/^gatehouse: apply: .*; 1 of 3 changes were made; apply again to go on\n\+ group /);
      expect(existsSync(join(folder, 'b.secret'))).toBe(false);
      write(readFileSync(join(folder, 'project.yaml'), 'utf8').replace('no-such-scope', 'openid'));
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0, stdout: '2 changes were made\n' });
      expect(await run(['apply', '-f', folder])).toMatchObject({ code: 0, stdout: '0 changes were made\n' });
    });

    test('is exported as it can be applied, and is the same then', async () => {
      await applyWhole();
      const out = join(folder, 'out');
      mkdirSync(out);
      expect(await run(['export', '--project', project, '--out', out, '--managed-only'])).toMatchObject({ code: 0 });
      expect(readdirSync(out).sort()).toEqual(
        ['clients.yaml', 'groups.yaml', 'issuers.yaml', 'resources.yaml', `${unique}.png`, 'upstreams.yaml'].sort(),
      );
      const text = readFileSync(join(out, 'clients.yaml'), 'utf8');
      const variables = [...text.matchAll(/env: (\w+)/g)].map(([, name = '']) => name);
      expect(text).not.toContain('the secret');
      const upper = unique.toUpperCase().replaceAll('-', '_');
      expect(variables).toEqual([`${upper}_SECRET`, `${upper}_NIGHTLY_SECRET`]);
      const env = {
        [`${upper}_SECRET`]: 'the secret of the shop',
        [`${upper}_NIGHTLY_SECRET`]: readFileSync(join(folder, 'nightly.secret'), 'utf8').trim(),
        [`UPSTREAM_${aliasOf(unique).toUpperCase().replaceAll('-', '_')}_SECRET`]: 'of corp',
      };
      const planned = await run(['plan', '-f', out, '--diff'], env);
      expect(planned).toEqual({ code: 0, stdout: '', stderr: '' });
    });

    test('is exported with the Robot of a client right after an import, before lists have it', async () => {
      const robot = `${unique}@example.com`;
      const client = { client_id: unique, client_secret: 'a secret of the client', scope: ['profile'] };
      const bundle = [
        { kind: 'bundle', version: 1 },
        { kind: 'user', username: robot, userType: 'Robot' },
        { kind: 'client', ...client, authorized_grant_types: ['service_account'], srvc_ac_user_name: robot },
      ];
      const path = join(folder, 'bundle.jsonl');
      writeFileSync(path, bundle.map((line) => `${JSON.stringify(line)}\n`).join(''));
      expect(await run(['import', path])).toMatchObject({ code: 0 });
      const out = join(folder, 'out');
      expect(await run(['export', '--project', project, '--out', out])).toMatchObject({ code: 0 });
      const users = readFileSync(join(out, 'users.yaml'), 'utf8');
      expect(users.split(`username: ${robot}\n    userType: Robot\n`)).toHaveLength(2);
    });
  },
  { 'auth-server': { DYNAMIC_REGISTRATION: 'token' } },
);

/** The changes in the audit trail of auth-server. */
async function countEvents({ authUrl }: Gatehouse): Promise<number> {
  const answer = await call(`${authUrl}/audit-events?limit=200`, { basic: [...administrator] });
  const { events } = answer.json<{ events: { type: string }[] }>();
  return events.filter(({ type }) =>
    /^(client|resource|issuer|upstream)\.(registered|created|changed|deleted|secret)/.test(type),
  ).length;
}

describe('the files of a project', () => {
  const cli = createCommandLine('http://127.0.0.1:1');
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-project-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(() => cli.remove());

  const head = 'gatehouse: 1\nproject: shop\n';
  test.each<[string, string, RegExp]>([
    ['no YAML', 'a: [', /project\.yaml:1: /],
    ['a tag', `${head}groups: [!!binary aGk=]`, /project\.yaml:3: /],
    ['a name twice', 'gatehouse: 1\ngatehouse: 1', /project\.yaml:2: Map keys must be unique/],
    ['no version', 'project: shop', /gatehouse must be 1/],
    ['no project', 'gatehouse: 1', /name the project/],
    ['a wrong project', 'gatehouse: 1\nproject: Shop', /project: Shop is not/],
    ['a reserved project', 'gatehouse: 1\nproject: configuration', /configuration is not/],
    ['an unknown list', `${head}things: []`, /project\.yaml:3: unknown member things/],
    [
      'an unknown member',
      `${head}clients:\n  - client_id: a\n    redirect: b`,
      /project\.yaml:5: unknown member redirect of a client/,
    ],
    [
      'a text in the place of a switch',
      `${head}clients:\n  - client_id: a\n    enabled: no`,
      /project\.yaml:5: enabled must be true or false/,
    ],
    ['a switch in quotes', `${head}clients: [{ client_id: a, trusted: "true" }]`, /trusted must be true or false/],
    ['no list', `${head}groups: [{ name: a, members: b@example.com }]`, /members must be a list of texts/],
    ['a list of others', `${head}clients: [{ client_id: a, scope: [openid, 1] }]`, /scope must be a list of texts/],
    ['no number', `${head}clients: [{ client_id: a, access_token_validity: 60.5 }]`, /must be a whole number/],
    ['no map', `${head}upstreams: [{ alias: a, levels: [x] }]`, /levels must be a map/],
    [
      'a list of texts for maps',
      `${head}resources: [{ resource: "https://a", scopes: [a] }]`,
      /must be a list of maps/,
    ],
    ['a number for a text', `${head}groups: [{ name: a, description: 1 }]`, /description must be a text/],
    ['no name', `${head}clients:\n  - client_name: a`, /project\.yaml:4: a client needs client_id/],
    [
      'an object twice',
      `${head}groups:\n  - name: a\n  - name: A`,
      /project\.yaml:5: group A stands at .*project\.yaml:4, too/,
    ],
    [
      'a secret in the clear',
      `${head}clients:\n  - client_id: a\n    client_secret: b`,
      /project\.yaml:5: client_secret must be \{ env: NAME \}/,
    ],
    [
      'a variable that is not set',
      `${head}clients: [{ client_id: a, client_secret: { env: NOT_SET } }]`,
      /the variable NOT_SET is not set/,
    ],
    [
      'a file that is missing',
      `${head}clients: [{ client_id: a, logo: { file: a.png } }]`,
      /there is no file .*a\.png/,
    ],
    [
      'a built-in client',
      `${head}clients: [{ client_id: gatehouse-cli }]`,
      /gatehouse-cli is kept by the configuration/,
    ],
    ['a client of a document', `${head}clients: [{ client_id: "https://a.example" }]`, /is kept by its document/],
    [
      'members of a group that an upstream fills',
      `${head}groups: [{ name: it, members: [] }]\nupstreams: [{ alias: a, groups: { claim: g, map: { x: IT } } }]`,
      /upstream a fills the group IT/,
    ],
  ])('are refused before any request where they have %s', async (_fault, text, message) => {
    writeFileSync(join(folder, 'project.yaml'), text);
    const { code, stdout, stderr } = await cli.run(['plan', '-f', folder], { env: { GATEHOUSE_TOKEN: 'x' } });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
    expect(stderr).toMatch(/^gatehouse: files: [^\n]*\n$/);
  });
});
