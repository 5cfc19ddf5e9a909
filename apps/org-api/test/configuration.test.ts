import { readFileSync } from 'node:fs';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { disclosures, environmentVariables, loadConfig } from '../src/config.ts';
import { organizationSchema } from '../src/schema/organization-schema.ts';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const url = '/organization/api/organization/configuration';

interface Configuration {
  service: string;
  version: string;
  startedAt: string;
  database: { kind: string; version: string; schema: string; time: string };
  variables: { name: string; from: string; value?: string; secret: boolean }[];
}

const key = Buffer.alloc(32, 'key').toString('base64');
const env = {
  CREDENTIALS_KEY: key,
  DATABASE_URL: 'mysql://gatehouse:the-database-password@db.example.com/gatehouse',
  MAIL_URL: 'smtp://gatehouse:the-mail-password@mail.example.com',
  MAIL_FROM: 'no-reply@example.com',
  BOOTSTRAP_ADMIN_USERNAME: 'first@example.com',
  BOOTSTRAP_ADMIN_PASSWORD: 'the-first-password',
  HELP_URL: 'https://user:the-help-password@help.example.com/',
  USERS_MAY_CHANGE: '',
  MAILS_PER_HOUR: '250',
};

describe.each(testDialects)('the configuration of the organization API on %s', (dialect) => {
  let organization: Organization;
  beforeAll(async () => {
    const { variables } = loadConfig(env);
    organization = await startOrganization(dialect, { variables }, { service: 'org-api', version: '1.2.3' });
  });
  afterAll(() => organization.close());

  const get = async (roles: ('SystemAdministrator' | 'IdpAdministrator' | 'DirectoryReader')[]) => {
    const caller = await organization.addUser({ username: `${roles.join('-')}-${Math.random()}@example.com`, roles });
    return organization.app.inject({ url, headers: bearer(await organization.accessToken(caller)) });
  };

  it('says which service runs since when, on which database', async () => {
    const answer = await get(['SystemAdministrator']);
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const { service, version, startedAt, database } = answer.json<Configuration>();
    expect([service, version]).toEqual(['org-api', '1.2.3']);
    expect(Date.parse(startedAt)).toBeLessThanOrEqual(organization.time.now);
    const newest = organizationSchema.migrations.at(-1);
    expect(database).toEqual({
      kind: dialect === 'sqlite' ? 'sqlite' : expect.stringMatching(/^(mysql|mariadb)$/),
      version: expect.stringMatching(/^\d+\.\d+/),
      schema: newest && new newest().name,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    });
  });

  it('names every variable, and shows no secret', async () => {
    const answer = await get(['SystemAdministrator']);
    const { variables } = answer.json<Configuration>();
    expect(variables.map(({ name }) => name)).toEqual(Object.keys(environmentVariables));
    const find = (wanted: string) => variables.find(({ name }) => name === wanted);
    for (const name of ['CREDENTIALS_KEY', 'DATABASE_URL', 'MAIL_URL', 'BOOTSTRAP_ADMIN_PASSWORD']) {
      expect(find(name)).toEqual({ name, from: 'environment', secret: true });
    }
    expect(find('CREDENTIALS_KEY_PREVIOUS')).toMatchObject({ from: 'default', secret: true });
    expect(find('MAIL_FROM')).toMatchObject({ from: 'environment', value: 'no-reply@example.com', secret: false });
    expect(find('MAILS_PER_HOUR')).toMatchObject({ from: 'environment', value: '250' });
    expect(find('PASSWORD_MIN_LENGTH')).toMatchObject({ from: 'default', value: '8' });
    expect(find('HELP_URL')).toMatchObject({ value: 'https://help.example.com/' });
    // Set and empty it means none; elsewhere empty is not set.
    expect(find('USERS_MAY_CHANGE')).toMatchObject({ from: 'environment', value: '' });
    for (const hidden of [key, 'password@', 'the-first-password', 'the-mail-password', 'the-help-password']) {
      expect([hidden, answer.body.includes(hidden)]).toEqual([hidden, false]);
    }
  });

  it('needs a SystemAdministrator', async () => {
    expect((await organization.app.inject(url)).statusCode).toBe(401);
    for (const roles of [[], ['IdpAdministrator'], ['DirectoryReader']] as Parameters<typeof get>[0][]) {
      const answer = await get(roles);
      expect([answer.statusCode, answer.body.includes('variables')]).toEqual([403, false]);
    }
  });
});

describe('the list of variables that administrators see', () => {
  const table = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const documented = [...table.matchAll(/^\| `(\w+)` \| (both|org-api) \|/gm)].map(([, name]) => name as string);

  it('has each variable of the table, and no other', () => {
    expect(documented.length).toBeGreaterThan(35);
    expect(Object.keys(disclosures).sort()).toEqual([...documented].sort());
  });

  it('keeps back whatever is named as a secret, an address with a password, or a file', () => {
    const isNamed = (name: string) => /KEY|PASSWORD|SECRET|DATABASE_URL$|MAIL_URL$|_FILE/.test(name);
    const shown = Object.entries(disclosures).filter(([, how]) => how === 'text' || how === 'address');
    expect(shown.map(([name]) => name).filter(isNamed)).toEqual(['PASSWORD_MIN_LENGTH', 'PASSKEY_RP_ID']);
  });
});
