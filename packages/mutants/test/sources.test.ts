import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { listChangedSources, listSources, root } from '../src/sources.ts';

const untracked = 'apps/auth-server/src/protocol/a-file-of-this-test.ts';
afterEach(() => rmSync(join(root, untracked), { force: true }));

it('changed sources are those that git names, with the untracked ones', () => {
  const firstCommit = execFileSync('git', ['rev-list', '--max-parents=0', 'HEAD'], { cwd: root, encoding: 'utf8' });
  expect(listChangedSources(firstCommit.trim().split('\n')[0] ?? '')).toContain('packages/service-kit/src/clock.ts');
  expect(listChangedSources('HEAD')).not.toContain(untracked);
  writeFileSync(join(root, untracked), 'export const a = 1;\n');
  expect(listChangedSources('HEAD')).toContain(untracked);
});

it('sources of a folder are its files with rules', () => {
  const sources = listSources([join(root, 'packages/service-kit/src')]);
  expect(sources).toContain('packages/service-kit/src/clock.ts');
  expect(sources.every((source) => source.startsWith('packages/service-kit/src/'))).toBe(true);
});
