import { describe, expect, it } from '@jest/globals';
import { createCommonVariables } from '../src/common-variables.ts';
import { describeMisspeltVariables } from '../src/misspelt-variables.ts';

const known = [
  ...Object.keys(createCommonVariables({ port: 9000, databaseFile: 'x' })),
  ...['REALM', 'ORG_API_URL', 'ORG_API_CA_FILE', 'KEY_ENCRYPTION_KEY', 'EXTRA_SCOPES', 'DEMO_DATA', 'JWKS_URL'],
];
const describeAll = (...names: string[]) =>
  describeMisspeltVariables(known, Object.fromEntries(names.map((name) => [name, 'hush'])));

describe('a variable that nobody reads', () => {
  it.each([
    ['AUTH_ULR', 'AUTH_URL'],
    ['AUHT_URL', 'AUTH_URL'],
    ['BASE_URI', 'BASE_URL'],
    ['DATABSE_UR', 'DATABASE_URL'],
    ['PROT', 'PORT'],
    ['REALN', 'REALM'],
    ['REAL', 'REALM'],
    ['REALMS', 'REALM'],
    ['XXAUTH_URL', 'AUTH_URL'],
    ['EXTRA_SCOPE', 'EXTRA_SCOPES'],
    ['KEY_ENCRYPTON_KEY_FILE', 'KEY_ENCRYPTION_KEY_FILE'],
    ['KEY_ENCRPTON_KEY_FILE', 'KEY_ENCRYPTION_KEY_FILE'],
  ])('%s is almost %s: the line names both, and no value', (name, meant) => {
    expect(describeAll(name)).toEqual([`${name} is set, and Gatehouse has no such variable: did you mean ${meant}?`]);
  });

  it('is not spoken of where it is no more like one of ours than any other', () => {
    expect(describeAll('AUTHENTICATION_URL', 'SECRET', 'X', '_', 'POSTGRES_URL', 'OAUTH2_PROXY_URL')).toEqual([]);
    expect(describeAll('SECRET_FILE', 'DATABSE_U')).toEqual([]);
  });

  it.each([
    ['two letters changed', 'PXOT'],
    ['two others changed', 'PRXT'],
    ['two exchanged and one added', 'PROTS'],
  ])('is not spoken of where a short name has %s', (_how, name) => {
    expect(describeAll(name)).toEqual([]);
  });

  it('may differ by one letter where ours has six, and by two where it has seven', () => {
    const describeFor = (meant: string, name: string) => describeMisspeltVariables([meant], { [name]: 'hush' });
    expect(describeFor('ISSUER', 'ISSR')).toEqual([]);
    expect(describeFor('ISSUER', 'ISSER')).toHaveLength(1);
    expect(describeFor('ISSUERS', 'ISSRS')).toHaveLength(1);
  });

  it('is taken for the nearest of ours, whichever comes first', () => {
    const meant = ['BASE_URLS', 'BASE_URL', 'BASE_URXX'];
    for (const ours of [meant, meant.toReversed()]) {
      expect(describeMisspeltVariables(ours, { BASE_URI: 'hush' })).toEqual([
        'BASE_URI is set, and Gatehouse has no such variable: did you mean BASE_URL?',
      ]);
    }
  });

  it.each(known)('%s is known, and so is the file that holds it', (name) => {
    expect(describeAll(name, `${name}_FILE`)).toEqual([]);
  });

  it('is not spoken of in small letters, as npm sets them', () => {
    expect(describeAll('auth_ulr', 'Auth_url', 'AUTH_Ulr', 'AUTH-URL', '_AUTH_URL', '1AUTH_URL')).toEqual([]);
  });

  it('is not spoken of where it belongs to a system or another tool', () => {
    const others =
      'HOME HOSTNAME HOSTTYPE PATH PWD OLDPWD SHELL SHLVL TERM USER USERNAME LOGNAME LANG LANGUAGE LC_ALL TZ MAIL EDITOR PAGER DISPLAY ' +
      'XDG_RUNTIME_DIR SSH_AUTH_SOCK SSH_CLIENT SSH_TTY TMPDIR TEMP TMP CI DEBUG VERBOSE NODE NODE_PATH NODE_OPTIONS NODE_EXTRA_CA_CERTS ' +
      'INIT_CWD COLOR FORCE_COLOR NO_COLOR HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY ORG_API_PORT ORG_API_SERVICE_HOST ORG_API_SERVICE_PORT ' +
      'AUTH_SERVER_PORT AUTH_SERVER_SERVICE_HOST KUBERNETES_PORT KUBERNETES_SERVICE_HOST MYSQL_HOST MYSQL_PORT MYSQL_URL REDIS_URL ' +
      'DB_HOST DB_PORT DB_URL PGHOST PGPORT SMTP_HOST SMTP_PORT AWS_REGION VERCEL_URL RENDER_EXTERNAL_URL DYNO WEBSITE_HOSTNAME ' +
      'OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES ' +
      'OTEL_TRACES_SAMPLER NEXTAUTH_URL AUTH_SECRET AUTH_TRUST_HOST DOCKER_HOST LESS LS_COLORS PS1 IFS UID EUID PPID MALLOC_ARENA_MAX ' +
      'GITHUB_BASE_REF GITHUB_SERVER_URL GITHUB_API_URL RUNNER_TEMP UV_THREADPOOL_SIZE GHOST_URL';
    expect(describeAll(...others.split(' '))).toEqual([]);
  });
});
