import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StartError } from './start-error.mjs';

/** As `engines` of package.json says. */
const oldestNode = [20, 19];
/** better-sqlite3 13 needs this version of Node-API. On an older one it ends the process without a word. */
const nodeApiOfSqlite13 = 10;

/** @param {string} version such as 20.19.0 */
export function checkNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new StartError(
    `this is Node.js ${version}, and Gatehouse needs ${oldestNode.join('.')} or later: install Node.js 24 from https://nodejs.org, ` +
      'then run `npm ci && npm start`',
  );
}

/** The packages of the lock file are there. */
export function checkPackages() {
  if (existsSync(new URL('../../node_modules/turbo', import.meta.url))) return;
  throw new StartError('the packages that Gatehouse is made of are not there: run `npm ci`, then `npm start`');
}

/** The SQLite driver loads on this Node.js. */
export function checkSqlite() {
  const load = createRequire(import.meta.url);
  try {
    const { version } = load('better-sqlite3/package.json');
    const fits = Number.parseInt(version, 10) < 13 || Number(process.versions.napi) >= nodeApiOfSqlite13;
    if (!fits) throw new Error('it was installed by a later Node.js');
    const Sqlite = load('better-sqlite3');
    new Sqlite(':memory:').close();
  } catch {
    throw new StartError(
      `SQLite's driver (better-sqlite3) does not load on Node.js ${process.versions.node}: run \`npm ci\` with this Node.js, ` +
        'without --ignore-scripts; Node.js before 22.14 compiles it where no binary can be fetched (Python, make, a C++ compiler)',
    );
  }
}
