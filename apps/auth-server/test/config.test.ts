import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type Environment } from '@gatehouse/service-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeMisspelt, loadConfig } from '../src/config.ts';

const key = Buffer.alloc(32, 'key').toString('base64');
const read = (env: Environment) => loadConfig({ KEY_ENCRYPTION_KEY: key, ...env });
const faultOf = (env: Environment): string => {
  try {
    read(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
};

describe('configuration of the auth server', () => {
  it('has the defaults of the contract', () => {
    expect(read({})).toMatchObject({
      host: '127.0.0.1',
      port: 9000,
      authUrl: 'http://localhost:9000',
      baseUrl: 'http://localhost:9001',
      orgApiUrl: 'http://localhost:9001',
      realm: 'main',
      extraScopes: [],
      dynamicRegistration: 'off',
      sessionLifetime: 12 * 3_600_000,
      refreshTokenIdleDays: 30,
      refreshTokenMaxDays: 180,
      trustProxy: false,
      logLevel: 'info',
      migrateOnStart: true,
      keyEncryptionKey: Buffer.from(key, 'base64'),
    });
  });

  it('has the key before where that is given', () => {
    const previous = Buffer.alloc(32, 'previous');
    expect(read({}).previousKeyEncryptionKey).toBeUndefined();
    const given = { KEY_ENCRYPTION_KEY_PREVIOUS: previous.toString('base64') };
    expect(read(given).previousKeyEncryptionKey).toEqual(previous);
  });

  it('reaches org-api at ORG_API_URL where that is set, else at BASE_URL', () => {
    expect(read({ BASE_URL: 'https://api.example.com' }).orgApiUrl).toBe('https://api.example.com');
    expect(read({ ORG_API_URL: 'http://org-api:9001' }).orgApiUrl).toBe('http://org-api:9001');
  });

  describe('of the pages', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gatehouse-logo-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const write = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };

    it('is none unless it is set', () => {
      const none = { displayName: undefined, logo: undefined, logoDark: undefined, accentColours: undefined };
      expect(read({})).toMatchObject(none);
    });

    it('takes names, links and colours', () => {
      const links = {
        HELP_URL: 'https://a.example/help',
        PRIVACY_URL: 'https://a.example/p',
        TERMS_URL: 'http://a.example/t',
      };
      expect(read({ DISPLAY_NAME: 'B\u00fccher & Co', ACCENT_COLOR: '#7a0019', ...links })).toMatchObject({
        displayName: 'B\u00fccher & Co',
        accentColours: { light: '#7a0019' },
        helpUrl: links.HELP_URL,
        privacyUrl: links.PRIVACY_URL,
        termsUrl: links.TERMS_URL,
      });
    });

    it.each(['<svg xmlns="http://www.w3.org/2000/svg"/>', '\uFEFF<?xml version="1.0"?>\n<!-- a -->\n<svg>'])(
      'recognizes an SVG logo: %s',
      (content) => {
        expect(read({ LOGO_FILE: write('logo', content) }).logo?.mediaType).toBe('image/svg+xml');
      },
    );

    it.each<[string, Environment, RegExp]>([
      ['a colour that cannot be read', { ACCENT_COLOR: '#ffcc00' }, /^ACCENT_COLOR: #ffcc00 has a contrast of/],
      ['a colour by name', { ACCENT_COLOR: 'red' }, /^ACCENT_COLOR must be one or two colours/],
      ['a link to no host', { TERMS_URL: 'https://[' }, /^TERMS_URL must be an http/],
      ['a link that is a script', { HELP_URL: 'javascript:alert(1)' }, /^HELP_URL must be an http/],
      ['a name that turns the text around', { DISPLAY_NAME: 'a\u202eb' }, /^DISPLAY_NAME must be/],
      ['a logo that is not there', { LOGO_FILE: '/nowhere/logo.svg' }, /^LOGO_FILE names a file that cannot be read/],
    ])('refuses %s', (_what, env, reason) => {
      expect(faultOf(env)).toMatch(reason);
    });

    it('takes a second logo beside the first', () => {
      const [LOGO_FILE, LOGO_FILE_DARK] = [write('a.svg', '<svg ></svg>'), write('b.svg', '<svg></svg>')];
      expect(read({ LOGO_FILE, LOGO_FILE_DARK }).logoDark?.bytes.toString()).toBe('<svg></svg>');
      expect(faultOf({ LOGO_FILE_DARK })).toBe('LOGO_FILE_DARK needs LOGO_FILE, the logo of light pages');
      const dark = write('dark.svg', 'none');
      expect(faultOf({ LOGO_FILE, LOGO_FILE_DARK: dark })).toMatch(/^LOGO_FILE_DARK must name an SVG or PNG image/);
    });

    const ico = (kind: number, count: number, length = 23) =>
      Buffer.concat([Buffer.from([0, 0, kind, 0, count, 0])], length);

    it.each<[string, Buffer, string]>([
      ['ICO', ico(1, 1), 'image/x-icon'],
      ['SVG', Buffer.from('<svg></svg>'), 'image/svg+xml'],
      ['ICO of 48 KiB', ico(1, 1, 48 * 1024), 'image/x-icon'],
    ])('recognizes the icon of a tab by its first bytes: %s', (_what, content, mediaType) => {
      expect(read({ FAVICON_FILE: write('icon', content) }).favicon.mediaType).toBe(mediaType);
    });

    it.each<[string, Buffer, RegExp]>([
      ['a cursor', ico(2, 1), /^FAVICON_FILE must name an SVG, PNG or ICO image/],
      ['an icon without images', ico(1, 0), /^FAVICON_FILE must name an SVG, PNG or ICO image/],
      ['an icon that ends early', ico(1, 1, 22), /^FAVICON_FILE must name an SVG, PNG or ICO image/],
      ['text', Buffer.from('icon'), /^FAVICON_FILE must name an SVG, PNG or ICO image/],
      ['more than 48 KiB', ico(1, 1, 48 * 1024 + 1), /^FAVICON_FILE must name a file of at most 48 KiB/],
    ])('refuses as the icon of a tab: %s', (_what, content, reason) => {
      expect(faultOf({ FAVICON_FILE: write('icon', content) })).toMatch(reason);
    });

    it('refuses a logo that is no image, or too large', () => {
      expect(faultOf({ LOGO_FILE: write('logo.svg', '<html><svg></svg></html>') })).toMatch(
        /^LOGO_FILE must name an SVG/,
      );
      const large = write('large.svg', `<svg>${' '.repeat(100 * 1024)}</svg>`);
      expect(faultOf({ LOGO_FILE: large })).toMatch(/^LOGO_FILE must name a file of at most 100 KiB/);
      const [start, end] = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">', '</svg>'];
      const largest = start.padEnd(100 * 1024 - end.length, ' ') + end;
      expect(read({ LOGO_FILE: write('largest.svg', largest) }).logo?.bytes).toHaveLength(100 * 1024);
    });
  });

  it('knows the names of all its variables, and says what a misspelt one is almost called', () => {
    const misspelt = { PROT: 'hush', ORG_API_ULR: 'hush', DISPLAY_NAM: 'hush', HOME: '/' };
    expect(describeMisspelt(misspelt).map((line) => line.replace(/^(\S+) is set.* mean (\S+)\?$/, '$1 $2'))).toEqual([
      'PROT PORT',
      'ORG_API_ULR ORG_API_URL',
      'DISPLAY_NAM DISPLAY_NAME',
    ]);
  });

  it('does not migrate MySQL at start unless told so', () => {
    const DATABASE_URL = 'mysql://u:p@db/auth';
    expect(read({ DATABASE_URL }).migrateOnStart).toBe(false);
    expect(read({ DATABASE_URL, MIGRATE_ON_START: 'true' }).migrateOnStart).toBe(true);
  });

  it.each([1, 3650])('lets refresh tokens live for %i days', (days) => {
    expect(read({ REFRESH_TOKEN_MAX_DAYS: String(days) }).refreshTokenMaxDays).toBe(days);
  });

  it.each([
    ['KEY_ENCRYPTION_KEY', 'KEY_ENCRYPTION_KEY must be 32 bytes in base64, such as `openssl rand -base64 32` prints'],
    ['EXTRA_SCOPES', 'EXTRA_SCOPES must be scope names of printable ASCII, without " and \\, separated by spaces'],
  ])('says what %s must be', (name, message) => {
    expect(faultOf({ [name]: 'größe' })).toBe(message);
  });

  it('asks nobody for a second step, takes every level for administration, and remembers browsers, unless told otherwise', () => {
    expect(read({})).toMatchObject({
      requireMfa: [],
      administrationAcr: 'urn:gatehouse:acr:password',
      rememberBrowserDays: 30,
    });
  });

  it.each<[string, string[]]>([
    ['everybody', ['everybody']],
    ['SystemAdministrator  DirectoryReader', ['SystemAdministrator', 'DirectoryReader']],
  ])('reads who needs a second step: %s', (REQUIRE_MFA, requireMfa) => {
    expect(read({ REQUIRE_MFA })).toMatchObject({ requireMfa });
  });

  it.each<[string | undefined, string[]]>([
    [undefined, ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader']],
    ['IdpAdministrator', ['IdpAdministrator', 'DirectoryReader']],
    ['DirectoryReader', ['DirectoryReader']],
    ['none', []],
  ])('reads which roles the console may use, with those that they include: %s', (CONSOLE_ROLES, consoleRoles) => {
    expect(read({ ...(CONSOLE_ROLES !== undefined && { CONSOLE_ROLES }) })).toMatchObject({ consoleRoles });
  });

  it.each(['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'])(
    'reads the level that administration requires: %s',
    (level) => {
      expect(read({ ADMINISTRATION_ACR: level }).administrationAcr).toBe(level);
    },
  );

  it.each([0, 1, 90])('remembers browsers for %i days', (days) => {
    expect(read({ REMEMBER_BROWSER_DAYS: String(days) }).rememberBrowserDays).toBe(days);
  });

  it('reads which grant types are off: none unless told, and each once', () => {
    expect(read({}).grantTypesOff).toEqual([]);
    const device = 'urn:ietf:params:oauth:grant-type:device_code';
    const GRANT_TYPES_OFF = `password  implicit ${device} password`;
    expect(read({ GRANT_TYPES_OFF }).grantTypesOff).toEqual(['password', 'implicit', device]);
  });

  it('allows extra scopes', () => {
    expect(read({ EXTRA_SCOPES: 'orders.read  orders:write' }).extraScopes).toEqual(['orders.read', 'orders:write']);
  });

  it('starts with extra scopes that every realm knows, and says which they are', () => {
    expect(read({ EXTRA_SCOPES: 'phone orders.read address orders.read phone' })).toMatchObject({
      extraScopes: ['orders.read'],
      needlessExtraScopes: ['phone', 'address'],
    });
  });

  it.each([
    ['REALM', 'two words'],
    ['REALM', 'x'.repeat(65)],
    ['REALM', '"><script>'],
    ['PASSKEYS', 'maybe'],
    ['PASSKEY_RP_ID', 'example.com'],
    ['PASSKEY_RP_ID', 'host'],
    ['REQUIRE_MFA', 'Administrator'],
    ['REQUIRE_MFA', 'everybody,IdpAdministrator'],
    ['REQUIRE_MFA', 'Everybody'],
    ['REQUIRE_MFA', 'true'],
    ['ADMINISTRATION_ACR', 'mfa'],
    ['GRANT_TYPES_OFF', 'authorization_code'],
    ['GRANT_TYPES_OFF', 'password refresh_token'],
    ['GRANT_TYPES_OFF', 'password,implicit'],
    ['GRANT_TYPES_OFF', 'device_code'],
    ['CLI_CLIENT', 'loopback'],
    ['CONSOLE_ROLES', 'Administrator'],
    ['CONSOLE_URL', 'http://localhost:9000'],
    ['CONSOLE_ROLES', 'IdpAdministrator,DirectoryReader'],
    ['CONSOLE_ROLES', 'none DirectoryReader'],
    ['ADMINISTRATION_ACR', 'phr phrh'],
    ['REMEMBER_BROWSER_DAYS', '-1'],
    ['REMEMBER_BROWSER_DAYS', '91'],
    ['REMEMBER_BROWSER_DAYS', '1.5'],
    ['REMEMBER_BROWSER_DAYS', 'never'],
    ['SESSION_HOURS', '0'],
    ['SESSION_HOURS', '721'],
    ['REFRESH_TOKEN_IDLE_DAYS', '0'],
    ['REFRESH_TOKEN_IDLE_DAYS', '181'],
    ['REFRESH_TOKEN_MAX_DAYS', '0'],
    ['REFRESH_TOKEN_MAX_DAYS', '3651'],
    ['REFRESH_TOKEN_MAX_DAYS', '1.5'],
    ['REFRESH_TOKEN_MAX_DAYS', 'never'],
    ['OUTBOUND_PRIVATE_HOSTS', 'https://idp.example.com'],
    ['OUTBOUND_PRIVATE_HOSTS', 'idp.example.com,jwks.example.com'],
    ['OUTBOUND_PRIVATE_HOSTS', '*.example.com'],
    ['OUTBOUND_CA_FILE', '/no/such/file.pem'],
    ['OUTBOUND_PROXY', 'proxy.example:3128'],
    ['OUTBOUND_PROXY', 'socks5://me:pass-word@proxy.example:1080'],
    ['OUTBOUND_PROXY', 'me:pass-word@proxy.example'],
    ['CLIENT_ID_METADATA', 'on'],
    ['CLIENT_ID_METADATA', 'Listed'],
    ['CLIENT_ID_METADATA_URLS', 'https://tool.example.com/'],
    ['CLIENT_ID_METADATA_URLS', 'http://tool.example.com/client.json'],
    ['CLIENT_ID_METADATA_URLS', 'https://tool.example.com/client.json?version=1'],
    ['CLIENT_ID_METADATA_URLS', 'https://tool.example.com/a,https://tool.example.com/b c'],
    ['EXTRA_SCOPES', 'say"cheese'],
    ['EXTRA_SCOPES', 'back\\slash'],
    ['EXTRA_SCOPES', 'größe'],
    ['EXTRA_SCOPES', 'orders.read,orders.write'],
    ['ORG_API_URL', 'org-api:9001'],
    ['ORG_API_URL', 'http://org-api:9001/'],
    ['KEY_ENCRYPTION_KEY', 'short'],
    ['KEY_ENCRYPTION_KEY', Buffer.alloc(31, 'key').toString('base64')],
    ['KEY_ENCRYPTION_KEY', Buffer.alloc(33, 'key').toString('base64')],
    ['KEY_ENCRYPTION_KEY', Buffer.alloc(32, 'key').toString('hex')],
    ['KEY_ENCRYPTION_KEY', Buffer.alloc(32, 255).toString('base64url')],
    ['KEY_ENCRYPTION_KEY', `${key}!!`],
  ])('refuses %s=%j in one line that names it and does not repeat a secret', (name, value) => {
    const message = faultOf({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name} `));
    expect(message).not.toContain('\n');
    if (name === 'KEY_ENCRYPTION_KEY') expect(message).not.toContain(value);
    expect(message).not.toContain('pass-word');
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['the host of AUTH_URL', { AUTH_URL: 'https://auth.example.com:8443/path' }, 'auth.example.com'],
    ['a domain above it', { AUTH_URL: 'https://auth.example.com', PASSKEY_RP_ID: 'example.com' }, 'example.com'],
    ['localhost', { AUTH_URL: 'http://localhost:9000' }, 'localhost'],
    ['none of an IPv4 address', { AUTH_URL: 'http://127.0.0.1:9000' }, undefined],
    ['none of an IPv6 address', { AUTH_URL: 'http://[::1]:9000' }, undefined],
  ])('reads the domain of passkeys: %s', (_case, env, passkeyRpId) => {
    expect(read(env)).toMatchObject({ passkeyMode: 'on', passkeyRpId });
  });

  it.each(['com', 'xample.com', 'example.com.evil.example', 'other.example.com'])(
    'refuses %s as the domain of passkeys at auth.example.com',
    (PASSKEY_RP_ID) => {
      expect(faultOf({ AUTH_URL: 'https://auth.example.com', PASSKEY_RP_ID })).toMatch(/^PASSKEY_RP_ID must be /);
    },
  );

  const production = {
    NODE_ENV: 'production',
    AUTH_URL: 'https://auth.example.com',
    BASE_URL: 'https://api.example.com',
  };

  it('wants a program by which administrators reach their level, in production', () => {
    const ADMINISTRATION_ACR = 'urn:gatehouse:acr:mfa';
    const without = { ...production, CONSOLE_URL: 'off', ADMINISTRATION_ACR };
    expect(faultOf(without)).toMatch(/^ADMINISTRATION_ACR needs CONSOLE_URL or CLI_CLIENT: [^\n]*$/);
    for (const env of [
      { ...without, CLI_CLIENT: 'device' },
      { ...without, CONSOLE_URL: 'https://console.example.com' },
      { ...without, ADMINISTRATION_ACR: 'urn:gatehouse:acr:password' },
      { ADMINISTRATION_ACR, CONSOLE_URL: 'off' },
    ]) {
      expect(read(env).administrationAcr).toMatch(/^urn:gatehouse:acr:/);
    }
  });

  it('requires KEY_ENCRYPTION_KEY in production', () => {
    expect(read(production).production).toBe(true);
    expect(faultOf({ ...production, KEY_ENCRYPTION_KEY: undefined })).toMatch(/^KEY_ENCRYPTION_KEY /);
    expect(faultOf({ ...production, KEY_ENCRYPTION_KEY: '' })).toMatch(/^KEY_ENCRYPTION_KEY /);
  });

  it.each(['AUTH_URL', 'BASE_URL'])('requires https of %s in production', (name) => {
    expect(faultOf({ ...production, [name]: 'http://auth.example.com' })).toMatch(new RegExp(`^${name} `));
    expect(read({ ...production, [name]: 'http://localhost:9000' }).production).toBe(true);
  });
});

describe('the key of a development server that is given none', () => {
  const file = '.data/key-encryption-key';
  const before = { folder: process.cwd(), mask: process.umask() };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
    process.chdir(folder);
    process.umask(0);
  });
  afterEach(() => {
    process.umask(before.mask);
    process.chdir(before.folder);
    rmSync(folder, { recursive: true, force: true });
  });

  it('is made once, and kept where its user alone may read it', () => {
    const { keyEncryptionKey } = loadConfig({});
    expect(readFileSync(file, 'utf8')).toBe(keyEncryptionKey.toString('base64'));
    expect([statSync('.data').mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(loadConfig({}).keyEncryptionKey).toEqual(keyEncryptionKey);
  });

  it('is made in a folder that is there already', () => {
    mkdirSync('.data');
    expect(loadConfig({}).keyEncryptionKey).toEqual(Buffer.from(readFileSync(file, 'utf8'), 'base64'));
  });

  it('is neither replaced nor repeated where the file holds none', () => {
    loadConfig({});
    writeFileSync(file, 'hush');
    expect(() => loadConfig({})).toThrow(/^KEY_ENCRYPTION_KEY must be 32 bytes in base64/);
    expect(readFileSync(file, 'utf8')).toBe('hush');
  });

  it.each([
    ['the folder is a file', () => writeFileSync('.data', '')],
    ['the file is a folder', () => mkdirSync(file, { recursive: true })],
  ])('is asked for where none can be kept: %s', (_how, prepare) => {
    prepare();
    expect(() => loadConfig({})).toThrow(
      new ConfigError(`KEY_ENCRYPTION_KEY is not set and ${file} cannot be made or read`),
    );
  });
});
