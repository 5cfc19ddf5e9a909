// Gives better-sqlite3 to a Node.js without Node-API 10 (20.x, and 22 before 22.14). better-sqlite3 13 brings its binaries and
// needs Node-API 10, so an older Node.js gets 12.9.0, the last one with a prebuilt binary for Node.js 20. npm runs this after
// each `npm ci`. Why: docs/adr/0038-sqlite-by-version-of-node.md.
import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, '../../../node_modules');
const own = join(here, 'node_modules/better-sqlite3');

if (Number(process.versions.napi) < 10) installOwn();

function installOwn() {
  if (!works() && !(install() && works())) {
    process.stderr.write(
      `SQLite could not be installed for Node.js ${process.version}: use Node.js 22.14 or later, which needs no compiler, ` +
        'or install Python, make and a C++ compiler and run `npm ci` again. On MySQL and MariaDB both services work without it.\n',
    );
    return;
  }
  const link = join(modules, 'better-sqlite3');
  rmSync(link, { recursive: true, force: true });
  symlinkSync(relative(modules, own), link, 'junction');
}

/** A driver that does not fit ends its process, so it is tried in another one. */
function works() {
  const script = "new (require(process.argv[1]))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', script, own], { stdio: 'ignore' }).status === 0;
}

function install() {
  process.stdout.write(
    'SQLite for this Node.js: a prebuilt binary, or minutes of compiling, depending on the machine\n',
  );
  const args = ['ci', '--prefix', here, '--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'];
  const { npm_execpath: npm } = process.env;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const { status } = spawnSync(command, [...first, ...args], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
  return status === 0;
}
