import { describe, expect, test } from '@jest/globals';
import { checkNode } from '../check-installation.mjs';
import { readSettings } from '../read-settings.mjs';
import { StartError } from '../start-error.mjs';

/** The one line with which npm start refuses. */
function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(StartError);
    expect((error as Error).message).not.toContain('\n');
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('what npm start takes from the environment', () => {
  test('nothing: ports 9000 to 9002 of this machine', () => {
    expect(readSettings({})).toEqual({
      host: '127.0.0.1',
      authUrl: 'http://localhost:9000',
      baseUrl: 'http://localhost:9001',
      demoUrl: 'http://localhost:9002',
      consoleUrl: 'http://localhost:9000/console',
      ports: { 'auth-server': 9000, 'org-api': 9001, demo: 9002 },
      folder: '.data',
    });
  });

  test('PORT: of auth-server, and the next ones of org-api and the demo application', () => {
    expect(readSettings({ PORT: '9100' })).toMatchObject({
      authUrl: 'http://localhost:9100',
      baseUrl: 'http://localhost:9101',
      demoUrl: 'http://localhost:9102',
      ports: { 'auth-server': 9100, 'org-api': 9101, demo: 9102 },
      folder: '.data/9100',
    });
  });

  test('AUTH_URL and BASE_URL: their ports, or those of their schemes', () => {
    expect(readSettings({ AUTH_URL: 'http://localhost:7000', BASE_URL: 'http://localhost:7001' }).ports).toEqual({
      'auth-server': 7000,
      'org-api': 7001,
      demo: 9002,
    });
    expect(readSettings({ AUTH_URL: 'https://auth.test', BASE_URL: 'http://api.test' }).ports).toEqual({
      'auth-server': 443,
      'org-api': 80,
      demo: 9002,
    });
  });

  test('CONSOLE_URL: where the console is, or that there is none', () => {
    expect(readSettings({ PORT: '9100' }).consoleUrl).toBe('http://localhost:9100/console');
    expect(readSettings({ CONSOLE_URL: 'http://console.test' }).consoleUrl).toBe('http://console.test');
    expect(readSettings({ CONSOLE_URL: 'off' }).consoleUrl).toBeUndefined();
  });

  test('an empty variable for an absent one', () => {
    expect(
      readSettings({
        PORT: '',
        AUTH_URL: '',
        DATABASE_URL: '',
        NODE_ENV: '',
        CONSOLE_URL: '',
        DEMO_DATA: '',
        HOST: '',
      }),
    ).toEqual(readSettings({}));
  });

  test.each([
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '0' }],
    ['PORT', { PORT: '65535' }],
    ['PORT', { PORT: '9100', AUTH_URL: 'http://localhost:9000' }],
    ['AUTH_URL', { AUTH_URL: 'localhost:9000' }],
    ['BASE_URL', { BASE_URL: 'nonsense' }],
    ['AUTH_URL', { AUTH_URL: 'http://localhost:9001' }],
    ['DEMO_URL', { DEMO_URL: 'http://localhost:9001' }],
    ['DEMO_URL', { DEMO_URL: 'localhost:9002' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://user:hush@localhost/auth' }],
    ['DATABASE_URL', { DATABASE_URL_FILE: '/run/secrets/database-url' }],
    ['NODE_ENV', { NODE_ENV: 'production' }],
    ['DEMO_DATA', { DEMO_DATA: 'false' }],
  ])('%s is never ignored: %j is refused in one line that names it', (name, env) => {
    const fault = faultOf(() => readSettings(env));
    expect(fault).toContain(name);
    expect(fault).not.toContain('hush');
  });
});

describe('the version of Node.js', () => {
  test.each(['18.20.8', '20.18.3', '16.0.0'])('%s is refused, with the version to install', (version) => {
    expect(faultOf(() => checkNode(version))).toMatch(
      new RegExp(`^this is Node.js ${version}, and Gatehouse needs 20.19 or later: install Node.js 24 `),
    );
  });

  test.each(['20.19.0', '20.20.2', '22.0.0', '24.21.0', '26.1.0'])('%s is taken', (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });
});
