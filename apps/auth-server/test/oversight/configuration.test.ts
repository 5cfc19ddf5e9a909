import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { disclosures, environmentVariables } from '../../src/config.ts';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';
import { administrator, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

interface Configuration {
  service: string;
  version: string;
  startedAt: string;
  database: { kind: string; version: string; schema: string; time: string };
  variables: { name: string; from: string; value?: string; secret: boolean }[];
}

describe.each(testDialects)('the configuration for administrators on %s', (dialect) => {
  let realm: Realm;
  let folder: string;
  let startedAfter: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-configuration-'));
    const file = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const logo = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>';
    startedAfter = Date.now();
    realm = await startRealmOn(dialect, {
      REALM_FILE: file('realm', 'of-a-file\n'),
      LOGO_FILE: file('logo.svg', logo),
      KEY_ENCRYPTION_KEY_PREVIOUS: Buffer.alloc(32, 'previous').toString('base64'),
      HELP_URL: 'https://user:the-password@help.example.com/sign-in?topic=1',
      SESSION_HOURS: '8',
      EXTRA_SCOPES: 'orders.read  orders.write',
    });
  });
  afterAll(async () => {
    await realm.close();
    rmSync(folder, { recursive: true });
  });

  const read = async (): Promise<{ text: string; configuration: Configuration }> => {
    const answer = await realm.send('/configuration', { basic: administrator });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    return { text: answer.text, configuration: answer.json<Configuration>() };
  };

  it('says which service runs since when, on which database', async () => {
    const { configuration } = await read();
    const { service, version, startedAt, database } = configuration;
    expect([service, version]).toEqual(['auth-server', 'development']);
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(startedAfter);
    expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.now());
    const [{ version: asked }] = (await realm.deps.database.query(
      `SELECT ${dialect === 'sqlite' ? 'sqlite_version()' : 'VERSION()'} AS version`,
    )) as [{ version: string }];
    const kind = dialect === 'mysql' && asked.includes('MariaDB') ? 'mariadb' : dialect;
    const newest = authServerSchema.migrations.at(-1);
    const { time, ...others } = database;
    expect(others).toEqual({ kind, version: asked, schema: newest && new newest().name });
    // In whole seconds.
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(10_000);
  });

  it('names every variable, where its value comes from, and the value of those on the list', async () => {
    const { configuration } = await read();
    expect(configuration.variables.map(({ name }) => name)).toEqual(Object.keys(environmentVariables));
    const find = (wanted: string) => configuration.variables.find(({ name }) => name === wanted);
    expect(find('SESSION_HOURS')).toEqual({ name: 'SESSION_HOURS', from: 'environment', value: '8', secret: false });
    expect(find('REALM')).toEqual({ name: 'REALM', from: 'file', value: 'of-a-file', secret: false });
    expect(find('REFRESH_TOKEN_IDLE_DAYS')).toMatchObject({ from: 'default', value: '30' });
    expect(find('EXTRA_SCOPES')).toMatchObject({ from: 'environment', value: 'orders.read orders.write' });
    expect(find('ORG_API_URL')).toEqual({ name: 'ORG_API_URL', from: 'default', secret: false });
  });

  it('has no secret, no user information of a URL and no path of a file', async () => {
    const { text, configuration } = await read();
    const find = (wanted: string) => configuration.variables.find(({ name }) => name === wanted);
    for (const name of ['KEY_ENCRYPTION_KEY', 'KEY_ENCRYPTION_KEY_PREVIOUS', 'DATABASE_URL']) {
      expect(find(name)).toEqual({ name, from: 'environment', secret: true });
    }
    expect(find('LOGO_FILE')).toEqual({ name: 'LOGO_FILE', from: 'environment', secret: false });
    expect(find('HELP_URL')?.value).toBe('https://help.example.com/sign-in?topic=1');
    const {
      DATABASE_URL = '',
      KEY_ENCRYPTION_KEY = '',
      KEY_ENCRYPTION_KEY_PREVIOUS = '',
    } = realm.env as Record<string, string>;
    const { password, pathname } = new URL(DATABASE_URL);
    for (const hidden of [folder, KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS, 'the-password', pathname]) {
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    }
    if (password !== '') expect(text).not.toContain(password);
  });

  it('stays that of the start, whatever the files hold later', async () => {
    const { variables, startedAt } = (await read()).configuration;
    writeFileSync(join(folder, 'realm'), 'changed\n');
    expect((await read()).configuration).toMatchObject({ variables, startedAt });
  });

  it('needs a SystemAdministrator', async () => {
    expect((await realm.send('/configuration')).status).toBe(401);
    for (const basic of [
      ['idp.admin@example.com', 'idp-password'],
      ['user@example.com', 'user-password'],
    ] as [string, string][]) {
      const answer = await realm.send('/configuration', { basic });
      expect([answer.status, answer.text.includes('variables')]).toEqual([403, false]);
    }
    await realm.register(webClient);
    const { access_token: bearer } = await realm.tokens(webClient, passwordOf('admin'));
    expect((await realm.send('/configuration', { bearer })).status).toBe(200);
  });
});

describe('the list of variables that administrators see', () => {
  const table = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  const documented = [...table.matchAll(/^\| `(\w+)` \| (both|auth-server) \|/gm)].map(([, name]) => name as string);

  it('has each variable of the table, and no other', () => {
    expect(documented.length).toBeGreaterThan(40);
    expect(Object.keys(disclosures).sort()).toEqual([...documented].sort());
  });

  it('keeps back whatever is named as a secret, an address with a password, or a file', () => {
    const isNamed = (name: string) => /KEY|PASSWORD|SECRET|DATABASE_URL$|MAIL_URL$|_FILE/.test(name);
    const shown = Object.entries(disclosures).filter(([, how]) => how === 'text' || how === 'address');
    expect(shown.map(([name]) => name).filter(isNamed)).toEqual(['PASSKEYS', 'PASSKEY_RP_ID']);
  });
});
