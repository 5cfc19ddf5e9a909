import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { createCommonReaders, describeProductionRisks, readDatabaseUrl } from '../src/common-config.ts';
import { createCommonVariables } from '../src/common-variables.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import {
  ConfigError,
  createEnvironmentReader,
  type Environment,
  readCaFile,
  readTogether,
} from '../src/environment.ts';

const defaults = { port: 9000, databaseFile: '.data/test.sqlite' };
const readConfig = (env: Environment, names: string[] = []) =>
  readTogether(createCommonVariables(defaults), env, createCommonReaders(env, defaults, names));

/** The message a bad environment gives; fails where it gives none, or not as a ConfigError. */
function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

describe('a list', () => {
  it('is separated by spaces: commas are refused in one line, and would make one name of two', () => {
    expect(faultOf(() => readConfig({ PLAIN_HTTP_HOSTS: 'one,two' }))).toBe(
      'PLAIN_HTTP_HOSTS must be separated by spaces, not by commas',
    );
  });
});

describe('common configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 9000,
      authUrl: 'http://localhost:9000',
      baseUrl: 'http://localhost:9001',
      consoleUrl: 'http://localhost:9000/console',
      databaseUrl: { dialect: 'sqlite', path: '.data/test.sqlite' },
      databasePoolSize: 10,
      hashMemory: 128,
      auditRetentionDays: 365,
      migrateOnStart: true,
      demoData: false,
      trustProxy: false,
      logLevel: 'info',
      production: false,
      trial: false,
      tracesUrl: undefined,
    });
  });

  describe('in an image, which allows a trial', () => {
    const names = Object.keys(createCommonVariables(defaults)).concat('KEY_ENCRYPTION_KEY', 'DEMO_DATA');
    const image = { TRIAL_WITHOUT_SETTINGS: 'true', HOST: '0.0.0.0', PORT: '9000' };
    const readImage = (env: Environment) => readConfig({ ...image, ...env }, names);
    const settings = {
      DATABASE_URL: 'mysql://u:p@db/auth',
      AUTH_URL: 'https://auth.example.com',
      BASE_URL: 'https://api.example.com',
    };

    it('is a trial in development where nothing but an address is given', () => {
      const database = { dialect: 'sqlite' };
      for (const env of [{}, { PORT: '80', LOG_LEVEL: 'warn', DEMO_DATA: 'true' }, { AUTH_ULR: 'x', AUTH_URL: '' }]) {
        expect(readImage(env)).toMatchObject({ trial: true, production: false, databaseUrl: database });
      }
    });

    it('is production as soon as a setting is given, by itself or in a file', () => {
      expect(readImage(settings)).toMatchObject({ trial: false, production: true });
      for (const name of ['KEY_ENCRYPTION_KEY', 'KEY_ENCRYPTION_KEY_FILE', 'TRUST_PROXY', 'AUTH_URL']) {
        expect(faultOf(() => readImage({ [name]: '1' }))).toContain('must be set in production');
      }
    });

    it('does what NODE_ENV says', () => {
      expect(readImage({ ...settings, NODE_ENV: 'development' })).toMatchObject({ trial: false, production: false });
      expect(readImage({ ...settings, NODE_ENV: 'production' })).toMatchObject({ trial: false, production: true });
    });

    it('names in one line all that it needs in production', () => {
      expect(faultOf(() => readImage({ NODE_ENV: 'production' }))).toBe(
        'DATABASE_URL, AUTH_URL, BASE_URL must be set in production; NODE_ENV=development is for a trial (infra/README.md)',
      );
      expect(faultOf(() => readImage({ ...settings, AUTH_URL: '' }))).toMatch(/^AUTH_URL must be set in production/);
    });
  });

  it('is no trial outside of an image', () => {
    expect(readConfig({})).toMatchObject({ trial: false, production: false });
    expect(readConfig({ NODE_ENV: 'production' })).toMatchObject({ trial: false, production: true });
  });

  it.each([
    ['PORT', 'be an integer from 0 to 65535'],
    ['MIGRATE_ON_START', 'be true or false'],
    ['NODE_ENV', 'be one of production, development, test'],
    ['LOG_LEVEL', 'be one of trace, debug, info, warn, error, fatal, silent'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'be an http(s) URL, such as http://localhost:4318'],
    ['TRUST_PROXY', 'be true, false, a number of hops, or addresses and ranges such as 10.0.0.0/8'],
  ])('says what %s must be', (name, rule) => {
    expect(faultOf(() => readConfig({ [name]: 'else' }))).toBe(`${name} must ${rule}`);
  });

  it.each(['prod', 'Production', 'staging'])('refuses NODE_ENV=%s, which would run as development', (NODE_ENV) => {
    expect(faultOf(() => readConfig({ NODE_ENV }))).toMatch(/^NODE_ENV must be one of [^\n]+$/);
  });

  it('says all that is wrong at once, a line each, what a variable must be and what production demands', () => {
    const bad = {
      PORT: 'http',
      LOG_LEVEL: 'loud',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'x',
      DATABASE_URL: 'mysql://u:hush@db',
    };
    const env = { ...bad, NODE_ENV: 'production', AUTH_URL: 'http://auth.example.com', TRUST_PROXY: 'true' };
    expect(faultOf(() => readConfig(env)).split('\n')).toEqual([
      expect.stringMatching(/^PORT must be/),
      expect.stringMatching(/^LOG_LEVEL must be/),
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT must be/),
      expect.stringMatching(/^AUTH_URL must be https/),
      expect.stringMatching(/^DATABASE_URL must be/),
      expect.stringMatching(/^TRUST_PROXY must not be true/),
    ]);
    const ofMigration = { NODE_ENV: 'prod', DATABASE_URL: 'hush' };
    expect(faultOf(() => readDatabaseUrl(ofMigration, defaults)).split('\n')).toEqual([
      expect.stringMatching(/^NODE_ENV must be/),
      expect.stringMatching(/^DATABASE_URL must be/),
    ]);
  });

  it('warns in production of an issuer that others cannot reach, and of SQLite', () => {
    const production = { NODE_ENV: 'production', AUTH_URL: 'https://a.example.com', BASE_URL: 'https://b.example.com' };
    const risksOf = (env: Environment) => describeProductionRisks(readConfig(env)).map((line) => line.split(' ')[0]);
    const mysql = { ...production, DATABASE_URL: 'mysql://u:p@db/auth' };
    expect(risksOf(mysql)).toEqual([]);
    expect(risksOf(production)).toEqual(['DATABASE_URL']);
    expect(risksOf({ ...mysql, AUTH_URL: 'http://127.0.0.1:9000' })).toEqual(['AUTH_URL']);
    expect(risksOf({ NODE_ENV: 'production' })).toEqual(['AUTH_URL', 'DATABASE_URL']);
    expect([risksOf({}), risksOf({ NODE_ENV: 'test' })]).toEqual([[], []]);
  });

  it('keeps audit events for a day to ten years', () => {
    const rule = 'AUDIT_RETENTION_DAYS must be an integer from 1 to 3650';
    for (const days of ['0', '3651', '1.5']) {
      expect(faultOf(() => readConfig({ AUDIT_RETENTION_DAYS: days }))).toBe(rule);
    }
    for (const days of [1, 3650]) {
      expect(readConfig({ AUDIT_RETENTION_DAYS: String(days) }).auditRetentionDays).toBe(days);
    }
    expect(readConfig({}).auditRetentionDays).toBe(365);
  });

  it('sends traces where the standard variables say, once one of them does', () => {
    const read = (variables: Environment) => readConfig(variables).tracesUrl;
    const [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT] = [
      'http://collector:4318/',
      'http://tempo:4318/traces',
    ];
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT })).toBe('http://collector:4318/v1/traces');
    expect(read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })).toBe(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
    const both = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT };
    expect(read(both)).toBe(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
    expect(read({ ...both, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
  });

  it('takes an empty variable for an absent one', () => {
    expect(readConfig({ PORT: '', AUTH_URL: '', TRUST_PROXY: '', LOG_LEVEL: '', DATABASE_URL: '' })).toEqual(
      readConfig({}),
    );
  });

  it.each([
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '90 00'],
    ['PORT', '1e3'],
    ['PORT', '0x10'],
    ['AUTH_URL', 'localhost:9000'],
    ['AUTH_URL', 'http://localhost:9000/'],
    ['AUTH_URL', 'http:localhost:9000'],
    ['AUTH_URL', 'http:/localhost:9000'],
    ['AUTH_URL', 'ftp://localhost'],
    ['AUTH_URL', 'http://localhost:9000?x=1'],
    ['AUTH_URL', 'http://localhost:9000#x'],
    ['AUTH_URL', 'http://user:hush@localhost:9000'],
    ['AUTH_URL', 'http://user@localhost:9000'],
    ['AUTH_URL', 'http://:hush@localhost:9000'],
    ['AUTH_URL', ' http://localhost:9000'],
    ['AUTH_URL', 'http://[::1'],
    ['CONSOLE_URL', 'nowhere'],
    ['CONSOLE_URL', 'https://console.example.com/'],
    ['CONSOLE_URL', 'https://console.example.com/?a=b'],
    ['BASE_URL', 'nowhere'],
    ['BASE_URL', 'http://localhost:9001\n'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'postgres://user:hush@db/name'],
    ['DATABASE_URL', 'mysql://user:hush@db'],
    ['DATABASE_URL', 'mysql://user:hush@db/'],
    ['DATABASE_URL', 'mysql://user:hush@db/na/me'],
    ['DATABASE_URL', 'mysql://user:hush@db/name;drop'],
    ['DATABASE_URL', 'mysql://user:hush@db:port/name'],
    ['DATABASE_URL', 'mysql://user:hush%ZZ@db/name'],
    ['DATABASE_URL', 'mysql://us%E0er:hush@db/name'],
    ['DATABASE_URL', 'mysql:///name'],
    ['DATABASE_URL', 'hush'],
    ['DATABASE_URL', 'sqlite:/tmp/data.sqlite?tls=verify'],
    ['DATABASE_URL', 'sqlite:/tmp/a b?.sqlite'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?ssl-mode=VERIFY_IDENTITY'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?tls=verify&x=hush'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?TLS=verify'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?tls=required'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?tls='],
    ['DATABASE_URL', 'mysql://u:hush@db/name?tls=off&tls=verify'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?tls-ca=/tmp/ca.pem'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?tls=off&tls-ca=/tmp/ca.pem'],
    ['DATABASE_URL', 'mysql://u:hush@192.0.2.1/name?tls=verify'],
    ['DATABASE_URL', 'mysql://u:hush@[::1]/name?tls=verify'],
    ['DATABASE_URL', 'mysql://u:hush@db/name#tls=verify'],
    ['DATABASE_URL', 'mysql://u:hush@db/name?a%0Ab=hush'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_POOL_SIZE', '101'],
    ['HASH_MEMORY', '95'],
    ['MIGRATE_ON_START', 'yes'],
    ['MIGRATE_ON_START', 'TRUE'],
    ['LOG_LEVEL', 'loud'],
    ['TRUST_PROXY', 'everybody'],
    ['TRUST_PROXY', '10.0.0.0/99'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/x'],
    ['TRUST_PROXY', 'dead'],
    ['TRUST_PROXY', '10.0.0'],
    ['TRUST_PROXY', 'loopback,10.0.0.256'],
    ['TRUST_PROXY', '::1/129'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://[::1'],
  ])('refuses %s=%j in one clear line that names it and keeps its secrets', (name, value) => {
    const message = faultOf(() => readConfig({ [name]: value }));
    expect(message).toMatch(new RegExp(`^${name}(: [a-z-]+)? must be [^\\n]+$`));
    expect(message).not.toContain('hush');
  });

  it.each([
    ['true', true],
    ['false', false],
    ['1', 1],
    ['loopback', 'loopback'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['loopback, 10.0.0.0/8 fd00::/8', 'loopback,10.0.0.0/8,fd00::/8'],
    ['::1', '::1'],
    ['128.0.0.0/1 192.0.2.1/32 ::1/128', '128.0.0.0/1,192.0.2.1/32,::1/128'],
    ['uniquelocal,192.168.1.7', 'uniquelocal,192.168.1.7'],
  ])('reads TRUST_PROXY=%j', (value, expected) => {
    expect(readConfig({ TRUST_PROXY: value }).trustProxy).toBe(expected);
  });

  it('refuses to trust everybody in production, by name, and takes hops and ranges there', () => {
    const production = {
      NODE_ENV: 'production',
      AUTH_URL: 'https://auth.example.com',
      BASE_URL: 'https://api.example.com',
    };
    const read = (value: string) => () => readConfig({ ...production, TRUST_PROXY: value }).trustProxy;
    expect(faultOf(read('true'))).toBe(
      'TRUST_PROXY must not be true when NODE_ENV=production; give a number of hops, or addresses and ranges',
    );
    expect([read('1')(), read('10.0.0.0/8')(), read('false')(), read('')()]).toEqual([1, '10.0.0.0/8', false, false]);
  });

  it('keeps a base URL as it is written', () => {
    expect(readConfig({ AUTH_URL: 'https://auth.example.com/realm' }).authUrl).toBe('https://auth.example.com/realm');
  });

  it('migrates at start with SQLite and not with MySQL, unless told otherwise', () => {
    expect(readConfig({ DATABASE_URL: 'mysql://u:p@h/n' }).migrateOnStart).toBe(false);
    expect(readConfig({ DATABASE_URL: 'mysql://u:p@h/n', MIGRATE_ON_START: 'true' }).migrateOnStart).toBe(true);
    expect(readConfig({ MIGRATE_ON_START: 'false' }).migrateOnStart).toBe(false);
  });
});

describe('public URLs in production', () => {
  const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com' };

  it.each(['AUTH_URL', 'BASE_URL'])('must be https: %s', (name) => {
    const env = { ...production, AUTH_URL: 'https://auth.example.com', [name]: 'http://auth.example.com' };
    expect(faultOf(() => readConfig(env))).toMatch(new RegExp(`^${name} must be https`));
    expect(readConfig({ ...env, NODE_ENV: 'development' }).production).toBe(false);
  });

  it.each(['http://localhost:9000', 'http://127.0.0.1:9000', 'http://[::1]:9000', 'https://auth.example.com'])(
    'may be %s',
    (url) => {
      expect(readConfig({ ...production, AUTH_URL: url }).authUrl).toBe(url);
    },
  );

  it('may be http on a cluster-internal host that is listed, by name or by suffix', () => {
    const at = (url: string, hosts: string) => () =>
      readConfig({ ...production, AUTH_URL: url, PLAIN_HTTP_HOSTS: hosts }).authUrl;
    expect(at('http://auth-server:9000', 'auth-server')()).toBe('http://auth-server:9000');
    expect(at('http://auth.gatehouse.svc:9000', '.svc')()).toBe('http://auth.gatehouse.svc:9000');
    expect(faultOf(at('http://evil-auth-server', 'auth-server'))).toContain('AUTH_URL');
    expect(faultOf(at('http://auth.svc.example.com', '.svc'))).toContain('AUTH_URL');
  });
});

describe('DATABASE_POOL_SIZE', () => {
  it.each([2, 100])('takes %d', (size) => {
    expect(readConfig({ DATABASE_POOL_SIZE: String(size) }).databasePoolSize).toBe(size);
  });
});

describe('DATABASE_URL', () => {
  it('decodes what stands percent-encoded in it', () => {
    expect(parseDatabaseUrl('mysql://us%40er:p%2Fa%3Ass@db.example.com:3307/gate-house_1')).toEqual({
      dialect: 'mysql',
      host: 'db.example.com',
      port: 3307,
      user: 'us@er',
      password: 'p/a:ss',
      database: 'gate-house_1',
    });
  });

  it('takes 3306 for the port that is left out', () => {
    expect(parseDatabaseUrl('mysql://u:p@h/n')).toMatchObject({ port: 3306 });
  });

  it('takes several hosts, each with its port', () => {
    expect(parseDatabaseUrl('mysql://u,1:p%40@one,two:3307,[::1]:3308/n')).toEqual({
      dialect: 'mysql',
      host: 'one',
      port: 3306,
      otherHosts: [
        { host: 'two', port: 3307 },
        { host: '[::1]', port: 3308 },
      ],
      user: 'u,1',
      password: 'p@',
      database: 'n',
    });
  });

  it.each(['mysql://u:hush@one,/n', 'mysql://u:hush@,two/n', 'mysql://u:hush@one,two:x/n'])(
    'takes no host that is none (%s)',
    (url) => {
      expect(faultOf(() => parseDatabaseUrl(url))).toBe(
        'DATABASE_URL must be sqlite:PATH or mysql://user:password@host:port/name',
      );
    },
  );

  it('takes no address among hosts whose name is verified', () => {
    expect(faultOf(() => parseDatabaseUrl('mysql://u:hush@one,127.0.0.1/n?tls=verify'))).toBe(
      'DATABASE_URL: host must be a name, not an address, where tls=verify',
    );
  });

  it('takes any path of a SQLite file that has no question mark', () => {
    expect(parseDatabaseUrl('sqlite:/tmp/a b#%.sqlite')).toEqual({ dialect: 'sqlite', path: '/tmp/a b#%.sqlite' });
  });

  it('names the parameter that it does not know', () => {
    const url = 'mysql://u:hush@db/name?tls=verify&ssl-mode=VERIFY_IDENTITY';
    expect(faultOf(() => parseDatabaseUrl(url))).toBe(
      'DATABASE_URL: parameter must be tls or tls-ca, each once, not ssl-mode',
    );
  });

  it('reads tls, which is off unless it is verify', () => {
    const tlsOf = (parameters: string) => parseDatabaseUrl(`mysql://u:p@db/name${parameters}`);
    expect(tlsOf('')).not.toHaveProperty('tls');
    expect(tlsOf('?')).not.toHaveProperty('tls');
    expect(tlsOf('?tls=off')).not.toHaveProperty('tls');
    expect(tlsOf('?tls=verify')).toMatchObject({ tls: {} });
  });
});

describe('a variable from a file', () => {
  const variables = {
    SECRET: Type.Optional(Type.String()),
    NAME: Type.String({ default: 'fallback' }),
    PORT: Type.Integer({ minimum: 0, maximum: 9999, default: 1 }),
  };
  let folder: string;
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read as a mounted Secret is, without its last line break', () => {
    const read = createEnvironmentReader(variables, {
      SECRET_FILE: file('secret', ' hush \n'),
      PORT_FILE: file('port', '8080\r\n'),
    });
    expect(read('SECRET')).toBe(' hush ');
    expect(read('PORT')).toBe(8080);
  });

  it('counts as absent where the file is empty', () => {
    const read = createEnvironmentReader(variables, {
      SECRET_FILE: file('empty', '\n'),
      NAME_FILE: file('nothing', '\n'),
    });
    expect(read('SECRET')).toBeUndefined();
    expect(read('NAME')).toBe('fallback');
  });

  it('counts as absent where no file is named', () => {
    const read = createEnvironmentReader(variables, { SECRET: 'hush', SECRET_FILE: '', NAME_FILE: '' });
    expect([read('SECRET'), read('NAME')]).toEqual(['hush', 'fallback']);
  });

  it('is refused beside the variable itself', () => {
    const env = { SECRET: 'hush', SECRET_FILE: file('other', 'hush') };
    const message = faultOf(() => createEnvironmentReader(variables, env)('SECRET'));
    expect(message).toBe('SECRET and SECRET_FILE are both set; set one of them');
  });

  it('is refused by name where the file cannot be read', () => {
    const missing = join(folder, 'missing');
    expect(faultOf(() => readConfig({ DATABASE_URL_FILE: missing }))).toBe(
      `DATABASE_URL_FILE names a file that cannot be read: ${missing}`,
    );
    expect(faultOf(() => readConfig({ PORT_FILE: folder }))).toContain('PORT_FILE');
  });

  it('does not show the password of a bad DATABASE_URL', () => {
    const env = { DATABASE_URL_FILE: file('url', 'mysql://user:hush@db\n') };
    expect(faultOf(() => readConfig(env))).not.toContain('hush');
  });
});

describe('a file of CA certificates', () => {
  let folder: string;
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const readCa = (path: string) => () => readCaFile('SOME_CA_FILE', path, 'https://api.example.com');
  const readTlsCa = (path: string) => () =>
    parseDatabaseUrl(`mysql://u:hush@db/name?tls=verify&tls-ca=${encodeURIComponent(path)}`);
  let certificates: Certificates;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
    certificates = await makeCertificates('localhost');
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await certificates.remove();
  });

  it('is read at start, with everything beside the certificates left out', () => {
    const pem = readFileSync(certificates.ca, 'utf8').trim();
    expect(readCa(certificates.ca)()).toBe(pem);
    const bundle = file('bundle.pem', `# two of them\n${pem}\n\n${pem}\n`);
    expect(readCa(bundle)()).toBe(`${pem}\n${pem}`);
    expect(readTlsCa(bundle)()).toMatchObject({ tls: { ca: `${pem}\n${pem}` } });
  });

  it.each([
    ['that is not there', () => join(folder, 'missing'), 'names a file that cannot be read'],
    ['that is a folder', () => folder, 'names a file that cannot be read'],
    ['that is empty', () => file('empty.pem', ''), 'must name a file of PEM certificates'],
    ['that holds a key', () => certificates.key, 'must name a file of PEM certificates'],
    [
      'that holds nonsense',
      () => file('nonsense.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
      'must name a file of PEM certificates',
    ],
  ])('is refused by the name of its variable, and by its own: one %s', (_what, path, fault) => {
    expect(faultOf(readCa(path()))).toBe(`SOME_CA_FILE ${fault}: ${path()}`);
    expect(faultOf(readTlsCa(path()))).toBe(`DATABASE_URL: tls-ca ${fault}: ${path()}`);
  });

  it('is for an https URL alone, and may be left out', () => {
    expect(faultOf(() => readCaFile('SOME_CA_FILE', certificates.ca, 'http://org-api:9001'))).toBe(
      'SOME_CA_FILE must not be set where http://org-api:9001 is not https',
    );
    expect(readCaFile('OTHER_CA_FILE', undefined, 'http://org-api:9001')).toBeUndefined();
  });
});

describe('a variable without a rule in words', () => {
  it('must be valid', () => {
    const read = createEnvironmentReader({ NAME: Type.String({ pattern: '^[a-z]+$' }) }, { NAME: 'hush 1' });
    expect(faultOf(() => read('NAME'))).toBe('NAME must be valid');
  });
});

describe('words', () => {
  it('are split at white space, without repeats', () => {
    const words = Type.Array(Type.String(), { default: [] });
    const read = createEnvironmentReader({ EXTRA: words, NONE: words }, { EXTRA: '  a  b\ta\n' });
    expect(read('EXTRA')).toEqual(['a', 'b']);
    expect(read('NONE')).toEqual([]);
  });
});
