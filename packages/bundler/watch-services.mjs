// Bundles both services from the sources of all workspaces, and again within a moment of each change: `npm run dev`.
import { execFile } from 'node:child_process';
import { watch } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { context } from 'esbuild';
import { serviceOptions } from './service-options.mjs';
import { listWorkspaceSources, root, workspacesUnderTest } from './workspace-sources.mjs';

/** The folder of the bundle, next to `dist`. A build of a release does not read it. */
export const watchedFolder = '.dev';

/** Milliseconds for which further changes are awaited: an editor writes several files at once. */
const pause = 30;

/** Resolves when the first bundle of each service is there. */
export async function watchServices() {
  const bundles = await Promise.all(['auth-server', 'org-api'].map(createBundle));
  const rebuild = () => Promise.allSettled(bundles.map((bundle) => bundle.rebuild()));
  await Promise.all([buildConsole(), ...bundles.map((bundle) => bundle.rebuild())]);
  watchSources(workspacesUnderTest, rebuild);
  watchSources(['packages/console'], () => buildConsole().catch((error) => process.stderr.write(`${error.message}\n`)));
}

/**
 * esbuild's own watch looks at the files in turn, which takes seconds.
 * @param {readonly string[]} workspaces
 * @param {() => void} rebuild
 */
function watchSources(workspaces, rebuild) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  for (const workspace of workspaces) {
    watch(join(root, workspace, 'src'), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(rebuild, pause);
    });
  }
}

/** The console has its own build. auth-server reads its files at each request. */
async function buildConsole() {
  const cwd = join(root, 'packages/console');
  await promisify(execFile)(process.execPath, ['build.mjs'], { cwd });
  await cp(join(cwd, 'dist'), join(root, 'apps/auth-server', watchedFolder, 'console'), { recursive: true });
}

/** @param {string} service */
function createBundle(service) {
  return context({
    ...serviceOptions,
    absWorkingDir: join(root, 'apps', service),
    entryPoints: ['src/main.ts'],
    outdir: watchedFolder,
    // Packages do not change meanwhile, and would take a second of each rebuild. Node.js looks for them from the service,
    // which therefore names what the workspaces in its bundle import, as `lru-cache` in org-api.
    packages: 'external',
    plugins: [{ name: 'workspaces from their sources', setup: resolveWorkspaces }],
  });
}

/** @param {import('esbuild').PluginBuild} build */
function resolveWorkspaces(build) {
  const workspaces = listWorkspaceSources().map(({ pattern, file }) => ({ pattern: new RegExp(pattern), file }));
  build.onResolve({ filter: /^@gatehouse\// }, ({ path }) => {
    const found = workspaces.find(({ pattern }) => pattern.test(path));
    return found && { path: path.replace(found.pattern, found.file) };
  });
}
