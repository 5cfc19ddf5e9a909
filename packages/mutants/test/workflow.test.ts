import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { listSources, root } from '../src/sources.ts';

const workflow = readFileSync(join(root, '.github/workflows/mutants.yml'), 'utf8');
const paths = [...workflow.matchAll(/^ {10}- ((?:apps|packages)\/.*)$/gm)].flatMap(([, part = '']) => part.split(' '));

/** As the shell of the workflow reads it: `folder/*.ts` stands for the files of the folder itself. */
function listAt(path: string): string[] {
  if (!path.endsWith('/*.ts')) return listSources([resolve(root, path)]);
  return listSources([resolve(root, dirname(path))]).filter((file) => dirname(file) === dirname(path));
}

describe('the workflow of mutants', () => {
  it('tries those of every source file, in one part each', () => {
    expect(paths.flatMap(listAt).sort()).toEqual(listSources([]));
  });
});
