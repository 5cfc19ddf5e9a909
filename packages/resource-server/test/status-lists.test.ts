import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FetchedList } from '../src/status-lists/fetch-status-list.ts';
import { createStatusLists, type StatusLists } from '../src/status-lists/status-lists.ts';
import type { StatusReference } from '../src/status-lists/token-status.ts';

const publicBase = 'https://auth.example.com/oauth/status-lists/';
const uri = `${publicBase}1`;
const revoked = { uri, idx: 3 };
const other = { uri, idx: 4 };

describe('the follower of status lists', () => {
  let now: number;
  let etags: (string | undefined)[];
  let answer: () => Promise<FetchedList>;
  let lists: StatusLists;
  let look: () => void;
  /** Seconds for which the server is asked to wait, by each request that allows it. */
  let waits: number[];
  let ttl: number;

  /** What the auth server says: the list with these tokens revoked, which is good for ten minutes. */
  const listOf = (...indices: number[]): FetchedList => {
    const bits = Buffer.alloc(2);
    for (const idx of indices) bits[idx >> 3] = (bits[idx >> 3] ?? 0) | (1 << (idx & 7));
    return { text: JSON.stringify({ bits: [...bits], exp: now / 1000 + 600 }), etag: `"${indices}"` };
  };
  const publish = (list: FetchedList | undefined) => {
    answer = async () => list ?? {};
  };
  const beOutOfReach = () => {
    answer = () => Promise.reject(new Error('out of reach'));
  };
  const isRevoked = async (reference: StatusReference) => (await lists.find(reference)) === 'revoked';
  const answersOf = async () => [await isRevoked(revoked), await isRevoked(other)];

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    etags = [];
    ttl = 1;
    waits = [];
    lists = createStatusLists({
      fetchStatusList: (_uri, etag, waiting) => {
        // This server does not wait for a change, and says that there is none.
        if (waiting !== undefined) {
          waits.push(waiting.seconds);
          return Promise.resolve({});
        }
        etags.push(etag);
        return answer();
      },
      // The signature is not what this is about.
      verifyStatusList: async (text) => {
        const { bits, exp } = JSON.parse(text) as { bits: number[]; exp: number };
        const lst = deflateSync(Buffer.from(bits)).toString('base64url');
        return { uri, exp, lst, bits: 1, ttl };
      },
      isTrusted: (address) => address.startsWith(publicBase),
      unavailable: 'accept',
      maxAge: 60,
      pause: () => Promise.resolve(),
      clock: () => now,
      // Nothing goes on in the background but when a test says so.
      repeat: (work) => {
        look = work;
        return () => undefined;
      },
      onFailure: () => undefined,
    });
  });
  afterEach(() => lists.stop());

  it('reads a list at first sight, and not again at once', async () => {
    publish(listOf(3));
    expect(await answersOf()).toEqual([true, false]);
    now += 2_000;
    expect(await answersOf()).toEqual([true, false]);
    expect(etags).toEqual([undefined]);
  });

  it.each([2_001, 30_000, 599_000])('fetches a list before it answers after %d ms of quiet', async (quiet) => {
    publish(listOf());
    expect(await answersOf()).toEqual([false, false]);
    now += quiet;
    publish(listOf(3));
    expect(await answersOf()).toEqual([true, false]);
    expect(etags).toEqual([undefined, '""']);
  });

  it('does not wait while the last fetch failed, and keeps what is in hand', async () => {
    publish(listOf(3));
    await answersOf();
    now += 3_000;
    beOutOfReach();
    expect(await answersOf()).toEqual([true, false]);
    expect(etags).toHaveLength(2);
    now += 3_000;
    answer = () => new Promise(() => {});
    const waited = sleep(1_000, 'waited', { ref: false });
    expect(await Promise.race([answersOf(), waited])).toEqual([true, false]);
  });

  it('waits again after a fetch that went well', async () => {
    publish(listOf());
    await answersOf();
    now += 3_000;
    beOutOfReach();
    await answersOf();
    now = now + 600_000;
    publish(listOf());
    expect(await answersOf()).toEqual([false, false]);
    now += 3_000;
    publish(listOf(3));
    expect(await answersOf()).toEqual([true, false]);
  });

  it('takes a list for fresh that did not change', async () => {
    publish(listOf(3));
    await answersOf();
    now += 3_000;
    publish(undefined);
    expect(await answersOf()).toEqual([true, false]);
    expect(etags).toEqual([undefined, '"3"']);
    now += 1_500;
    expect(await answersOf()).toEqual([true, false]);
    expect(etags).toHaveLength(2);
    now += 1_500;
    expect(await answersOf()).toEqual([true, false]);
    expect(etags).toEqual([undefined, '"3"', '"3"']);
  });

  it.each<[string, () => void]>([
    ['out of reach', beOutOfReach],
    ['said to be unchanged', () => publish(undefined)],
    ['not to be read', () => publish({ text: 'no list', etag: undefined })],
  ])('a list that was never in hand revokes nothing: %s', async (_title, prepare) => {
    prepare();
    expect(await answersOf()).toEqual([false, false]);
    expect(etags).toEqual([undefined]);
    now += 1_000;
    publish(listOf(3));
    expect(await answersOf()).toEqual([true, false]);
  });

  it.each([
    ['its ttl', 7, 7_000],
    ['half of the age at which a list cannot be had', 600, 30_000],
    ['a second', 0, 1_000],
  ])('asks again in the background after %s', async (_what, seconds, interval) => {
    ttl = seconds;
    publish(listOf(3));
    await answersOf();
    const asked = async () => {
      await sleep(0);
      look();
      await sleep(0);
      return waits;
    };
    expect(await asked()).toEqual([25]);
    now += interval - 6;
    expect(await asked()).toEqual([25]);
    now += 1;
    expect(await asked()).toEqual([25, 25]);
    expect(etags).toHaveLength(1);
  });

  it('rests where no token named the list for a minute', async () => {
    publish(listOf(3));
    await answersOf();
    now += 60_000;
    look();
    await sleep(0);
    expect(waits).toEqual([25]);
  });

  it('takes no list that is signed for another URI', async () => {
    publish(listOf(3));
    expect(await isRevoked({ uri: `${publicBase}2`, idx: 3 })).toBe(false);
    expect(await isRevoked(revoked)).toBe(true);
  });

  it('asks for a list that names no ETag by its ttl, too', async () => {
    ttl = 10;
    publish({ ...listOf(3), etag: undefined });
    expect(await isRevoked(revoked)).toBe(true);
    for (let second = 1; second < 10; second += 1) {
      now += 1_000;
      look();
      await sleep(1);
      expect(etags).toHaveLength(1);
    }
    now += 1_000;
    look();
    await sleep(1);
    expect(etags).toHaveLength(2);
  });

  it('keeps the 256 lists that tokens named last', async () => {
    publish(listOf(3));
    const name = (list: number) => lists.find({ uri: `${publicBase}${list}`, idx: 3 });
    for (let list = 1; list <= 256; list += 1) await name(list);
    await name(1);
    expect(etags).toHaveLength(256);
    await name(257);
    for (const list of [1, 3, 256]) await name(list);
    expect(etags).toHaveLength(257);
    await name(2);
    expect(etags).toHaveLength(258);
  });

  it('does not follow what is not of this realm', async () => {
    publish(listOf(3));
    expect(await isRevoked({ uri: 'https://attacker.example/1', idx: 3 })).toBe(false);
    expect(etags).toEqual([]);
  });
});
