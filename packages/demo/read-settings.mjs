import { StartError } from './start-error.mjs';

/**
 * Reads the variables of `npm start`. Every variable that it cannot honour is refused.
 * @typedef {{ host: string, authUrl: string, baseUrl: string, demoUrl: string, consoleUrl: string | undefined, ports: Record<string, number>, folder: string }} Settings `folder` holds the data
 */

/** Data of the default port stands in `.data` itself, that of another one in a folder of its own: several starts do not share data. */
const defaultPort = 9000;

/** Ports in a row from `PORT` on: auth-server, org-api, the demo application. */
const portsInARow = 3;

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 */
export function readSettings(env) {
  refuseOthersChoices(env);
  const firstPort = readFirstPort(env);
  const authUrl = env.AUTH_URL || `http://localhost:${firstPort}`;
  const baseUrl = env.BASE_URL || `http://localhost:${firstPort + 1}`;
  const demoUrl = env.DEMO_URL || `http://localhost:${firstPort + 2}`;
  const consoleUrl = env.CONSOLE_URL === 'off' ? undefined : env.CONSOLE_URL || `${authUrl}/console`;
  const ports = {
    'auth-server': portOf('AUTH_URL', authUrl),
    'org-api': portOf('BASE_URL', baseUrl),
    demo: portOf('DEMO_URL', demoUrl),
  };
  if (ports['auth-server'] === ports['org-api']) {
    throw new StartError('AUTH_URL and BASE_URL name one port: each service needs its own');
  }
  if (ports.demo === ports['auth-server'] || ports.demo === ports['org-api']) {
    throw new StartError(`the demo application needs a port of its own, not ${ports.demo}: set DEMO_URL`);
  }
  const folder = ports['auth-server'] === defaultPort ? '.data' : `.data/${ports['auth-server']}`;
  return { host: env.HOST || '127.0.0.1', authUrl, baseUrl, demoUrl, consoleUrl, ports, folder };
}

/** @param {NodeJS.ProcessEnv} env */
function refuseOthersChoices(env) {
  if (env.NODE_ENV === 'production') {
    throw new StartError('NODE_ENV is production, and npm start creates demo users: unset it, or see infra/README.md');
  }
  if (env.DATABASE_URL || env.DATABASE_URL_FILE) {
    throw new StartError(
      'DATABASE_URL is set, and each service has a database of its own: unset it, or start each service by itself ' +
        '(README.md, Configuration)',
    );
  }
  if (env.DEMO_DATA && env.DEMO_DATA !== 'true') {
    throw new StartError('DEMO_DATA is not true, and npm start creates demo users: unset it');
  }
}

/** @param {NodeJS.ProcessEnv} env */
function readFirstPort({ PORT, AUTH_URL, BASE_URL }) {
  if (!PORT) return defaultPort;
  if (AUTH_URL || BASE_URL) {
    throw new StartError(
      'PORT is set beside AUTH_URL or BASE_URL, which name ports too: set PORT alone, or the two URLs',
    );
  }
  const port = /^\d{1,5}$/.test(PORT) ? Number(PORT) : 0;
  if (port >= 1 && port <= 65_536 - portsInARow) return port;
  throw new StartError(
    `PORT must be an integer from 1 to ${65_536 - portsInARow}: auth-server's; org-api and the demo application have the next ones`,
  );
}

/**
 * @param {string} name
 * @param {string} text
 */
function portOf(name, text) {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    throw new StartError(
      `${name} must be an absolute http(s) URL without a trailing slash, such as http://localhost:9000`,
    );
  }
  const { port, protocol } = new URL(text);
  return port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 0) : Number(port);
}
