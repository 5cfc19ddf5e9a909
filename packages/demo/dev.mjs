#!/usr/bin/env node
/*
 * `npm run dev`: as `npm start`, but from the sources. A change restarts the services that it is in, and open pages reload.
 */
import { watchedFolder, watchServices } from '../bundler/watch-services.mjs';
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
  await watchServices();
  const { run } = await import(new URL('dist/run.js', import.meta.url).href);
  const liveReload = new URL('live-reload.mjs', import.meta.url).href;
  await run(settings, process.env, {
    folder: watchedFolder,
    flags: ['--watch', '--watch-preserve-output', '--import', liveReload],
  });
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`npm run dev: ${error.message}\n`);
  process.exitCode = 1;
}
