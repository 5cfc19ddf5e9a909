import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.ts';

/** Files that outlive a run, so that the next one goes on where it ended. */
export interface Cache {
  read<T>(name: string): T | undefined;
  write(name: string, value: unknown): void;
  /** Lines of a list, oldest first. */
  readList<T>(name: string): T[];
  append(name: string, value: unknown): void;
  clear(): void;
}

export function createCache(folder = join(root, 'node_modules/.cache/mutants')): Cache {
  const path = (name: string) => join(folder, `${name.replaceAll('/', '+')}.json`);
  const text = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined);
  mkdirSync(folder, { recursive: true });
  return {
    read: <T>(name: string) => {
      const found = text(name);
      return found === undefined ? undefined : (JSON.parse(found) as T);
    },
    write: (name, value) => writeFileSync(path(name), JSON.stringify(value)),
    readList: <T>(name: string) => {
      const lines = (text(name) ?? '').split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as T);
    },
    append: (name, value) => appendFileSync(path(name), `${JSON.stringify(value)}\n`),
    clear: () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    },
  };
}
