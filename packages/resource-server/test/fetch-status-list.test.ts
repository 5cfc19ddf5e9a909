import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Fetch, FetchAnswer } from '../src/fetch.ts';
import { createFetchStatusList } from '../src/status-lists/fetch-status-list.ts';

const uri = 'https://issuer.example/status-lists/1';

describe('a status list is fetched', () => {
  let asked: Parameters<Fetch>[];
  let answer: (signal: AbortSignal) => Promise<FetchAnswer>;
  const fetchStatusList = createFetchStatusList(async (...request) => {
    asked.push(request);
    return answer(request[1].signal);
  });
  const answerWith = (status: number, headers: Record<string, string> = {}) => {
    answer = async () => new Response(status === 304 ? null : 'list', { status, headers });
  };
  beforeEach(() => {
    asked = [];
    answerWith(200);
  });

  it('by its type, without a redirect, and not at all where it is the one in hand', async () => {
    expect(await fetchStatusList(uri, undefined)).toEqual({ text: 'list', etag: undefined, waited: false });
    answerWith(200, { etag: '"b"' });
    expect(await fetchStatusList(uri, '"a"')).toEqual({ text: 'list', etag: '"b"', waited: false });
    answerWith(304, { etag: '"b"' });
    expect(await fetchStatusList(uri, '"b"')).toEqual({ waited: false });
    const accept = 'application/statuslist+jwt';
    expect(asked.map(([url, { headers, redirect }]) => [url, headers, redirect])).toStrictEqual([
      [uri, { accept }, 'manual'],
      [uri, { accept, 'if-none-match': '"a"' }, 'manual'],
      [uri, { accept, 'if-none-match': '"b"' }, 'manual'],
    ]);
  });

  it.each([201, 206, 404, 500])('with 200 or 304 alone: %d', async (status) => {
    answerWith(status);
    await expect(fetchStatusList(uri, undefined)).rejects.toThrow(`the status list answered ${status}`);
  });

  it.each([
    ['wait', true],
    ['respond-async, wait=25', true],
    ['Wait;x=1', true],
    [' wait ', true],
    ['waiting', false],
    ['respond-async; wait', false],
    ['', false],
  ])('when it changes, where the server says so: Preference-Applied: %j', async (applied, waited) => {
    const { signal } = new AbortController();
    for (const status of [200, 304]) {
      answerWith(status, { 'preference-applied': applied });
      expect((await fetchStatusList(uri, '"a"', { seconds: 25, signal })).waited).toBe(waited);
    }
    expect(asked[0]?.[1].headers).toMatchObject({ prefer: 'wait=25' });
  });

  describe('for a time', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'performance'] });
      answer = (signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    afterEach(() => void jest.useRealTimers());

    it('of the wait and five seconds', async () => {
      const { signal } = new AbortController();
      const waited = fetchStatusList(uri, '"a"', { seconds: 10, signal }).catch((error: Error) => error.message);
      await jest.advanceTimersByTimeAsync(14_999);
      expect(asked[0]?.[1].signal.aborted).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(await waited).toBe('the status list was not answered in time');
    });

    it('until nobody waits any more', async () => {
      const leaving = new AbortController();
      const waited = fetchStatusList(uri, '"a"', { seconds: 10, signal: leaving.signal });
      leaving.abort();
      await expect(waited).rejects.toThrow('the status list was not answered in time');
      expect(jest.getTimerCount()).toBe(0);
    });
  });
});
