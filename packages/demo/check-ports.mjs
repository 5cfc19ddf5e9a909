import { createServer } from 'node:net';
import { findListener } from './find-listener.mjs';
import { StartError } from './start-error.mjs';

/** The variable that names the URL of each process, and so its port. Without it PORT does. */
const urlVariables = { 'auth-server': 'AUTH_URL', 'org-api': 'BASE_URL', demo: 'DEMO_URL' };

/**
 * Throws one line that names each port that cannot be listened on, the process that has it, and what to do.
 * @param {Pick<import('./read-settings.mjs').Settings, 'host' | 'ports'>} settings
 * @param {NodeJS.ProcessEnv} env that the settings were read from
 * @param {string} command as the user typed it
 */
export async function checkPorts({ host, ports }, env, command) {
  const taken = [];
  for (const port of Object.values(ports)) {
    const fault = await findFault(host, port);
    if (fault === 'EADDRINUSE') taken.push(port);
    else if (fault !== undefined)
      throw new StartError(`${host}:${port} cannot be listened on (${fault}): choose HOST and PORT`);
  }
  if (taken.length === 0) return;
  const owners = taken.map((port) => `port ${port} is taken by ${findListener(port) ?? 'another process'}`);
  const free = await findFreePorts(host, ports, taken, env);
  const advice = free && `, or choose other ports, such as \`${describeVariables(free, env)} ${command}\``;
  throw new StartError(`${owners.join(', ')}: stop what runs there${advice ?? ''}`);
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>} the code of what keeps a server from listening there
 */
function findFault(host, port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/**
 * Ports on which a server can listen now: the taken ones are replaced, and with one port that follows from PORT all that do.
 * @param {string} host
 * @param {Record<string, number>} ports
 * @param {number[]} taken
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Record<string, number> | undefined>}
 */
async function findFreePorts(host, ports, taken, env) {
  const isRowTaken = Object.entries(ports).some(([name, port]) => !hasUrl(name, env) && taken.includes(port));
  const isMoved = (/** @type {[string, number]} */ [name, port]) =>
    hasUrl(name, env) ? taken.includes(port) : isRowTaken;
  const hundreds = Array.from({ length: 50 }, (_, index) => 100 * (index + 1));
  for (const distance of [...hundreds, ...hundreds.map((each) => -each)]) {
    const moved = Object.entries(ports).map(([name, port]) => [name, isMoved([name, port]) ? port + distance : port]);
    const found = /** @type {Record<string, number>} */ (Object.fromEntries(moved));
    if (await canListen(host, Object.values(found))) return found;
  }
  return undefined;
}

/**
 * @param {string} host
 * @param {number[]} ports
 */
async function canListen(host, ports) {
  if (new Set(ports).size < ports.length) return false;
  for (const port of ports) {
    if (port < 1 || port > 65_535 || (await findFault(host, port)) !== undefined) return false;
  }
  return true;
}

/**
 * Whether a URL chooses this port. PORT is refused together with AUTH_URL and BASE_URL, so with one of these every port is that of a URL.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function hasUrl(name, env) {
  return Boolean(env.AUTH_URL || env.BASE_URL || env[urlVariables[/** @type {keyof typeof urlVariables} */ (name)]]);
}

/**
 * The variables in effect, with these ports.
 * @param {Record<string, number>} ports
 * @param {NodeJS.ProcessEnv} env
 */
function describeVariables(ports, env) {
  const urls = Object.entries(urlVariables)
    .filter(([name]) => hasUrl(name, env))
    .map(([name, variable]) => {
      const url = new URL(env[variable] || 'http://localhost');
      url.port = String(ports[name]);
      return `${variable}=${url.origin}`;
    });
  return [...(env.AUTH_URL || env.BASE_URL ? [] : [`PORT=${ports['auth-server']}`]), ...urls].join(' ');
}
