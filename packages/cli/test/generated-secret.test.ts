import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Api, ApiError } from '../src/connection/api.ts';
import { StepError } from '../src/failures.ts';
import { applyChange } from '../src/project/apply.ts';
import { kindOf } from '../src/project/kinds.ts';

const answer = (status: number) => new ApiError('apply', { method: 'POST', path: '/clients' }, status, {});

describe('the file of a secret that is made with its client', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-secret-'));
    path = join(folder, 'nightly.secret');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Makes a client, whose registration ends so. */
  const create = (end: Error) => {
    const api: Api = () => Promise.reject(end);
    const secrets = { generate: path };
    const described = { kind: kindOf('client'), name: 'nightly', members: {}, secrets, place: { file: '', line: 1 } };
    const change = { action: 'create', kind: 'client', name: 'nightly', members: {}, current: undefined } as const;
    return applyChange({ authServer: api, orgApi: api }, { name: 'shop', objects: [] }, { ...change, described });
  };

  test('goes with a registration that was refused', async () => {
    await expect(create(answer(400))).rejects.toThrow('400');
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    ['no answer', new StepError('apply', 'no answer came')],
    ['an answer on the way', answer(502)],
  ])('stays where the client may be there: %s', async (_what, end) => {
    await expect(create(end)).rejects.toThrow(`${path} has its secret if it was made`);
    expect(readFileSync(path, 'utf8')).toMatch(/^[\w-]{43}\n$/);
  });
});
