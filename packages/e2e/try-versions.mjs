// npm run try-versions [-- --node 22 --npm 12] [-- --here]: what a newcomer does first, in a fresh clone of the last commit:
// `npm ci && npm start`, the commands of the banner, a second `npm start`, Ctrl+C. On each supported version of Node.js with each
// of npm, which come from npm's registry; with --here, on those in the PATH alone. Exits with 1 where one of them fails.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Each with the versions of npm that it is tried with. npm 12 does not support Node.js 20. */
const supported = { 20: ['11'], 22: ['11', '12'], 24: ['11', '12'] };
/** Milliseconds for `npm ci`, which may compile, and for the first `npm start`, which builds. */
const patience = 15 * 60_000;

const repository = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: { node: { type: 'string' }, npm: { type: 'string' }, here: { type: 'boolean', default: false } },
});
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-versions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** @typedef {{ name: string, env: NodeJS.ProcessEnv }} Versions */

const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);

let failures = 0;
for (const versions of values.here ? [findVersionsHere()] : fetchChosenVersions()) {
  try {
    say(`${versions.name}: ${await tryVersions(versions)}`);
  } catch (error) {
    failures += 1;
    say(`${versions.name}: FAILED: ${/** @type {Error} */ (error).message}`);
  }
}
process.exitCode = failures > 0 ? 1 : 0;

/** @returns {Versions} */
function findVersionsHere() {
  const env = cleanEnvironment(process.env.PATH ?? '');
  const ask = (/** @type {string} */ program) => execFileSync(program, ['--version'], { env, encoding: 'utf8' }).trim();
  return { name: `Node.js ${ask('node')}, npm ${ask('npm')}`, env };
}

/** @returns {Generator<Versions>} */
function* fetchChosenVersions() {
  for (const [node, npms] of Object.entries(supported)) {
    for (const npm of npms) {
      if ((values.node ?? node) === node && (values.npm ?? npm) === npm) yield fetchVersions(node, npm);
    }
  }
}

/**
 * Node.js from its package for this system, which has the headers too, and npm next to it.
 * @param {string} node
 * @param {string} npm
 * @returns {Versions}
 */
function fetchVersions(node, npm) {
  const tools = join(folder, `node-${node}-npm-${npm}`);
  const system = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  mkdirSync(tools);
  const args = [
    'install',
    '--prefix',
    tools,
    '--ignore-scripts',
    '--loglevel=error',
    `${system}@${node}`,
    `npm@${npm}`,
  ];
  execFileSync('npm', args, {
    cwd: tools,
    env: cleanEnvironment(process.env.PATH ?? ''),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const nodeFolder = join(tools, 'node_modules', system);
  const path = [join(nodeFolder, 'bin'), join(tools, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { ...cleanEnvironment(path), npm_config_nodedir: nodeFolder };
  const version = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim();
  return {
    name: `Node.js ${version}, npm ${execFileSync('npm', ['--version'], { env, encoding: 'utf8' }).trim()}`,
    env,
  };
}

/**
 * Without what an npm that runs this script tells its scripts.
 * @param {string} PATH
 */
function cleanEnvironment(PATH) {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || name === 'npm_config_registry');
  return { ...Object.fromEntries(kept), PATH };
}

/** @param {Versions} versions */
async function tryVersions({ env }) {
  const clone = mkdtempSync(join(folder, 'clone-'));
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', repository, clone]);
  try {
    const installed = measure(() =>
      checkInstall(check(spawnSync('npm', ['ci'], { cwd: clone, env, encoding: 'utf8', timeout: patience }))),
    );
    const port = await findFreePorts();
    const started = await tryStart(clone, { ...env, PORT: String(port) });
    return `npm ci ${installed} s, npm start ${started}`;
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

/**
 * @param {string} clone
 * @param {NodeJS.ProcessEnv} env
 */
async function tryStart(clone, env) {
  const startedAt = Date.now();
  const run = startGatehouse(clone, env);
  try {
    await untilReady(run);
    const ready = Math.round((Date.now() - startedAt) / 1000);
    checkOutput(run.output());
    checkCommands(run.output(), env);
    const refused = checkSecond(clone, env);
    run.child.kill('SIGINT');
    await run.ended;
    if (run.child.exitCode !== 0) throw new Error(`Ctrl+C ended it with ${run.child.exitCode ?? run.child.signalCode}`);
    return `${ready} s, a second one refused in ${refused} s, Ctrl+C exits with 0`;
  } finally {
    run.child.kill('SIGTERM');
    await run.ended;
  }
}

/**
 * @param {string} clone
 * @param {NodeJS.ProcessEnv} env
 */
function startGatehouse(clone, env) {
  const [command = 'node', ...args] = readStartScript(clone).split(' ');
  const child = spawn(command, args, { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => {
    output += chunk;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { child, output: () => output, ended: once(child, 'close') };
}

/**
 * npm itself passes no signal on where no terminal does, so what `npm start` runs is run.
 * @param {string} clone
 */
function readStartScript(clone) {
  return JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).scripts.start;
}

/** @param {ReturnType<typeof startGatehouse>} run */
async function untilReady({ child, output }) {
  const deadline = Date.now() + patience;
  while (!output().includes('to start from the beginning.\n')) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`npm start ended: ${output()}`);
    if (Date.now() > deadline) throw new Error(`npm start is not ready: ${output()}`);
    await sleep(100);
  }
}

/** @param {string} output */
function checkOutput(output) {
  if (!output.startsWith('\nGatehouse is ready.\n'))
    throw new Error(`npm start prints more than its banner: ${output}`);
}

/**
 * @param {string} output
 * @param {NodeJS.ProcessEnv} env
 */
function checkCommands(output, env) {
  const commands = output.split('\n\n').filter((block) => /^(curl|TOKEN)/.test(block));
  const { stdout } = check(spawnSync('sh', ['-c', commands.join('\n')], { env, encoding: 'utf8' }));
  if (!stdout.includes('"username":"user@example.com"')) throw new Error(`the commands of the banner gave ${stdout}`);
}

/**
 * @param {string} clone
 * @param {NodeJS.ProcessEnv} env
 */
function checkSecond(clone, env) {
  const second = () =>
    spawnSync('npm', ['start', '--silent'], { cwd: clone, env, encoding: 'utf8', timeout: patience });
  let answer = { status: /** @type {number | null} */ (0), stdout: '', stderr: '' };
  const seconds = measure(() => {
    answer = second();
  });
  const isOneLine = /^npm start: port \d+ is taken by [^\n]+\n$/.test(answer.stderr);
  if (answer.status !== 1 || answer.stdout !== '' || !isOneLine) {
    throw new Error(`a second npm start exits with ${answer.status}: ${answer.stdout}${answer.stderr}`);
  }
  return seconds;
}

/**
 * A newcomer takes a warning of npm for a fault. npm 12 gives one for each package with a script that allowScripts does not name.
 * @param {{ stdout: string, stderr: string }} output
 */
function checkInstall({ stdout, stderr }) {
  const warnings = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('install-scripts'));
  if (warnings.length > 0) throw new Error(`npm ci warns: ${warnings.join('\n')}`);
}

/** @param {() => void} work */
function measure(work) {
  const startedAt = Date.now();
  work();
  return Math.round((Date.now() - startedAt) / 100) / 10;
}

/** @param {import('node:child_process').SpawnSyncReturns<string>} result */
function check(result) {
  if (result.status === 0) return result;
  throw new Error(`exit ${result.status}: ${result.stdout}${result.stderr}`);
}

/** Three free ports in a row. */
async function findFreePorts() {
  for (;;) {
    const port = await listenOn(0);
    const others = [port + 1, port + 2].map((next) => listenOn(next).catch(() => 0));
    if (!(await Promise.all(others)).includes(0)) return port;
  }
}

/**
 * @param {number} port
 * @returns {Promise<number>}
 */
function listenOn(port) {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: given } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(given));
    });
  });
}
