import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FetchedList } from '../src/status-lists/fetch-status-list.ts';
import { type PublishedList, statusListRules } from '../src/status-lists/status-list.ts';
import { createStatusLists, type StatusLists } from '../src/status-lists/status-lists.ts';
import type { StatusListsOptions } from '../src/status-lists/status-lists-options.ts';
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
  /** What the server answers to these. */
  let answerWait: (signal: AbortSignal) => Promise<FetchedList>;
  let ttl: number | undefined;
  /** Seconds for which a list is good. */
  let lifetime: number;
  let bitsOfToken: number;
  let failures: [reason: string, uri: string][];

  /** What the auth server says: the list with these tokens revoked. */
  const listOf = (...indices: number[]): FetchedList => {
    const bits = Buffer.alloc(2);
    for (const idx of indices) bits[idx >> 3] = (bits[idx >> 3] ?? 0) | (1 << (idx & 7));
    return {
      text: JSON.stringify({ bits: [...bits], iat: now / 1000, exp: now / 1000 + lifetime }),
      etag: `"${indices}"`,
    };
  };
  const publish = (list: FetchedList | undefined) => {
    answer = async () => list ?? {};
  };
  const beOutOfReach = () => {
    answer = () => Promise.reject(new Error('out of reach'));
  };
  /** The server waits until nobody waits for it. */
  const keepWaiting = (signal: AbortSignal) =>
    new Promise<FetchedList>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const lookOnce = async () => {
    look();
    await sleep(0);
  };
  const statusesOf = async () => [await lists.find(revoked), await lists.find(other)];
  const isRevoked = async (reference: StatusReference) => (await lists.find(reference)) === 'revoked';
  const answersOf = async () => [await isRevoked(revoked), await isRevoked(other)];

  const open = (options: Partial<StatusListsOptions> = {}): StatusLists =>
    createStatusLists({
      fetchStatusList: (_uri, etag, waiting) => {
        if (waiting !== undefined) {
          waits.push(waiting.seconds);
          return answerWait(waiting.signal);
        }
        etags.push(etag);
        return answer();
      },
      // The signature is not what this is about.
      verifyStatusList: async (text) => {
        if (text === 'forged') return undefined;
        const { bits, iat, exp } = JSON.parse(text) as { bits: number[]; iat: number; exp: number };
        const lst = deflateSync(Buffer.from(bits)).toString('base64url');
        return { uri, iat, exp, lst, bits: bitsOfToken, ttl };
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
      onFailure: (error, address) => failures.push([(error as Error).message, address]),
      ...options,
    });

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
    etags = [];
    [ttl, lifetime, bitsOfToken] = [1, 600, 1];
    waits = [];
    failures = [];
    // This server does not wait for a change, and says that there is none.
    answerWait = () => Promise.resolve({});
    lists = open();
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

  it.each([3_000, 61_000])(
    'does not wait %d ms after a fetch that failed, and keeps what is in hand',
    async (later) => {
      publish(listOf(3));
      await answersOf();
      now += 3_000;
      beOutOfReach();
      expect(await answersOf()).toEqual([true, false]);
      expect(etags).toHaveLength(2);
      now += later;
      answer = () => new Promise(() => {});
      const waited = sleep(1_000, 'waited', { ref: false });
      expect(await Promise.race([answersOf(), waited])).toEqual([true, false]);
    },
  );

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
    ['a second where it has no ttl', undefined, 1_000],
  ])('asks again in the background after %s', async (_what, seconds, interval) => {
    ttl = seconds;
    publish(listOf(3));
    await answersOf();
    const asked = async () => {
      await sleep(0);
      await lookOnce();
      return waits;
    };
    expect(await asked()).toEqual([25]);
    now += interval - 6;
    expect(await asked()).toEqual([25]);
    now += 1;
    expect(await asked()).toEqual([25, 25]);
    expect(etags).toHaveLength(1);
  });

  it.each([
    ['with an ETag', '"3"', [25]],
    ['without an ETag', undefined, []],
  ])('rests where no token named the list for a minute: %s', async (_title, etag, waited) => {
    publish({ ...listOf(3), etag });
    await answersOf();
    now += 60_000;
    await lookOnce();
    expect(waits).toEqual(waited);
    expect(etags).toHaveLength(1);
  });

  it.each<[string, () => void]>([
    ['out of reach', beOutOfReach],
    ['said to be unchanged', () => publish(undefined)],
  ])('asks again in the background for a list that was never in hand: %s', async (_title, prepare) => {
    prepare();
    await answersOf();
    now += 1_000;
    publish(listOf(3));
    await lookOnce();
    expect(etags).toHaveLength(2);
    expect(await answersOf()).toEqual([true, false]);
  });

  it('asks again each second in the background while that fails', async () => {
    ttl = 10;
    publish(listOf(3));
    await answersOf();
    beOutOfReach();
    now += 12_000;
    await answersOf();
    now += 994;
    await lookOnce();
    expect(etags).toHaveLength(2);
    now += 1;
    await lookOnce();
    expect(etags).toHaveLength(3);
  });

  it('finds each status in its place, by one request for all who ask together', async () => {
    publish(listOf(3, 9, 15));
    const statuses = await Promise.all(Array.from({ length: 16 }, (_, idx) => lists.find({ uri, idx })));
    expect(statuses.flatMap((status, idx) => (status === 'revoked' ? [idx] : []))).toEqual([3, 9, 15]);
    expect(etags).toHaveLength(1);
  });

  it.each([
    [1, 16],
    [2, 8],
    [4, 4],
    [8, 2],
  ])('with %d bits a token asks again for the first index beyond its end: %d', async (bits, end) => {
    bitsOfToken = bits;
    publish(listOf());
    await lists.find({ uri, idx: 0 });
    now += 1_000;
    expect(await lists.find({ uri, idx: end - 1 })).toBe('valid');
    expect(etags).toHaveLength(1);
    expect(await lists.find({ uri, idx: end })).toBe('valid');
    expect(etags).toHaveLength(2);
  });

  it('asks again for a list that has expired, however new it is', async () => {
    lifetime = 1;
    publish(listOf());
    await answersOf();
    now += 999;
    await answersOf();
    expect(etags).toHaveLength(1);
    now += 1;
    await answersOf();
    expect(etags).toHaveLength(2);
  });

  it.each([
    ['from when it expires on', { lifetime: 10, maxAge: 60 }, 10_000],
    ['where it is older than it may be', { lifetime: 600, maxAge: 10 }, 10_001],
  ])('knows no status by a list that cannot be confirmed, %s', async (_title, bounds, end) => {
    lifetime = bounds.lifetime;
    lists = open({ unavailable: 'reject', maxAge: bounds.maxAge });
    publish(listOf(3));
    await statusesOf();
    beOutOfReach();
    now += end - 1;
    expect(await statusesOf()).toEqual(['revoked', 'valid']);
    now += 1;
    expect(await statusesOf()).toEqual(['unknown', 'unknown']);
  });

  it('tells why a list could not be read', async () => {
    publish({ text: 'forged' });
    await lists.find(revoked);
    expect(failures).toEqual([['not a status list of this issuer at its own address', uri]]);
  });

  it('asks a server to wait for a second at least', async () => {
    lists = open({ maxAge: 1 });
    publish(listOf());
    await answersOf();
    expect(waits).toEqual([1]);
  });

  it('asks a server that did not wait to do so no sooner than after the ttl', async () => {
    ttl = 10;
    publish(listOf());
    await answersOf();
    now += 1_000;
    await lists.find({ uri, idx: 16 });
    await sleep(0);
    expect(etags).toHaveLength(2);
    expect(waits).toEqual([25]);
  });

  it('counts the ttl of a server that does not wait any more from its last answer on', async () => {
    ttl = 10;
    publish(listOf());
    answerWait = async () => {
      if (waits.length > 1) return {};
      now += 25_000;
      return { waited: true };
    };
    await answersOf();
    await sleep(0);
    now += 9_000;
    await lookOnce();
    expect(waits).toEqual([25, 25]);
    now += 1_000;
    await lookOnce();
    expect(waits).toEqual([25, 25, 25]);
  });

  it('pauses between two waits', async () => {
    const pauses: number[] = [];
    lists = open({ pause: async (milliseconds) => void pauses.push(milliseconds) });
    answerWait = async (signal) => (waits.length < 3 ? { waited: true } : keepWaiting(signal));
    publish(listOf());
    await answersOf();
    await sleep(0);
    expect(waits).toEqual([25, 25, 25]);
    expect(pauses).toEqual([100, 100]);
  });

  describe('while a server waits for a change', () => {
    beforeEach(async () => {
      answerWait = keepWaiting;
      publish(listOf(3));
      await answersOf();
    });

    it('asks for nothing beside, however old the list is', async () => {
      now += 20_000;
      await lookOnce();
      expect(await answersOf()).toEqual([true, false]);
      expect(etags).toHaveLength(1);
    });

    it('opens no second wait after a request for an index beyond the end', async () => {
      now += 1_000;
      await lists.find({ uri, idx: 16 });
      await sleep(0);
      expect(etags).toHaveLength(2);
      expect(waits).toEqual([25]);
    });

    it('does not take a 304 for a confirmation of the list that such a request brought', async () => {
      let answerUnchanged: (list: FetchedList) => void = () => undefined;
      answerWait = () =>
        new Promise((resolve) => {
          answerUnchanged = resolve;
        });
      lists = open({ unavailable: 'reject' });
      await answersOf();
      now += 1_000;
      publish(listOf(3, 4));
      await lists.find({ uri, idx: 16 });
      now += 50_000;
      answerUnchanged({ waited: true });
      answerWait = keepWaiting;
      await sleep(0);
      beOutOfReach();
      now += 10_000;
      expect(await statusesOf()).toEqual(['revoked', 'revoked']);
      now += 1;
      expect(await statusesOf()).toEqual(['unknown', 'unknown']);
    });

    it('does not ask again in the background where such a request failed', async () => {
      beOutOfReach();
      now += 1_000;
      await lists.find({ uri, idx: 16 });
      now += 1_000;
      await lookOnce();
      expect(etags).toHaveLength(2);
    });

    it('says nothing of the wait that it ends when it stops', async () => {
      lists.stop();
      await sleep(0);
      expect(failures).toEqual([]);
    });
  });

  it('opens no wait for a list that comes after it stopped', async () => {
    publish(listOf(3));
    const found = lists.find(revoked);
    lists.stop();
    await found;
    await sleep(0);
    expect(waits).toEqual([]);
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
    const outside = { uri: 'https://attacker.example/1', idx: 3 };
    expect([lists.findInHand(outside), await lists.find(outside)]).toEqual(['valid', 'valid']);
    lists = open({ unavailable: 'reject' });
    expect([lists.findInHand(outside), await lists.find(outside)]).toEqual(['unknown', 'unknown']);
    expect(etags).toEqual([]);
  });
});

describe('the claims of a status list', () => {
  const read = (claims: object): PublishedList | undefined =>
    statusListRules.read({ iss: 'https://auth.example.com', iat: 5, exp: 9, sub: uri, ...claims });

  it.each([
    ['no list', undefined],
    ['null', null],
    ['a text', 'AAAA'],
    ['a list without bits', { lst: 'AAAA' }],
    ['a list of bits that are none', { bits: 'one', lst: 'AAAA' }],
    ['a list of three bits', { bits: 3, lst: 'AAAA' }],
    ['a list of five bits', { bits: 5, lst: 'AAAA' }],
    ['a list that is no text', { bits: 1, lst: 5 }],
    ['nothing but bits', { bits: 1 }],
  ])('are none where they hold %s', (_title, list) => {
    expect(read({ status_list: list })).toBeUndefined();
  });

  it.each(['sub', 'iat'])('are none where they have no %s', (claim) => {
    expect(read({ [claim]: undefined, status_list: { bits: 1, lst: 'AAAA' } })).toBeUndefined();
  });

  it.each([1, 2, 4, 8])('hold a list of %d bits a token', (bits) => {
    const expected = { uri, lst: 'AAAA', bits, iat: 5, exp: 9, ttl: 5 };
    expect(read({ ttl: 5, status_list: { bits, lst: 'AAAA' } })).toEqual(expected);
  });

  it.each([0, -1, '5', null, undefined])('have no ttl where it is %j', (ttl) => {
    expect(read({ ttl, status_list: { bits: 1, lst: 'AAAA' } })?.ttl).toBeUndefined();
  });
});
