// npm run docs:environment: writes the table of variables in docs/configuration.md from the configuration of both services.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writeEnvironmentTable } from './environment-table.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = `${root}docs/configuration.md`;

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
await writeFile(page, writeEnvironmentTable(await readFile(page, 'utf8'), services));
