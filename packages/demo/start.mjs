#!/usr/bin/env node
/*
 * `npm start`: checks that everything is there, builds, and runs both services (src/run.ts). The code here and in the
 * files that it imports runs before anything is built, and on versions of Node.js that Gatehouse does not run on.
 *
 *   node packages/demo/start.mjs [--built] [--help]      --built: does not build
 */
import { begin } from './begin.mjs';

const usage = `usage: npm start

Builds and runs both services and a demo application on this machine, with demo users, and prints what to do next.

  PORT=9100 npm start   on other ports: auth-server on 9100, org-api on 9101, the demo application on 9102
  AUTH_URL BASE_URL DEMO_URL   choose the address of each, in place of PORT
  LOG_LEVEL=info        shows the log lines of both services as they are

Data stays in .data/, or in a folder of .data/ for other ports. docs/configuration.md has the other variables.
`;

if (process.argv.includes('--help') || process.argv.includes('-h')) process.stdout.write(usage);
else await begin('npm start', (settings, run) => run(settings, process.env));
