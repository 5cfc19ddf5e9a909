#!/usr/bin/env node
/*
 * `npm start`: checks that everything is there, builds, and runs both services (src/run.ts). What stands here and in the
 * files that it imports runs before anything is built, and on versions of Node.js that Gatehouse does not run on.
 *
 *   node packages/demo/start.mjs [--built]      --built: does not build
 */
import { buildServices } from './build-services.mjs';
import { checkNode, checkPackages, checkSqlite } from './check-installation.mjs';
import { checkPorts } from './check-ports.mjs';
import { readSettings } from './read-settings.mjs';
import { StartError } from './start-error.mjs';

try {
  checkNode(process.versions.node);
  const settings = readSettings(process.env);
  checkPackages();
  checkSqlite();
  await checkPorts(settings);
  if (!process.argv.includes('--built')) buildServices();
  const { run } = await import(new URL('dist/run.js', import.meta.url).href);
  await run(settings, process.env);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`npm start: ${error.message}\n`);
  process.exitCode = 1;
}
