import { describe, expect, it } from '@jest/globals';
import { listTestFiles } from '../src/test-files.ts';

const foldersOf = (...sources: string[]) => {
  const files = listTestFiles(sources);
  return [...new Set(files.map((file) => file.split('/', 2).join('/')))];
};

describe('the test files of sources', () => {
  it('are those of the services that run them', () => {
    expect(foldersOf('apps/auth-server/src/codes/pkce.ts')).toEqual(['apps/auth-server']);
    expect(foldersOf('apps/org-api/src/app.ts')).toEqual(['apps/auth-server', 'apps/org-api']);
  });

  it('are all where a package that the services share has mutants', () => {
    const sources = ['apps/auth-server/src/codes/pkce.ts', 'packages/service-kit/src/clock.ts'];
    expect(foldersOf(...sources)).toEqual(expect.arrayContaining(['apps/org-api', 'packages/service-kit']));
  });

  it('start no processes', () => {
    expect(listTestFiles(['apps/org-api/src/app.ts']).filter((file) => file.includes('.e2e.'))).toEqual([]);
  });
});
