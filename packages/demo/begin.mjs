import { buildServices } from './build-services.mjs';
import { checkNode, checkPackages, checkSqlite } from './check-installation.mjs';
import { checkPorts } from './check-ports.mjs';
import { readSettings } from './read-settings.mjs';
import { StartError } from './start-error.mjs';

/**
 * Checks that everything is there, builds, and then runs. A fault is told in one line.
 * @param {string} command as the user typed it
 * @param {(settings: import('./read-settings.mjs').Settings, run: typeof import('./src/run.ts').run) => Promise<void>} runAll
 */
export async function begin(command, runAll) {
  try {
    checkNode(process.versions.node);
    const settings = readSettings(process.env);
    checkPackages();
    checkSqlite();
    await checkPorts(settings, process.env, command);
    if (!process.argv.includes('--built')) buildServices();
    const { run } = await import(new URL('dist/run.js', import.meta.url).href);
    await runAll(settings, run);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${command}: ${error.message}\n`);
    process.exitCode = 1;
  }
}
