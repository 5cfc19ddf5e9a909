// How esbuild makes one file of a service and of everything that it imports. Why: docs/adr/0016-services-are-bundled.md.
import { fileURLToPath } from 'node:url';
import { absentDrivers, nativePackages } from './external-packages.mjs';

/** Packages that stay in node_modules, and why. */
const external = [
  ...nativePackages,
  // CommonJS that @fastify/cookie imports when it needs it, by names that a bundled one would not have.
  'cookie',
  // Not ASCII; see assertAscii.
  'ansis',
  ...absentDrivers,
];

/** CommonJS modules in a bundle of ES modules ask for Node's own by `require`. */
const banner = `import { createRequire as createBundleRequire } from 'node:module';
import { dirname as dirnameOfBundle } from 'node:path';
import { fileURLToPath as pathOfBundle } from 'node:url';
const require = createBundleRequire(import.meta.url);
const __filename = pathOfBundle(import.meta.url);
const __dirname = dirnameOfBundle(__filename);`;

const undici = fileURLToPath(new URL('undici.mjs', import.meta.url));

/** @type {import('esbuild').Plugin} */
const smallUndici = {
  name: 'small-undici',
  setup: (build) => build.onResolve({ filter: /^undici$/ }, () => ({ path: undici })),
};

/** @satisfies {import('esbuild').BuildOptions} */
export const serviceOptions = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  external,
  plugins: [smallUndici],
  banner: { js: banner },
  // The package undici asks for it once, to read cookies, which no service does so. Node.js would load its own undici for that: 2 MB.
  define: { 'globalThis.Headers': 'undefined' },
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
};
