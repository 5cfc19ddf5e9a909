import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The process that listens on a TCP port, such as `node apps/org-api/dist/main.js (process 4711)`, where the system tells:
 * Linux by /proc, others by lsof. It tells of other users' processes to root only.
 * @param {number} port
 * @returns {string | undefined}
 */
export function findListener(port) {
  try {
    return process.platform === 'linux' ? findInProc(port) : findByLsof(port);
  } catch {
    return undefined;
  }
}

/** @param {number} port */
function findInProc(port) {
  const sockets = new Set(listListeningInodes(port).map((inode) => `socket:[${inode}]`));
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsSocket(name, sockets));
  return pid && `${describeCommand(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'))} (process ${pid})`;
}

/** @param {number} port */
function listListeningInodes(port) {
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['tcp', 'tcp6'].flatMap((table) => readLines(`/proc/net/${table}`));
  // Columns: number, local address, remote address, state (0A listens), …, inode as the tenth.
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(address) && state === '0A')
    .map((columns) => columns[9]);
}

/** @param {string} file */
function readLines(file) {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/**
 * @param {string} pid
 * @param {Set<string>} sockets
 */
function holdsSocket(pid, sockets) {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(readLink(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return false;
  }
}

/** @param {string} path */
function readLink(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/**
 * The program and, of Node.js, the script. Other arguments may hold secrets.
 * @param {string[]} command
 */
function describeCommand([program = '', ...args]) {
  const name = basename(program) || 'a process';
  const script = name === 'node' ? args.find((arg) => arg !== '' && !arg.startsWith('-')) : undefined;
  return script === undefined ? name : `${name} ${script.replace(root, '')}`;
}

/** @param {number} port */
function findByLsof(port) {
  const { stdout } = spawnSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { encoding: 'utf8' });
  const [, pid, name] = /^p(\d+)\nc(.+)$/m.exec(stdout) ?? [];
  return pid && `${name} (process ${pid})`;
}
