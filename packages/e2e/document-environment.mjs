// npm run docs:environment: writes README's table of variables from the configuration of both services.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writeEnvironmentTable } from './environment-table.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = `${root}README.md`;

/** @param {string} service */
async function importVariables(service) {
  const outfile = `${root}node_modules/.cache/gatehouse/${service}-config.mjs`;
  // Node.js 20 does not run TypeScript.
  const packages = /** @type {const} */ ('external');
  await build({
    entryPoints: [`${root}apps/${service}/src/config.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    packages,
  });
  return (await import(pathToFileURL(outfile).href)).environmentVariables;
}

const services = {
  'auth-server': await importVariables('auth-server'),
  'org-api': await importVariables('org-api'),
};
await writeFile(readme, writeEnvironmentTable(await readFile(readme, 'utf8'), services));
