// Makes of the sources of both services, and of the workspaces that they import, one script: sources.cjs. Tests in process take
// what they import of sources from it. See packages/test-kit/jest and docs/contributing/testing.md.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import { nativePackages } from './external-packages.mjs';
import { bundledSources, listWorkspaceSources, root, workspacesUnderTest } from './workspace-sources.mjs';

/** Where bundle-packages.mjs puts the packages of others. */
const packages = join(root, 'packages/test-kit/dist/packages');
/** These act when they are imported. */
const programs = /^apps\/[^/]+\/src\/(main|migrate|commands\/.+)\.ts$|\/src\/([^/]+\/)?main\.ts$/;

/** Evaluates the script once for each test file, in its realm; the environment of the tests has it compiled. */
const loader = `import { createRequire } from 'node:module';
import { loadPackage } from ${JSON.stringify(join(packages, 'load.js'))};
const module = { exports: {} };
globalThis[Symbol.for('gatehouse sources')]()(module, createRequire(import.meta.url), loadPackage);
export const loadSource = (name) => module.exports.sources[name]();
`;

/**
 * @typedef {object} Rewriting What is taken in place of the source files.
 * @property {string} folder where the script of it goes
 * @property {(text: string, name: string) => string} rewrite
 * @property {readonly string[]} files with which `rewrite` changes
 */

/** @type {Rewriting} */
const unchanged = { folder: bundledSources, rewrite: (text) => text, files: [] };

/**
 * Writes sources.cjs, load.mjs and names.json, which has the names that each source file exports; nothing where the sources
 * are those of the last time. Another run of the tests may read the files meanwhile, so each is replaced as a whole.
 */
export async function bundleSources({ folder, rewrite, files: rewriters } = unchanged) {
  const sources = readSources();
  const fingerprint = findFingerprint(sources, rewriters);
  if ((await readFile(join(folder, 'fingerprint'), 'utf8').catch(() => '')) === fingerprint) return;
  const script = join(folder, 'sources.cjs');
  const rewritten = [...sources].map(([name, text]) => /** @type {const} */ ([name, rewrite(text, name)]));
  const { code, map } = await bundle(new Map(rewritten), script);
  const files = {
    'sources.cjs': code,
    'sources.cjs.map': map,
    'load.mjs': loader,
    'names.json': JSON.stringify(listNames(code, script)),
    fingerprint,
  };
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await replace(join(folder, name), text);
}

/**
 * @param {string} file
 * @param {string} text
 */
async function replace(file, text) {
  const written = `${file}.${process.pid}`;
  await writeFile(written, text);
  await rename(written, file);
}

/** All files that tests may import: their names from the repository's folder on, and their texts. */
function readSources() {
  const names = workspacesUnderTest.flatMap((workspace) =>
    readdirSync(join(root, workspace, 'src'), { recursive: true }).map(
      (path) => `${workspace}/src/${String(path).replaceAll(sep, '/')}`,
    ),
  );
  const wanted = names.filter((name) => name.endsWith('.ts') && !programs.test(name)).sort();
  return new Map(wanted.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/**
 * Changes with the sources, with the packages of others, with this bundler and with the path of the repository, which the
 * files name.
 * @param {Map<string, string>} sources
 * @param {readonly string[]} rewriters
 */
function findFingerprint(sources, rewriters) {
  const hash = createHash('sha256').update(`${root}\n`);
  const others = [join(packages, 'packages.cjs'), ...['bundle-sources.mjs', 'workspace-sources.mjs'].map(findOwn)];
  for (const [name, text] of sources) hash.update(`${name}\n${text}\n`);
  for (const file of [...others, ...rewriters]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

/** @param {string} name */
function findOwn(name) {
  return join(root, 'packages/bundler', name);
}

/**
 * @param {Map<string, string>} sources
 * @param {string} script
 */
async function bundle(sources, script) {
  const loaders = [...sources.keys()].map(
    (name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(join(root, name))}),`,
  );
  const { outputFiles } = await build({
    stdin: { contents: `export const sources = {${loaders.join('\n')}};`, resolveDir: root, sourcefile: 'sources.mjs' },
    bundle: true,
    outfile: script,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: nativePackages,
    // A script that is compiled apart from any module cannot import.
    supported: { 'dynamic-import': false },
    banner: { js: '(function (module, require, loadPackage) {' },
    footer: { js: '})' },
    charset: 'ascii',
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'error',
    write: false,
    plugins: [{ name: 'workspaces and packages', setup: (build) => resolveImports(build, sources) }],
  });
  const textOf = (/** @type {string} */ end) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { code: textOf('.cjs'), map: textOf('.map') };
}

/**
 * @param {import('esbuild').PluginBuild} build
 * @param {Map<string, string>} sources
 */
function resolveImports(build, sources) {
  const workspaces = listWorkspaceSources().map(({ pattern, file }) => ({ pattern: new RegExp(pattern), file }));
  build.onResolve({ filter: /^@gatehouse\// }, ({ path }) => {
    const found = workspaces.find(({ pattern }) => pattern.test(path));
    return found && { path: path.replace(found.pattern, found.file) };
  });
  const modules = readdirSync(packages).filter((file) => file.endsWith('.js') && file !== 'load.js');
  const names = new Set(modules.map((file) => basename(file, '.js').replaceAll('+', '/')));
  build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
    names.has(path) ? { path, namespace: 'package', sideEffects: false } : undefined,
  );
  build.onLoad({ filter: /.*/, namespace: 'package' }, async ({ path }) => {
    const module = await readFile(join(packages, `${path.replaceAll('/', '+')}.js`), 'utf8');
    // Its first line imports `loadPackage`, which is a parameter of the script.
    return { contents: module.slice(module.indexOf('\n') + 1) };
  });
  build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const text = sources.get(relative(root, path).replaceAll(sep, '/'));
    if (text === undefined) return undefined;
    // A script has no `import.meta`.
    const url = JSON.stringify(pathToFileURL(path).href);
    return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' };
  });
}

/**
 * Which names a file exports, the script itself tells.
 * @param {string} code
 * @param {string} script
 */
function listNames(code, script) {
  const file = join(packages, 'packages.cjs');
  const own = [createRequire(file), pathToFileURL(file).href, file, dirname(file)];
  const all = evaluate(readFileSync(file, 'utf8'), file, own);
  const loadPackage = (/** @type {string} */ name) => all.packages?.[name]?.();
  const { sources } = evaluate(code, script, [createRequire(script), loadPackage]);
  return Object.fromEntries(Object.entries(sources ?? {}).map(([name, load]) => [name, Object.keys(load())]));
}

/**
 * @param {string} code
 * @param {string} file
 * @param {unknown[]} parameters after `module`
 */
function evaluate(code, file, parameters) {
  /** @type {{ exports: Record<string, Record<string, () => object>> }} */
  const module = { exports: {} };
  runInThisContext(code, file)(module, ...parameters);
  return module.exports;
}
