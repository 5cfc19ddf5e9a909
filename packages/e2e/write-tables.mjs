// npm run docs:tables: writes the tables of documentation that are made from the code.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { adviceByCode, adviceByReason } from '../service-kit/dist/refusals/index.js';
import { clientMetadataFields } from '../shared/dist/index.js';
import {
  buildAdviceTable,
  buildChecksTable,
  buildClientFieldsTable,
  buildEnvironmentTable,
  writeTable,
} from './tables.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

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

// The command line publishes no types.
const { checks } = await import(pathToFileURL(`${root}packages/cli/dist/verify/checks.js`).href);
const services = {
  'auth-server': await importVariables('auth-server'),
  'org-api': await importVariables('org-api'),
};
const tables = {
  'docs/configuration.md': buildEnvironmentTable(services),
  'docs/endpoints/clients.md': buildClientFieldsTable(clientMetadataFields),
  'docs/operations/observability.md': buildAdviceTable([...adviceByReason, ...adviceByCode]),
  'docs/operations/verify.md': buildChecksTable(checks),
};
for (const [page, table] of Object.entries(tables)) {
  await writeFile(root + page, writeTable(await readFile(root + page, 'utf8'), table));
}
