// The file of a workspace name where tests run from sources: `@gatehouse/service-kit/http` is packages/service-kit/src/http/index.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Workspaces that others import. */
const imported = ['fuzz', 'resource-server', 'service-kit', 'shared', 'test-kit'];

/** Where bundle-sources.mjs leaves what it makes. */
export const bundledSources = join(root, 'node_modules/.cache/gatehouse-tests');

/** Everything that a test file may import of its own and of other workspaces. */
export const workspacesUnderTest = ['apps/auth-server', 'apps/org-api', ...imported.map((name) => `packages/${name}`)];

/**
 * Reads the `exports` of each package.json. `$1` in the file is what `*` stands for.
 * @returns {{ pattern: string, file: string }[]}
 */
export function listWorkspaceSources() {
  return imported.flatMap((name) => {
    const folder = join(root, 'packages', name);
    /** @type {{ name: string, exports: Record<string, { default: string }> }} */
    const { name: packageName, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.entries(exports).map(([path, { default: built }]) => ({
      pattern: `^${(packageName + path.slice(1)).replace('*', '([\\w/-]+)')}$`,
      file: join(folder, built.replace('/dist/', '/src/').replace('*', '$1').replace(/\.js$/, '.ts')),
    }));
  });
}
