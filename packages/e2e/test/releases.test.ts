import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
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
