import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.ts';

/** JSON files that outlive a run. */
export function createCache(folder = join(root, 'node_modules/.cache/mutants')) {
  const path = (name: string) => join(folder, `${name.replaceAll('/', '+')}.json`);
  mkdirSync(folder, { recursive: true });
  return {
    read: <T>(name: string) =>
      existsSync(path(name)) ? (JSON.parse(readFileSync(path(name), 'utf8')) as T) : undefined,
    write: (name: string, value: unknown) => writeFileSync(path(name), JSON.stringify(value)),
  };
}
