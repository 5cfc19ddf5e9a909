import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, root } from './sources.ts';

const folders = [
  'apps/auth-server',
  'apps/org-api',
  'packages/resource-server',
  'packages/service-kit',
  'packages/shared',
];
/** The files on which a test's result depends, apart from its own. The code that writes mutants also numbers them. */
const common = [
  ...folders,
  'packages/test-kit',
  'packages/bundler',
  'packages/mutants/src/syntax',
  'packages/mutants/jest',
];

/** Folders whose tests run the rules of a service. The tests of auth-server start org-api as well. */
const ofServices: Readonly<Record<string, readonly string[]>> = {
  'apps/auth-server': ['apps/auth-server'],
  'apps/org-api': ['apps/auth-server', 'apps/org-api'],
};

/** Test files that run in process and may come by the sources, from the repository's folder on. */
export function listTestFiles(sources: readonly string[]): string[] {
  const wanted = new Set(sources.flatMap((source) => ofServices[source.split('/', 2).join('/')] ?? folders));
  return folders
    .filter((folder) => wanted.has(folder))
    .flatMap((folder) => listFiles(`${folder}/test`))
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.e2e.test.ts'))
    .sort();
}

/** Of all sources that tests share, and of whether the tests run on a MySQL server too. */
export function hashSources(): string {
  const files = common.flatMap((folder) => listFiles(folder));
  const hash = hashFiles(
    files.filter((file) => /\.(ts|mjs)$/.test(file) && !/node_modules|\/dist\/|\.test\.ts$/.test(file)),
  );
  return process.env.TEST_MYSQL_URL ? `${hash} mysql` : hash;
}

export function hashFiles(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
