import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { call, createTestBrowser, repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, describe, expect } from '@jest/globals';
import { registerAdministeringClient } from './support/administering-client.ts';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from './support/authorization.ts';
import { passwordKind, registerClient } from './support/clients.ts';
import { createCommandLine } from './support/command-line.ts';
import { isCommand, parseSteps, readSection } from './support/guide.ts';
import { buildReaderEnvironment, doSteps } from './support/guide-terminal.ts';
import { administrator } from './support/people.ts';
import { testWithMaven } from './support/registries.ts';
import { fillSpringTables, springBoot } from './support/spring-authorization-server.ts';
import { describeGatehouseOnce } from './support/suite.ts';
import { getAdministratorToken, postToken, readClaims, readHeader, type TokenResponse } from './support/tokens.ts';

/** Milliseconds: Maven fetches Spring. */
const patience = 300_000;

const page = readFileSync(join(repositoryRoot, 'docs/operations/command-line.md'), 'utf8');

const passwordOf = (name: string) => `the password of ${name}`;
const secretOf = (name: string) => `the secret of ${name}`;
const shopUri = 'https://shop.example.com/cb';

type Line = Record<string, unknown>;

const cli = createCommandLine('');
const fillings = new Map<string, ReturnType<typeof fillAndExport>>();
afterAll(async () => {
  cli.remove();
  for (const filling of fillings.values()) await (await filling).remove();
});

/** The files that the page's commands make of the tables; all tests of a release share them. */
function exportOnce(release: string) {
  const exported = fillings.get(release) ?? fillAndExport(release);
  fillings.set(release, exported);
  return exported;
}

async function fillAndExport(release: string) {
  const { home, address, remove } = await fillSpringTables(release);
  const env = { ...buildReaderEnvironment('/usr/bin'), HOME: home };
  const commands = parseSteps(readSection(page, '### Spring and UAA')).filter(isCommand);
  const findStep = (table: string) => commands.find(({ command }) => command.includes(table))?.command ?? '';
  const [dump = '', convert = ''] = findStep('oauth2_registered_client')
    .trimEnd()
    .split(/\n(?=gatehouse )/);
  for (const command of [`${dump}\n`, findStep('group_members')]) {
    await doSteps([{ command, answer: undefined, isMeanwhile: false }], { folder: home, env }, 60_000);
  }
  return { home, address, convert, remove };
}

/** The bundle that the page's command makes, of these tables in place of those that it names. */
async function convertTables(release: string, changes: Record<string, string> = {}) {
  const { home, convert } = await exportOnce(release);
  const words = convert.split(' ').map((word) => changes[word] ?? word);
  const args = words.slice(1).map((word) => (/\.(?:tsv|jsonl)$/.test(word) ? join(home, word) : word));
  return convertBy(args);
}

/** The bundle that a command makes, under another name than its own. */
async function convertBy(args: readonly string[]) {
  const bundle = join(mkdtempSync(join(cli.folder, 'bundle-')), 'acme.jsonl');
  const { code, stderr } = await cli.run(args.map((word) => (word.endsWith('.jsonl') ? bundle : word)));
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  expect(statSync(bundle).mode & 0o777).toBe(0o600);
  const text = readFileSync(bundle, 'utf8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return {
    ...{ bundle, text },
    find: (member: string, value: string) => lines.find((line) => line[member] === value),
    notesAbout: (about: string) => {
      const notes = lines.filter((line) => line.kind === 'note' && line.about === about);
      return notes.map(({ problem, value }) => [problem, value].filter(Boolean).join(' ')).sort();
    },
  };
}

describe('tables of a real Spring Authorization Server', () => {
  testWithMaven.each(Object.values(springBoot))(
    'become a bundle, of Spring Boot %s: hashes, settings of clients, authorities as groups, and notes',
    async (release) => {
      const { text, find, notesAbout } = await convertTables(release);
      const hashOf = (name: string) => find('externalId', name)?.passwordHash;
      expect(hashOf('bea')).toMatch(/^\$2a\$10\$/);
      expect(hashOf('pia')).toMatch(/^\$pbkdf2-sha256\$i=310000\$/);
      expect(hashOf('sven')).toMatch(/^\$scrypt\$ln=16,r=8,p=1\$/);
      expect(hashOf('anna@elsewhere.example')).toMatch(/^\$argon2id\$v=19\$m=16384,t=2,p=1\$/);
      expect(text).not.toContain(passwordOf('nora'));
      expect(find('externalId', 'bea')).toMatchObject({
        ...{ kind: 'user', username: 'bea@example.com', enabled: true, groups: ['ROLE_ADMIN', 'ROLE_USER'] },
      });
      expect(find('externalId', 'dora')).toMatchObject({ enabled: false });
      const ofMia = Array.from({ length: 100 }, (_, index) => `warehouse:${100 + index}`);
      expect(find('externalId', 'mia')).toMatchObject({ groups: ofMia });
      expect(find('externalId', 'pia')).toMatchObject({ groups: ['ROLE_USER'] });
      const inGroups = await convertTables(release, { 'users.tsv': 'users-in-groups.tsv' });
      expect(inGroups.find('externalId', 'pia')).toMatchObject({ groups: ['ROLE_USER', 'stock:read', 'stock:write'] });
      expect(inGroups.find('externalId', 'mia')).toMatchObject({ groups: ofMia });

      const clientOf = (id: string) => find('client_id', id);
      const { redirect_uri: first, redirect_uris: others, ...shop } = clientOf('shop') ?? {};
      // Spring keeps them as a set.
      expect([first, ...(others as string[])].sort()).toEqual(['http://127.0.0.1:8080/authorized', shopUri]);
      expect({ ...shop, authorized_grant_types: (shop.authorized_grant_types as string[]).sort() }).toEqual({
        ...{ kind: 'client', client_id: 'shop', client_name: 'The shop', scope: ['openid', 'profile'] },
        ...{ client_secret_hash: expect.stringMatching(/^\$2a\$10\$/), access_token_validity: 1200 },
        authorized_grant_types: ['authorization_code', 'refresh_token'],
        post_logout_redirect_uris: ['https://shop.example.com/bye'],
        ...{ token_endpoint_auth_method: 'client_secret_basic', require_pkce: true },
        id_token_signed_response_alg: 'ES256',
      });
      expect(notesAbout('client shop')).toEqual([
        'attribute settings.token.authorization-code-time-to-live',
        ...['refresh_token_validity 604800', 'scope_of_a_resource orders.read'],
      ]);
      // Spring takes the id of a row for the name of a client that has none.
      expect(clientOf('nightly')).not.toHaveProperty('client_name');
      expect(clientOf('nightly')).not.toHaveProperty('token_endpoint_auth_method');
      expect(clientOf('nightly')).toMatchObject({
        client_secret_hash: expect.stringMatching(/^\$pbkdf2-sha256\$i=310000\$/),
        access_token_validity: 90,
      });
      expect(notesAbout('client nightly')).toEqual(['attribute team']);
      expect(clientOf('till')).toMatchObject({
        client_secret_hash: expect.stringMatching(/^\$scrypt\$ln=16,r=8,p=1\$/),
        token_endpoint_auth_method: 'client_secret_post',
      });
      expect(notesAbout('client till')).toEqual(['access_token_validity 172800', 'opaque_tokens']);
      expect(clientOf('ledger')).toMatchObject({ client_secret_hash: expect.stringMatching(/^\$argon2id\$/) });
      expect(notesAbout('client ledger')).toEqual(['secret_expires 2035-01-02T03:04:05.000Z']);
      expect(text).not.toContain(secretOf('demo'));
      expect(notesAbout('client demo')).toEqual(['grant_type urn:ietf:params:oauth:grant-type:token-exchange']);
      expect(clientOf('page')).not.toHaveProperty('client_secret_hash');
      expect(clientOf('page')).toMatchObject({ client_name: 'A page', access_token_validity: 300, require_pkce: true });
      expect(notesAbout('client page')).toEqual([]);
      expect(notesAbout('client tv')).toEqual([
        ...['attribute settings.token.device-code-time-to-live', 'refresh_token_validity 3600'],
      ]);
      expect(clientOf('keyed')).toMatchObject({
        ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://keyed.example.com/jwks' },
      });
      expect(notesAbout('client keyed')).toEqual([]);
      expect(notesAbout('client vault')).toEqual([
        ...['attribute settings.token.x509-certificate-bound-access-tokens', 'client_authentication tls_client_auth'],
        'needs_secret',
      ]);
      expect(notesAbout('client lapsed')).toEqual(['needs_secret', 'secret_expires 2024-01-02T03:04:05.000Z']);
      expect(clientOf('partner')).toMatchObject({
        ...{ redirect_uri: 'https://partner.example.org/cb', require_consent: true },
      });
      expect(clientOf('partner')).not.toHaveProperty('require_pkce');
      expect(notesAbout('client partner')).toEqual([
        'attribute settings.token.id-token-signature-algorithm',
        'redirect_uri_not_possible http://partner.example.org/cb',
      ]);
    },
    patience,
  );
});

describe('the database of a real Spring Authorization Server', () => {
  testWithMaven(
    'becomes the bundle that its tables become, with the authorities of groups',
    async () => {
      const { address } = await exportOnce(springBoot.current);
      const usernames = ['--usernames', 'domain:example.com'];
      const args = ['convert', 'spring', '--database-url', address, ...usernames, '--out', 'acme.jsonl'];
      const inGroups = await convertTables(springBoot.current, { 'users.tsv': 'users-in-groups.tsv' });
      // The tool hashes clear text, each time with another salt.
      const withoutMade = (text: string) => text.replace(/\$scrypt\$ln=15,r=8,p=1\$[^"]+/g, 'made');
      const linesOf = ({ text }: { text: string }) => withoutMade(text).trimEnd().split('\n').slice(1).sort();
      expect(linesOf(await convertBy(args))).toEqual(linesOf(inGroups));
    },
    patience,
  );
});

describeGatehouseOnce('a real Spring Authorization Server', (getGatehouse) => {
  /** The code flow of a client; gives what the token endpoint answers. */
  const signInAt = async ([client, uri]: [string, string], username: string, password: string) => {
    const { verifier, parameters } = createPkce();
    const url = buildAuthorizeUrl(getGatehouse(), {
      ...{ response_type: 'code', client_id: client, redirect_uri: uri, scope: 'openid', ...parameters },
    });
    const code = getLocation(await signIn(url, [username, password], createTestBrowser())).searchParams.get('code');
    const form = { grant_type: 'authorization_code', redirect_uri: uri, code_verifier: verifier, code: code ?? '' };
    return client === 'shop'
      ? postToken(getGatehouse(), { basic: [client, secretOf(client)], form })
      : postToken(getGatehouse(), { form: { ...form, client_id: client } });
  };
  const getToken = (client: string, secret: string, isInForm = false) => {
    const form = { grant_type: 'client_credentials', scope: 'profile' };
    return isInForm
      ? postToken(getGatehouse(), { form: { ...form, client_id: client, client_secret: secret } })
      : postToken(getGatehouse(), { basic: [client, secret], form });
  };

  testWithMaven(
    'moves in: its users sign in with the passwords of then, its clients prove themselves with the secrets of then',
    async () => {
      const gatehouse = getGatehouse();
      const { bundle } = await convertTables(springBoot.current);
      const env = { GATEHOUSE_ISSUER: gatehouse.authUrl, ...(await registerAdministeringClient(gatehouse)) };
      const importBundle = async () => {
        const { code, stdout, stderr } = await cli.run(['import', bundle, '--output', 'json'], { env });
        return { code, stderr, sums: JSON.parse(stdout).sums };
      };
      const sumsOf = (result: string, users = result) => ({
        ...{ groups: { [result]: 103 }, users: { [users]: 7 }, clients: { [result]: 11 }, notes: 17 },
      });
      expect(await importBundle()).toEqual({ code: 0, stderr: '', sums: sumsOf('created') });
      expect(await importBundle()).toEqual({ code: 0, stderr: '', sums: sumsOf('unchanged', 'skipped') });

      const bearer = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
      for (const name of ['bea', 'pia', 'sven', 'nora', 'mia', 'anna@elsewhere.example']) {
        const username = name.includes('@') ? name : `${name}@example.com`;
        const answer = await signInAt(['shop', shopUri], username, passwordOf(name));
        expect([name, answer.status]).toEqual([name, 200]);
        const {
          id_token: idToken = '',
          expires_in: seconds,
          refresh_token: refreshToken,
        } = answer.json<TokenResponse>();
        expect([seconds, readHeader(idToken).alg]).toEqual([1200, 'ES256']);
        expect(refreshToken).toEqual(expect.any(String));
        const path = `${gatehouse.baseUrl}/organization/api/organization/user/userId/${username}`;
        const user = (await call(path, { bearer })).json<{ id: string; externalId: string; groups: string[] }>();
        expect([readClaims(idToken).sub, name]).toEqual([user.id, user.externalId]);
        if (name === 'bea') expect(user.groups).toEqual(['ROLE_ADMIN', 'ROLE_USER']);
      }
      const ofPage = await signInAt(['page', 'https://page.example.com/cb'], 'bea@example.com', passwordOf('bea'));
      expect(ofPage.status).toBe(200);
      for (const [name, password] of [
        ['bea', passwordOf('pia')],
        ['dora', passwordOf('dora')],
      ] as const) {
        await expect(signInAt(['shop', shopUri], `${name}@example.com`, password)).rejects.toThrow('no redirect: 4');
      }
      const withoutPkce = { response_type: 'code', client_id: 'shop', redirect_uri: shopUri, scope: 'openid' };
      const refused = await call(buildAuthorizeUrl(gatehouse, withoutPkce));
      expect(getLocation(refused).searchParams.get('error')).toBe('invalid_request');

      const lifetimes = { nightly: 90, ledger: 300, demo: 300 };
      for (const [client, seconds] of Object.entries(lifetimes)) {
        const answer = await getToken(client, secretOf(client));
        expect([client, answer.status]).toEqual([client, 200]);
        expect(answer.json<TokenResponse>().expires_in).toBe(seconds);
        expect((await getToken(client, `${secretOf(client)}.`)).status).toBe(401);
      }
      expect((await getToken('nightly', secretOf('nightly'), true)).status).toBe(200);
      expect((await getToken('till', secretOf('till'), true)).status).toBe(200);
      expect((await getToken('till', secretOf('till'))).status).toBe(401);
      expect((await getToken('lapsed', secretOf('lapsed'))).status).toBe(401);
      const device = await call(`${gatehouse.authUrl}/oauth/device_authorization`, {
        form: { client_id: 'tv', scope: 'openid' },
      });
      expect(device.status).toBe(200);
      const registered = await call(`${gatehouse.authUrl}/clients/partner`, { basic: [...administrator] });
      expect(registered.json()).toMatchObject({
        ...{ redirect_uri: 'https://partner.example.org/cb', require_consent: true, access_token_validity: 300 },
      });
    },
    patience,
  );
});
