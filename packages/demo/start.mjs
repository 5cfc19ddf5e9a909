#!/usr/bin/env node
/*
 * `npm start`: checks that everything is there, builds, and runs both services (src/run.ts). What stands here and in the
 * files that it imports runs before anything is built, and on versions of Node.js that Gatehouse does not run on.
 *
 *   node packages/demo/start.mjs [--built] [--help]      --built: does not build
 */
import { buildServices } from './build-services.mjs';
import { checkNode, checkPackages, checkSqlite } from './check-installation.mjs';
import { checkPorts } from './check-ports.mjs';
import { readSettings } from './read-settings.mjs';
import { StartError } from './start-error.mjs';

const usage = `usage: npm start

Builds and runs both services and a demo application on this machine, with demo users, and prints what to do next.

  PORT=9100 npm start   on other ports: auth-server on 9100, org-api on 9101, the demo application on 9102
  LOG_LEVEL=info        shows the log lines of both services as they are

Data stays in .data/, or in a folder of .data/ for other ports. docs/configuration.md has the other variables.
`;

if (process.argv.includes('--help') || process.argv.includes('-h')) process.stdout.write(usage);
else await start();

async function start() {
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
}
