import { createServer } from 'node:net';
import { findListener } from './find-listener.mjs';
import { StartError } from './start-error.mjs';

/**
 * Throws one line that names each port that cannot be listened on, the process that has it, and what to do.
 * @param {Pick<import('./read-settings.mjs').Settings, 'host' | 'ports'>} settings
 */
export async function checkPorts({ host, ports }) {
  const taken = [];
  for (const port of Object.values(ports)) {
    const fault = await findFault(host, port);
    if (fault === 'EADDRINUSE') taken.push(port);
    else if (fault !== undefined)
      throw new StartError(`${host}:${port} cannot be listened on (${fault}): choose HOST and PORT`);
  }
  if (taken.length > 0) throw new StartError(describeTaken(taken));
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

/** @param {number[]} ports */
function describeTaken(ports) {
  const [first = 0] = ports;
  const free = first + 100 < 65_000 ? first + 100 : 9000;
  const owners = ports.map((port) => `port ${port} is taken by ${findListener(port) ?? 'another process'}`);
  return `${owners.join(', ')}: stop what runs there, or choose other ports, such as \`PORT=${free} npm start\``;
}
