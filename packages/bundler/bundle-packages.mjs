// node bundle-packages.mjs <folder>: makes of all packages that the services are made of one script, packages.cjs, and for
// each package a module that gives what the script has of it. Tests import these: see packages/test-kit/jest.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import { absentDrivers, nativePackages } from './external-packages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** An image is built where the workspaces of one service are (`turbo prune`). */
const workspaces = [
  'apps/auth-server',
  'apps/org-api',
  ...['resource-server', 'service-kit', 'shared'].map((name) => `packages/${name}`),
].filter((workspace) => existsSync(join(root, workspace)));
/**
 * Parts of packages that are imported by a name of their own.
 * @type {Record<string, string[]>}
 */
const parts = { mysql2: ['mysql2/promise'], typebox: ['typebox/schema'] };

/** Evaluates the script once for each test file, in its realm; `evaluatePackages` is of the test environment. */
const loader = `import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
const file = fileURLToPath(new URL('packages.cjs', import.meta.url));
const module = { exports: {} };
globalThis[Symbol.for('gatehouse packages')]()(module, createRequire(file), import.meta.url, file, dirname(file));
export const loadPackage = (name) => module.exports.packages[name]();
`;

/** The namespace of the modules that import one package each. */
const lazily = 'lazily';

const folder = process.argv[2] ?? 'dist/packages';
const packages = await listPackages();
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const script = await bundle(packages);
await writeFile(join(folder, 'packages.cjs'), script);
await writeModules(Object.keys(packages));
await writeFile(join(folder, 'load.js'), loader);

/** The name of each package, and the workspace that it is a dependency of. */
async function listPackages() {
  /** @type {Record<string, string>} */
  const found = {};
  /** @type {Record<string, string>} */
  const versions = {};
  for (const workspace of workspaces) {
    const { dependencies = {} } = JSON.parse(await readFile(join(root, workspace, 'package.json'), 'utf8'));
    for (const [name, version] of Object.entries(dependencies)) {
      if (name.startsWith('@gatehouse/') || nativePackages.includes(name)) continue;
      versions[name] ??= version;
      if (versions[name] !== version) throw new Error(`${name} is there as ${version} and as ${versions[name]}`);
      for (const path of [name, ...(parts[name] ?? [])]) found[path] = workspace;
    }
  }
  return found;
}

/** @param {Record<string, string>} packages */
async function bundle(packages) {
  const loaders = Object.keys(packages).map(
    (name) => `${JSON.stringify(name)}: () => require(${JSON.stringify(`${lazily}:${name}`)}).all,`,
  );
  const { outputFiles } = await build({
    stdin: {
      contents: `export const packages = {${loaders.join('\n')}};`,
      resolveDir: root,
      sourcefile: 'packages.mjs',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    external: [...nativePackages, ...absentDrivers],
    // A script that is compiled apart from any module cannot import.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__url' },
    // Names stay, for stack traces.
    minifyWhitespace: true,
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'error',
    write: false,
    plugins: [{ name: 'the workspace that names it', setup: resolveInWorkspace(packages) }],
  });
  return `(function (module, require, __url, __filename, __dirname) {${outputFiles[0]?.text}\n})`;
}

/**
 * A package may be there in several versions: taken is that of the services.
 * @param {Record<string, string>} packages
 * @returns {(build: import('esbuild').PluginBuild) => void}
 */
function resolveInWorkspace(packages) {
  return (build) => {
    // A module of its own imports each package as an ES module does, once the script is asked for it.
    build.onResolve({ filter: new RegExp(`^${lazily}:`) }, ({ path }) => ({
      path: `${path.slice(lazily.length + 1)}.mjs`,
      namespace: lazily,
    }));
    build.onLoad({ filter: /.*/, namespace: lazily }, ({ path }) => ({
      contents: `export * as all from ${JSON.stringify(path.slice(0, -'.mjs'.length))};`,
    }));
    build.onResolve({ filter: /.*/ }, ({ path, namespace, kind }) => {
      const workspace = namespace === lazily ? packages[path] : undefined;
      if (workspace === undefined) return undefined;
      return build.resolve(path, { kind, resolveDir: join(root, workspace), importer: 'workspace' });
    });
  };
}

/**
 * Which names a package exports, the script itself tells.
 * @param {string[]} names
 */
async function writeModules(names) {
  const file = join(process.cwd(), folder, 'packages.cjs');
  /** @type {{ exports: { packages: Record<string, () => object> } }} */
  const module = { exports: { packages: {} } };
  runInThisContext(script, file)(module, createRequire(file), pathToFileURL(file).href, file, dirname(file));
  for (const name of names) {
    const exported = Object.keys(module.exports.packages[name]?.() ?? {});
    await writeFile(join(folder, `${name.replaceAll('/', '+')}.js`), writeModule(name, exported));
  }
}

/**
 * @param {string} name
 * @param {string[]} exported
 */
function writeModule(name, exported) {
  const named = exported.filter((each) => /^[a-z_$][\w$]*$/i.test(each) && each !== 'default' && each !== '__esModule');
  return [
    "import { loadPackage } from './load.js';",
    `const all = loadPackage(${JSON.stringify(name)});`,
    ...named.map((each, index) => `const e${index} = all.${each};`),
    `export { ${named.map((each, index) => `e${index} as ${each}`).join(', ')} };`,
    ...(exported.includes('default') ? ['export default all.default;'] : []),
  ].join('\n');
}
