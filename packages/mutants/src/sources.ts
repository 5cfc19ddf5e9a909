import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Rules have mutants. A migration has run once and for all; a program runs in no test in process. */
const folders = [
  'apps/auth-server/src',
  'apps/org-api/src',
  'packages/resource-server/src',
  'packages/service-kit/src',
];
const withoutRules = /\/migrations\/|\/src\/(main|migrate|commands\/.+)\.ts$|\.d\.ts$/;

/** The name of a source file that has mutants, from the repository's folder on; undefined: it has none. */
export function findSourceName(path: string): string | undefined {
  const name = relative(root, path).replaceAll(sep, '/');
  const inFolder = folders.some((folder) => name.startsWith(`${folder}/`));
  return inFolder && name.endsWith('.ts') && !withoutRules.test(name) ? name : undefined;
}

/** Names of all source files that have mutants and are one of `paths`, or stand in one of them. */
export function listSources(paths: readonly string[]): string[] {
  const names = folders.flatMap((folder) => listFiles(folder)).filter((name) => findSourceName(join(root, name)));
  const wanted = paths.map((path) => relative(root, path).replaceAll(sep, '/'));
  return names.filter((name) => wanted.some((path) => isIn(name, path))).sort();
}

/** Names of the source files that have mutants and differ from the commit `since` in the working tree, untracked ones included. */
export function listChangedSources(since: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  const changed = git('diff', '--name-only', '--diff-filter=d', since, '--');
  const untracked = git('ls-files', '--others', '--exclude-standard');
  return [...changed, ...untracked].filter((name) => name !== '' && findSourceName(join(root, name))).sort();
}

/** Names of all files in a folder of the repository. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

function isIn(name: string, path: string): boolean {
  return path === '' || name === path || name.startsWith(`${path.replace(/\/$/, '')}/`);
}
