import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profileFields } from '@gatehouse/shared';
import { makeCertificates } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { describeMisspelt, loadConfig } from '../src/config.ts';

const admin = { BOOTSTRAP_ADMIN_USERNAME: 'root@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'root-password' };

const inProduction = {
  ...admin,
  NODE_ENV: 'production',
  CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
  AUTH_URL: 'https://auth.example.com',
  BASE_URL: 'https://api.example.com',
};

describe('configuration of the organization API', () => {
  it('knows the names of all its variables, and says what a misspelt one is almost called', () => {
    const misspelt = { PROT: 'hush', JWKS_ULR: 'hush', BOOTSTRAP_ADMIN_USERNAM: 'hush', HOME: '/' };
    expect(describeMisspelt(misspelt).map((line) => line.replace(/^(\S+) is set.* mean (\S+)\?$/, '$1 $2'))).toEqual([
      'PROT PORT',
      'JWKS_ULR JWKS_URL',
      'BOOTSTRAP_ADMIN_USERNAM BOOTSTRAP_ADMIN_USERNAME',
    ]);
  });

  it('has a default for everything', () => {
    expect(loadConfig({})).toMatchObject({
      port: 9001,
      jwksUrl: 'http://localhost:9000/oauth/jwks',
      databaseUrl: { dialect: 'sqlite', path: '.data/org-api.sqlite' },
      bootstrapAdmin: undefined,
      demoData: false,
      passwordMinLength: 8,
      isBreached: undefined,
      administrationAcr: 'urn:gatehouse:acr:password',
      usersMayChange: ['nickname', 'locale', 'timezone'],
      mailTarget: undefined,
      mailFrom: undefined,
      mailCa: undefined,
      mailsPerHour: 1000,
      displayName: undefined,
      helpUrl: undefined,
    });
  });

  it.each([8, 15, 64])('reads the length that new passwords must have: %i', (length) => {
    expect(loadConfig({ PASSWORD_MIN_LENGTH: String(length) }).passwordMinLength).toBe(length);
  });

  it.each(['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'])(
    'reads the level that administration requires: %s',
    (level) => {
      expect(loadConfig({ ADMINISTRATION_ACR: level }).administrationAcr).toBe(level);
    },
  );

  it.each<[string, Record<string, string>, string | undefined]>([
    ['the host of AUTH_URL', { AUTH_URL: 'https://auth.example.com:8443/path' }, 'auth.example.com'],
    ['a domain above it', { AUTH_URL: 'https://auth.example.com', PASSKEY_RP_ID: 'example.com' }, 'example.com'],
    ['none of an IP address', { AUTH_URL: 'http://127.0.0.1:9000' }, undefined],
  ])('reads the domain of passkeys as auth-server does: %s', (_case, env, passkeyRpId) => {
    expect(loadConfig(env)).toMatchObject({ passkeyRpId });
  });

  it('refuses a domain of passkeys that AUTH_URL is not in', () => {
    const env = { AUTH_URL: 'https://auth.example.com', PASSKEY_RP_ID: 'other.example.com' };
    expect(() => loadConfig(env)).toThrow(/^PASSKEY_RP_ID must be /);
  });

  it('reads which members users may change: some, all, or none', () => {
    const read = (text: string) => loadConfig({ USERS_MAY_CHANGE: text }).usersMayChange;
    expect(read('firstName phoneNumber')).toEqual(['firstName', 'phoneNumber']);
    expect(read('  address   locale ')).toEqual(['address', 'locale']);
    expect(read(profileFields.join(' '))).toEqual([...profileFields]);
    expect(read('')).toEqual([]);
  });

  it('reads a list of passwords from breaches, which is searched', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-config-'));
    const file = join(folder, 'breaches.txt');
    await writeFile(file, '5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n');
    const { isBreached } = loadConfig({ BREACHED_PASSWORDS_FILE: file });
    expect([await isBreached?.('password'), await isBreached?.('root-password')]).toEqual([true, false]);
    await rm(folder, { recursive: true });
  });

  const MAIL_FROM = 'no-reply@example.com';
  const toServer = { kind: 'smtp', secure: false, tls: 'required', credentials: undefined };

  it.each<[string, object]>([
    ['smtp://mail.example.com', { ...toServer, host: 'mail.example.com', port: 587 }],
    ['smtp://mail.example.com/', { ...toServer, host: 'mail.example.com', port: 587 }],
    ['smtp://mail.example.com:25', { ...toServer, host: 'mail.example.com', port: 25 }],
    ['smtp://[2001:db8::25]:2525', { ...toServer, host: '2001:db8::25', port: 2525 }],
    ['smtp://mail.example.com?tls=required', { ...toServer, host: 'mail.example.com', port: 587 }],
    [
      'smtp://mail.example.com?tls=opportunistic',
      { ...toServer, host: 'mail.example.com', port: 587, tls: 'opportunistic' },
    ],
    ['smtp://mail.example.com/?tls=off', { ...toServer, host: 'mail.example.com', port: 587, tls: 'off' }],
    ['smtps://mail.example.com', { ...toServer, host: 'mail.example.com', port: 465, secure: true }],
    [
      'smtp://us%3Aer:p%40ss%2F%C3%BC@mail.example.com:587',
      { ...toServer, host: 'mail.example.com', port: 587, credentials: { user: 'us:er', password: 'p@ss/ü' } },
    ],
    ['file:.data/mails', { kind: 'file', folder: '.data/mails' }],
    ['file:/var/mails', { kind: 'file', folder: '/var/mails' }],
  ])('reads where mails go: %s', (MAIL_URL, mailTarget) => {
    expect(loadConfig({ MAIL_URL, MAIL_FROM })).toMatchObject({ mailTarget, mailFrom: MAIL_FROM });
  });

  it.each<[string, object]>([
    ['smtp://mail.example.com', {}],
    ['smtps://mail.example.com', {}],
    ['smtp://127.0.0.1:2525?tls=off', {}],
    ['smtp://[::1]:2525?tls=off', {}],
    ['smtp://localhost?tls=opportunistic', {}],
    ['smtp://relay?tls=off', { PLAIN_HTTP_HOSTS: 'relay' }],
    ['smtp://relay.mail.svc?tls=opportunistic', { PLAIN_HTTP_HOSTS: 'other .mail.svc' }],
  ])('takes the mail server %s in production: %j', (MAIL_URL, env) => {
    const { mailTarget } = loadConfig({ ...inProduction, ...env, MAIL_URL, MAIL_FROM });
    expect(mailTarget).toMatchObject({ kind: 'smtp' });
  });

  it('reads who may register, and whether accounts are deleted by their users', () => {
    const off = { isRegistrationOpen: false, registrationDomains: [], mayDeleteAccount: false };
    expect(loadConfig({})).toMatchObject(off);
    expect(loadConfig({ REGISTRATION: 'off', ACCOUNT_DELETION: 'off' })).toMatchObject(off);
    const open = { REGISTRATION: 'open', MAIL_URL: 'file:.data/mails', MAIL_FROM };
    expect(
      loadConfig({ ...open, REGISTRATION_DOMAINS: 'Example.com example.org', ACCOUNT_DELETION: 'on' }),
    ).toMatchObject({
      ...{ isRegistrationOpen: true, registrationDomains: ['example.com', 'example.org'], mayDeleteAccount: true },
    });
  });

  it('reads the domain of names without an @', () => {
    expect(loadConfig({}).usernameDomain).toBeUndefined();
    expect(loadConfig({ USERNAME_DOMAIN: 'Example.com' }).usernameDomain).toBe('Example.com');
  });

  it('reads what mails say, and how many there may be', () => {
    const said = { DISPLAY_NAME: 'Müller & Söhne', HELP_URL: 'https://help.example.com/', MAILS_PER_HOUR: '50' };
    expect(loadConfig(said)).toMatchObject({
      ...{ displayName: 'Müller & Söhne', helpUrl: 'https://help.example.com/', mailsPerHour: 50 },
    });
  });

  it('reads the CAs to trust at the mail server', async () => {
    const { ca, remove } = await makeCertificates('localhost');
    expect(loadConfig({ MAIL_CA_FILE: ca }).mailCa).toMatch(/^-----BEGIN CERTIFICATE-----/);
    await remove();
    expect(() => loadConfig({ MAIL_CA_FILE: ca })).toThrow(/^MAIL_CA_FILE [^\n]+$/);
  });

  it('looks for the keys at AUTH_URL, or where JWKS_URL says', () => {
    expect(loadConfig({ AUTH_URL: 'https://auth.example.com' }).jwksUrl).toBe('https://auth.example.com/oauth/jwks');
    expect(loadConfig({ JWKS_URL: 'http://auth-server:9000/keys' }).jwksUrl).toBe('http://auth-server:9000/keys');
  });

  it.each([
    [{}, 'http://localhost:9000'],
    [{ AUTH_URL: 'https://auth.example.com' }, 'https://auth.example.com'],
    [{ JWKS_URL: 'http://auth-server:9000/oauth/jwks' }, 'http://auth-server:9000'],
    [{ JWKS_URL: 'http://auth-server:9000/keys' }, 'http://localhost:9000'],
  ])('looks for the rest of the auth server where the keys are, if their address is as there: %j', (env, base) => {
    const { statusListsUrl, localRefusalsUrl } = loadConfig(env);
    expect([statusListsUrl, localRefusalsUrl]).toEqual([
      `${base}/oauth/status-lists/`,
      `${base}/internal/local-refusals`,
    ]);
  });

  it('reads the first administrator', () => {
    const { bootstrapAdmin } = loadConfig(admin);
    expect(bootstrapAdmin).toEqual({ username: 'root@example.com', password: 'root-password' });
  });

  it('takes a first administrator whose name is as long, and whose password is as short, as may be', () => {
    const bootstrapAdmin = { username: `${'x'.repeat(243)}@example.com`, password: 'eight888' };
    const { username, password } = bootstrapAdmin;
    const env = { BOOTSTRAP_ADMIN_USERNAME: username, BOOTSTRAP_ADMIN_PASSWORD: password };
    expect(loadConfig(env).bootstrapAdmin).toEqual(bootstrapAdmin);
  });

  it('takes a common password for the first administrator outside production, and another one in production', () => {
    const common = { ...admin, BOOTSTRAP_ADMIN_PASSWORD: 'password123' };
    expect(loadConfig(common).bootstrapAdmin?.password).toBe('password123');
    expect(loadConfig(inProduction).bootstrapAdmin?.password).toBe('root-password');
  });

  it.each<[string, Record<string, string>]>([
    ['JWKS_URL', { JWKS_URL: 'nowhere' }],
    ['DEMO_DATA', { DEMO_DATA: 'yes' }],
    ['DEMO_DATA', { ...inProduction, DEMO_DATA: 'true' }],
    ['CREDENTIALS_KEY', { CREDENTIALS_KEY: 'c2hvcnQ=' }],
    ['CREDENTIALS_KEY_PREVIOUS', { CREDENTIALS_KEY_PREVIOUS: 'hush' }],
    ['PASSWORD_MIN_LENGTH', { PASSWORD_MIN_LENGTH: '7' }],
    ['PASSWORD_MIN_LENGTH', { PASSWORD_MIN_LENGTH: '65' }],
    ['PASSWORD_MIN_LENGTH', { PASSWORD_MIN_LENGTH: '8.5' }],
    ['PASSWORD_MIN_LENGTH', { PASSWORD_MIN_LENGTH: 'many' }],
    ['ADMINISTRATION_ACR', { ADMINISTRATION_ACR: 'mfa' }],
    ['ADMINISTRATION_ACR', { ADMINISTRATION_ACR: 'phrh' }],
    ['USERS_MAY_CHANGE', { USERS_MAY_CHANGE: 'nickname email' }],
    ['USERS_MAY_CHANGE', { USERS_MAY_CHANGE: 'nickname,locale' }],
    ['USERS_MAY_CHANGE', { USERS_MAY_CHANGE: 'none' }],
    ...[
      'mail.example.com',
      'https://mail.example.com',
      'smtp:mail.example.com',
      'smtp://',
      'smtp://user:hush@',
      'smtp://user:hush@mail.example.com:port',
      'smtp://user:hush@mail.example.com:70000',
      'smtp://user:hush@mail.example.com/path',
      'smtp://user:hush@mail.example.com#hush',
      'smtp://user:hush@mail.example.com?tls=maybe',
      'smtp://user:hush@mail.example.com?tls=',
      'smtp://user:hush@mail.example.com?tls=off&tls=required',
      'smtp://user:hush@mail.example.com?pool=true',
      'smtp://user:hush@mail.example.com?TLS=off',
      'smtp://user:hush%@mail.example.com',
      'smtps://user:hush@mail.example.com?tls=off',
      'file:',
    ].map((MAIL_URL): [string, Record<string, string>] => [
      'MAIL_URL',
      { MAIL_URL, MAIL_FROM: 'no-reply@example.com' },
    ]),
    ...[
      'smtp://user:hush@mail.example.com?tls=off',
      'smtp://user:hush@mail.example.com?tls=opportunistic',
      'smtp://user:hush@notlocalhost?tls=off',
      'smtp://user:hush@localhost.example.com?tls=off',
      'file:/var/mails',
    ].map((MAIL_URL): [string, Record<string, string>] => [
      'MAIL_URL',
      { ...inProduction, PLAIN_HTTP_HOSTS: 'relay .svc', MAIL_URL, MAIL_FROM: 'no-reply@example.com' },
    ]),
    ['MAIL_FROM', { MAIL_URL: 'smtp://user:hush@mail.example.com' }],
    ['MAIL_URL', { REGISTRATION: 'open' }],
    ['MAIL_URL', { REGISTRATION: 'open', MAIL_URL: '' }],
    ['REGISTRATION', { REGISTRATION: 'on' }],
    ['REGISTRATION_DOMAINS', { REGISTRATION_DOMAINS: '@example.com' }],
    ['REGISTRATION_DOMAINS', { REGISTRATION_DOMAINS: 'example.com,https://example.org' }],
    ['USERNAME_DOMAIN', { USERNAME_DOMAIN: '@example.com' }],
    ['USERNAME_DOMAIN', { USERNAME_DOMAIN: 'example.com example.org' }],
    ['ACCOUNT_DELETION', { ACCOUNT_DELETION: 'yes' }],
    ['MAIL_FROM', { MAIL_URL: 'smtp://user:hush@mail.example.com', MAIL_FROM: '' }],
    ['MAIL_FROM', { MAIL_FROM: 'Gatehouse <no-reply@example.com>' }],
    ['MAIL_FROM', { MAIL_FROM: 'no-reply' }],
    ['MAIL_FROM', { MAIL_FROM: 'one@example.com,two@example.com' }],
    ['MAIL_CA_FILE', { MAIL_CA_FILE: 'package.json' }],
    ['MAILS_PER_HOUR', { MAILS_PER_HOUR: '0' }],
    ['MAILS_PER_HOUR', { MAILS_PER_HOUR: '1.5' }],
    ['MAILS_PER_HOUR', { MAILS_PER_HOUR: 'many' }],
    ['DISPLAY_NAME', { DISPLAY_NAME: 'x'.repeat(129) }],
    ['DISPLAY_NAME', { DISPLAY_NAME: 'two\nlines' }],
    ['HELP_URL', { HELP_URL: 'javascript:alert(1)' }],
    ['HELP_URL', { HELP_URL: 'help.example.com' }],
    ['BOOTSTRAP_ADMIN_USERNAME', { BOOTSTRAP_ADMIN_PASSWORD: 'root-password' }],
    ['BOOTSTRAP_ADMIN_USERNAME', { ...admin, BOOTSTRAP_ADMIN_USERNAME: 'root' }],
    ['BOOTSTRAP_ADMIN_USERNAME', { ...admin, BOOTSTRAP_ADMIN_USERNAME: `${'x'.repeat(255)}@example.com` }],
    ['BOOTSTRAP_ADMIN_USERNAME', { ...admin, BOOTSTRAP_ADMIN_USERNAME: `${'İ'.repeat(240)}@example.com` }],
    ['BOOTSTRAP_ADMIN_PASSWORD', { BOOTSTRAP_ADMIN_USERNAME: 'root@example.com' }],
    ['BOOTSTRAP_ADMIN_PASSWORD', { ...admin, BOOTSTRAP_ADMIN_PASSWORD: 'hush' }],
    ['BOOTSTRAP_ADMIN_PASSWORD', { ...inProduction, BOOTSTRAP_ADMIN_PASSWORD: 'Password123' }],
  ])('refuses a bad %s by name, without showing a secret: %j', (name, env) => {
    const fault = (() => {
      try {
        return loadConfig(env);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(new RegExp(`^${name} must [^\n]+$`)),
    });
    expect(String(fault)).not.toMatch(/hush|root-password|Password123/);
  });
});
