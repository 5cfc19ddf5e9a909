import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { checkVersion, closeUnreleased, setNamedVersion, setPackageVersion } from '../release.mjs';
import { findPreviousRelease } from './operations/support/previous-release.ts';

describe('in a repository', () => {
  let repository: string;
  beforeEach(() => {
    repository = mkdtempSync(join(tmpdir(), 'gatehouse-releases-'));
    git('init', '--quiet', '--initial-branch=main');
  });
  afterEach(() => rmSync(repository, { recursive: true }));

  const git = (...parameters: string[]) => {
    const names = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    };
    const env = { PATH: process.env.PATH, ...names };
    return execFileSync('git', parameters, { cwd: repository, env, encoding: 'utf8' }).trim();
  };
  const commit = (file: string, text: string) => {
    mkdirSync(dirname(join(repository, file)), { recursive: true });
    writeFileSync(join(repository, file), text);
    git('add', '.');
    git('commit', '--quiet', '--message', file);
    return git('rev-parse', 'HEAD');
  };
  const setVersion = (version: string, more = {}) =>
    commit('package.json', `${JSON.stringify({ name: 'gatehouse', version, private: true, ...more }, null, 2)}\n`);

  test('the previous release is before the first one the last commit without the newest migration', () => {
    setVersion('0.1.0');
    const before = commit('README.md', 'one');
    commit('apps/auth-server/src/schema/migrations/1-first.ts', '');
    commit('README.md', 'two');
    expect(findPreviousRelease(repository)).toBe(before);
  });

  test('the previous release is without a tag the commit that set the version last, and not this one', () => {
    setVersion('0.1.0');
    commit('apps/auth-server/src/schema/migrations/1-first.ts', '');
    const release = setVersion('0.2.0');
    setVersion('0.2.0', { scripts: {} });
    expect(findPreviousRelease(repository)).toBe(release);
    setVersion('0.3.0');
    expect(findPreviousRelease(repository)).toBe(release);
  });

  test('the previous release is the newest tag before this commit, whatever the versions', () => {
    setVersion('0.1.0');
    const release = setVersion('0.2.0');
    git('tag', 'v0.2.0');
    setVersion('0.3.0');
    git('tag', 'v0.3.0');
    expect(findPreviousRelease(repository)).toBe(release);
  });

  test('the previous release is asked for where a shallow clone lacks it', () => {
    setVersion('0.1.0');
    commit('apps/auth-server/src/schema/migrations/1-first.ts', '');
    git('clone', '--quiet', '--depth=1', `file://${repository}`, 'clone');
    expect(() => findPreviousRelease(join(repository, 'clone'))).toThrow('git fetch --unshallow --tags');
  });

  /** Runs the step of the workflow; `gh` notes what it is asked. */
  const tagRelease = () => {
    const { jobs } = parse(readFileSync(join(repositoryRoot, '.github/workflows/release.yml'), 'utf8'));
    const tools = mkdtempSync(join(tmpdir(), 'gatehouse-gh-'));
    writeFileSync(join(tools, 'gh'), '#!/bin/sh\necho "$@" >> "$NOTES"\n');
    chmodSync(join(tools, 'gh'), 0o755);
    const notes = join(tools, 'notes');
    writeFileSync(notes, '');
    const env = { PATH: `${tools}:${process.env.PATH}`, NOTES: notes, GH_REPO: 'example/gatehouse' };
    execFileSync('bash', ['--norc', '-e', '-c', jobs.tag.steps[1].run], { cwd: repository, env });
    const asked = readFileSync(notes, 'utf8');
    rmSync(tools, { recursive: true });
    return asked;
  };

  test('a version that lands is tagged at the commit that set it, and published', () => {
    setVersion('0.1.0');
    const release = setVersion('0.2.0');
    setVersion('0.2.0', { scripts: {} });
    expect(tagRelease()).toBe(
      `api repos/example/gatehouse/git/refs -f ref=refs/tags/v0.2.0 -f sha=${release}\n` +
        'workflow run images.yml --ref v0.2.0\n',
    );
  });

  test('a version is tagged once, and the one with which the repository began is no release', () => {
    setVersion('0.1.0');
    expect(tagRelease()).toBe('');
    setVersion('0.2.0');
    git('tag', 'v0.2.0');
    expect(tagRelease()).toBe('');
  });
});

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const listFiles = (...paths: string[]) =>
  execFileSync('git', ['ls-files', '--', ...paths], { cwd: repositoryRoot, encoding: 'utf8' })
    .trim()
    .split('\n');

describe('a release', () => {
  const later = '9.8.7';
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const folders = ['apps', 'examples', 'packages'].map((folder) => `:(glob)${folder}/*/package.json`);
  const manifests = ['package.json', ...listFiles(...folders)];

  test('needs a later version', () => {
    for (const to of ['0.2.1', '0.10.0', '1.0.0']) expect(() => checkVersion('0.2.0', to)).not.toThrow();
    for (const to of ['0.2.0', '0.1.9', '0.1.10', '', '1.0', 'v1.0.0', '1.0.0-rc.1', '01.0.0']) {
      expect(() => checkVersion('0.2.0', to)).toThrow('a version above 0.2.0');
    }
  });

  test.each(manifests)('gives its version to %s, and to the workspaces that it asks for', (path) => {
    const { version: own, dependencies, devDependencies } = JSON.parse(setPackageVersion(read(path), version, later));
    const asked = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@gatehouse/'),
    );
    expect([own, ...asked.map(([, of]) => of)]).toEqual(Array(asked.length + 1).fill(later));
  });

  test('has its version in the lock file', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };
    const own = manifests.map((path) => packages[dirname(path) === '.' ? '' : dirname(path)]?.version);
    expect(new Set(own)).toEqual(new Set([version]));
  });

  test('gives it to every image, Job and package that a page or a manifest names', () => {
    const paths = listFiles('infra', 'docs/guides', 'docs/protect-your-api', 'packages/resource-server/README.md');
    const texts = setNamedVersion(paths.map(read).join('\n'), version, later);
    const named = /(?:gatehouse\/[\w-]+:|newTag: |VERSION=|-migrate-|gatehouse-resource-server-)(\d+\.\d+\.\d+)/g;
    const versions = [...texts.matchAll(named)].map(([, found]) => found);
    expect(versions.length).toBeGreaterThan(20);
    expect(new Set(versions)).toEqual(new Set([later]));
  });

  test('changes no other version', () => {
    const text = 'mysql:0.1.0 gatehouse/org-api:0.1.01 VERSION=0.1.0.1 VERSION=0.1.0-rc.1';
    expect(setNamedVersion(text, '0.1.0', later)).toBe(text);
    expect(setPackageVersion('"passport": "0.1.0"', '0.1.0', later)).toBe('"passport": "0.1.0"');
  });

  test('closes what was unreleased, and opens the next', () => {
    const part = '\n### Upgrading\n\nRun the migration.\n\n### Added\n\n- A thing.\n';
    const closed = closeUnreleased(
      `# Changelog\n\n## Unreleased\n${part}\n## 0.1.0 – 2026-01-02\n`,
      '0.2.0',
      '2026-11-25',
    );
    expect(closed).toBe(
      '# Changelog\n\n## Unreleased\n\n### Upgrading\n\nNothing is to do.\n\n' +
        `## 0.2.0 – 2026-11-25\n${part}\n## 0.1.0 – 2026-01-02\n`,
    );
    for (const text of ['# Changelog\n', '# Changelog\n\n## Unreleased\n\n- A thing.\n\n## 0.1.0\n\n### Upgrading\n']) {
      expect(() => closeUnreleased(text, '0.2.0', '2026-11-25')).toThrow('Upgrading');
    }
  });

  test('is a part of the changelog that says how to upgrade', () => {
    const parts = read('CHANGELOG.md').split('\n## ').slice(1);
    for (const part of parts) {
      expect(part).toMatch(/^(Unreleased|\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d)\n/);
      expect(part).toContain('\n### Upgrading\n');
    }
  });
});
