import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TokenError, type Verifier, type VerifierOptions, verifier } from '../src/index.ts';
import { audience, createSigningKey, type Handle, type Issuer, signJwt, startIssuer } from './support/issuer.ts';

const listPath = '/status-lists/1';

let issuer: Issuer;
let uri: string;
let now: number;
const made: Verifier[] = [];

const create = (options: Partial<VerifierOptions> = {}) => {
  const one = verifier({ issuer: issuer.url, audience, clock: () => now, ...options });
  made.push(one);
  return one;
};
/** What the server says at the address of the list. */
const publish = (build: () => Promise<string>, headers: Record<string, string> = {}) =>
  issuer.routes.set(listPath, async (_request, response) => {
    response.writeHead(200, headers).end(await build());
  });
const answer = (handle: Handle) => issuer.routes.set(listPath, handle);
const tokenAt = (idx: number, at = uri) => issuer.token({ status: { status_list: { idx, uri: at } } });
const ask = async (api: Verifier, token: string): Promise<number> => {
  const request = { method: 'GET', url: '/', headers: { authorization: `Bearer ${token}` } };
  return api.verify(request).then(
    () => 200,
    (error: unknown) => {
      if (!(error instanceof TokenError)) throw error;
      if (error.status === 503) expect(error.headers['retry-after']).toBe('5');
      return error.status;
    },
  );
};

beforeEach(async () => {
  now = Date.now();
  issuer = await startIssuer();
  uri = issuer.url + listPath;
  publish(() => issuer.list(uri, [3]));
});
afterEach(async () => {
  for (const one of made.splice(0)) one.close();
  await issuer.close();
});

describe('a token that names a status list (Token Status List)', () => {
  it('is refused by 401 where the list revokes it, and taken where it does not', async () => {
    const api = create();
    expect([await ask(api, await tokenAt(3)), await ask(api, await tokenAt(4))]).toEqual([401, 200]);
  });

  it.each([
    [2, 0b01_00_00_00, 3],
    [4, 0b0010_0000, 1],
    [8, 0xff, 0],
  ])('is refused for every status but 0, in lists of %i bits a token', async (bits, byte, idx) => {
    const lst = deflateSync(Buffer.from([byte, 0])).toString('base64url');
    publish(() => issuer.list(uri, [], { status_list: { bits, lst } }));
    const api = create();
    expect([await ask(api, await tokenAt(idx)), await ask(api, await tokenAt(idx + 1))]).toEqual([401, 200]);
  });

  it.each([1.5, -1, '3', null])('is refused where its index is %j, which is none', async (idx) => {
    const status = { status_list: { idx, uri } };
    expect(await ask(create(), await issuer.token({ status }))).toBe(401);
  });

  it.each([5, null, {}])('is refused where the address of its list is %j, which is none', async (address) => {
    const status = { status_list: { idx: 3, uri: address } };
    expect(await ask(create(), await issuer.token({ status }))).toBe(401);
  });

  it.each([
    [2_048, 200],
    [2_049, 401],
  ])('names its list by %d characters: %d', async (length, status) => {
    const api = create({ statusListUnavailable: 'accept' });
    expect(await ask(api, await tokenAt(3, `${uri}?`.padEnd(length, 'a')))).toBe(status);
  });

  it('does not ask the issuer at each request', async () => {
    const api = create();
    for (const idx of [4, 5, 6]) expect(await ask(api, await tokenAt(idx))).toBe(200);
    expect(issuer.asked.filter((path) => path === listPath)).toHaveLength(1);
  });
});

const packed = deflateSync(Buffer.alloc(16)).toString('base64url');

/** Lists that are not believed, and addresses that are not asked. */
const unbelievable: [string, () => void][] = [
  ['of another address: sub is not uri', () => publish(() => issuer.list(`${uri}0`, []))],
  ['of another issuer', () => publish(() => issuer.list(uri, [], { iss: 'https://other.example' }))],
  ['of another key', () => publish(async () => issuer.list(uri, [], {}, await createSigningKey()))],
  ['that has expired', () => publish(() => issuer.list(uri, [], { exp: Math.floor(now / 1000) - 1 }))],
  ['that does not say when it was made', () => publish(() => issuer.list(uri, [], { iat: undefined }))],
  ['of three bits a token', () => publish(() => issuer.list(uri, [], { status_list: { bits: 3, lst: packed } }))],
  ['without a list', () => publish(() => issuer.list(uri, [], { status_list: {} }))],
  ['whose list is not packed', () => publish(() => issuer.list(uri, [], { status_list: { bits: 1, lst: 'AAAA' } }))],
  [
    'of another type',
    () => publish(() => signJwt(issuer.key, { iss: issuer.url, sub: uri, iat: 1, exp: 4e9 }, { typ: 'at+jwt' })),
  ],
  ['that is not there', () => void issuer.routes.delete(listPath)],
  ['that is elsewhere', () => answer((_request, response) => void response.writeHead(302, { location: '/x' }).end())],
];

describe('a list', () => {
  it.each(unbelievable)(
    '%s cannot be had: 503 with Retry-After, and with accept the token is good',
    async (_t, prepare) => {
      prepare();
      expect(await ask(create(), await tokenAt(3))).toBe(503);
      expect(await ask(create({ statusListUnavailable: 'accept' }), await tokenAt(3))).toBe(200);
    },
  );

  it('that unpacks to more than 10 MiB cannot be had', async () => {
    const lst = deflateSync(Buffer.alloc(10 * 1024 * 1024 + 1)).toString('base64url');
    publish(() => issuer.list(uri, [], { status_list: { bits: 1, lst } }));
    expect(await ask(create(), await tokenAt(3))).toBe(503);
  });

  it('is asked for at the origin of the issuer alone, and where the API allows', async () => {
    const other = await startIssuer();
    const away = `${other.url}${listPath}`;
    other.routes.set(listPath, async (_request, response) => {
      response.writeHead(200).end(await issuer.list(away, [3]));
    });
    const token = await tokenAt(3, away);
    expect(await ask(create(), token)).toBe(503);
    expect(other.asked).toEqual([]);
    expect(await ask(create({ statusListOrigins: [other.url] }), token)).toBe(401);
    expect(other.asked).toEqual([listPath]);
    await other.close();
  });

  it('at an address that is no URL cannot be had', async () => {
    expect(await ask(create(), await tokenAt(3, 'no URL'))).toBe(503);
  });

  it('without iss and exp is believed by its signature', async () => {
    publish(() => issuer.list(uri, [3], { iss: undefined, exp: undefined }));
    const api = create();
    expect([await ask(api, await tokenAt(3)), await ask(api, await tokenAt(4))]).toEqual([401, 200]);
  });

  it('that nobody confirmed for a minute cannot be had, and can again once the issuer is back', async () => {
    const [api, lenient] = [create(), create({ statusListUnavailable: 'accept' })];
    const [good, bad] = [await tokenAt(4), await tokenAt(3)];
    const statuses = async () => [await ask(api, good), await ask(api, bad), await ask(lenient, bad)];
    expect(await statuses()).toEqual([200, 401, 401]);
    issuer.routes.delete(listPath);
    now += 59_000;
    expect(await statuses()).toEqual([200, 401, 401]);
    now += 2_000;
    expect(await statuses()).toEqual([503, 503, 401]);
    publish(() => issuer.list(uri, [3]));
    now += 2_000;
    expect(await statuses()).toEqual([200, 401, 401]);
  });

  it('that the issuer says is unchanged (304) is confirmed', async () => {
    answer(async (request, response) => {
      if (request.headers['if-none-match'] === '"a"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"a"' }).end(await issuer.list(uri, [3]));
    });
    const api = create();
    for (let minute = 0; minute < 5; minute += 1) {
      expect([await ask(api, await tokenAt(4)), await ask(api, await tokenAt(3))]).toEqual([200, 401]);
      now += 61_000;
    }
  });

  it('that cannot be had is told to the log, with its address and the error', async () => {
    const warnings: unknown[] = [];
    issuer.routes.delete(listPath);
    const api = create({ log: { warn: (...warning) => warnings.push(warning) } });
    expect(await ask(api, await tokenAt(4))).toBe(503);
    expect(warnings).toEqual([[{ err: expect.any(Error), uri }, 'a status list could not be read']]);
  });

  it('may count as unavailable sooner', async () => {
    const api = create({ statusListMaxAge: 10 });
    const token = await tokenAt(4);
    expect(await ask(api, token)).toBe(200);
    issuer.routes.delete(listPath);
    now += 11_000;
    expect(await ask(api, token)).toBe(503);
  });
});

describe('an older list, which the server or a cache answers with after a newer one', () => {
  const second = () => Math.floor(now / 1000);
  /** Publishes the list as it was made `ago` seconds before now. */
  const publishMade = (ago: number, indices: readonly number[], claims: Record<string, unknown> = {}) => {
    const [iat, exp] = [second() - ago, second() + 600];
    publish(() => issuer.list(uri, indices, { iat, exp, ...claims }));
  };
  const statusesOf = async (api: Verifier, indices: readonly number[]) => {
    const statuses: number[] = [];
    for (const idx of indices) statuses.push(await ask(api, await tokenAt(idx)));
    return statuses;
  };
  const later = (seconds: number) => {
    now += seconds * 1000;
  };
  /** After a failure the list is asked for in the background alone. */
  const expectSoon = async (api: Verifier, indices: readonly number[], expected: readonly number[]) => {
    let statuses = await statusesOf(api, indices);
    for (let round = 0; round < 60 && String(statuses) !== String(expected); round += 1) {
      await sleep(50);
      statuses = await statusesOf(api, indices);
    }
    expect(statuses).toEqual(expected);
  };

  it.each(['reject', 'accept'] as const)(
    'takes no revocation back, and counts as a failed request: %s',
    async (unavailable) => {
      const warnings: object[] = [];
      const log = { warn: (details: object) => void warnings.push(details) };
      const api = create({ statusListUnavailable: unavailable, log });
      publishMade(0, [3]);
      expect(await statusesOf(api, [3, 4])).toEqual([401, 200]);
      later(3);
      publishMade(60, []);
      expect(await statusesOf(api, [3, 4])).toEqual([401, 200]);
      expect(warnings).toEqual([
        { uri, err: new Error('57 s older than the status list in hand, and without its revocations') },
      ]);
      later(58);
      expect(await statusesOf(api, [3, 4])).toEqual(unavailable === 'reject' ? [503, 503] : [401, 200]);
      later(2);
      publishMade(0, [3, 5]);
      await expectSoon(api, [3, 4, 5], [401, 200, 401]);
    },
  );

  it('adds the revocations of a list of the same second to those in hand', async () => {
    const api = create();
    publishMade(0, [3]);
    expect(await statusesOf(api, [3, 4])).toEqual([401, 200]);
    later(3);
    publishMade(3, [4]);
    expect(await statusesOf(api, [3, 4, 5])).toEqual([401, 401, 200]);
  });

  it.each([[[3]], [[3, 4]]])(
    'counts where it has every revocation in hand, as by a replica whose clock is behind: %j',
    async (indices) => {
      const api = create();
      publishMade(0, [3]);
      expect(await statusesOf(api, [3])).toEqual([401]);
      for (let minute = 0; minute < 3; minute += 1) {
        later(61);
        publishMade(120 + minute * 61, indices);
        expect(await statusesOf(api, [3, 4, 5])).toEqual([401, indices.includes(4) ? 401 : 200, 200]);
      }
    },
  );

  it('does not take the end of the list in hand forward', async () => {
    const api = create();
    publishMade(0, [3]);
    expect(await statusesOf(api, [3])).toEqual([401]);
    later(3);
    publishMade(60, [3], { exp: second() + 1 });
    expect(await statusesOf(api, [4])).toEqual([200]);
    later(1);
    issuer.routes.delete(listPath);
    expect(await statusesOf(api, [4])).toEqual([200]);
  });

  it('gives way to a newer one, which may take a status back', async () => {
    const api = create();
    publishMade(0, [3]);
    expect(await statusesOf(api, [3])).toEqual([401]);
    later(3);
    publishMade(0, []);
    expect(await statusesOf(api, [3])).toEqual([200]);
  });

  it.each([
    ['that came first', 0],
    ['that came after another', 3],
  ])('is none because of a list from the future %s: that one adds, and keeps nothing out', async (_title, before) => {
    const api = create();
    publishMade(0, [3]);
    if (before > 0) expect(await statusesOf(api, [3])).toEqual([401]);
    later(before);
    publishMade(-3600, [4]);
    expect(await statusesOf(api, [3, 4])).toEqual([before > 0 ? 401 : 200, 401]);
    later(11);
    publishMade(0, [5]);
    expect(await statusesOf(api, [3, 4, 5])).toEqual([200, 200, 401]);
  });

  it('is kept out by one that lies as far in the future as clocks may differ, which replaces', async () => {
    const api = create();
    publishMade(0, [3]);
    await statusesOf(api, [3]);
    later(3);
    publishMade(-10, [4]);
    expect(await statusesOf(api, [3, 4])).toEqual([200, 401]);
    later(3);
    publishMade(-6, []);
    expect(await statusesOf(api, [4])).toEqual([401]);
  });

  it('of other bits a token counts only where it is newer', async () => {
    const api = create();
    publishMade(0, [3]);
    expect(await statusesOf(api, [3])).toEqual([401]);
    const twoBits = { status_list: { bits: 2, lst: deflateSync(Buffer.alloc(16)).toString('base64url') } };
    later(3);
    publishMade(3, [], twoBits);
    expect(await statusesOf(api, [3])).toEqual([401]);
    later(3);
    publishMade(0, [], twoBits);
    await expectSoon(api, [3], [200]);
  });

  it('that is shorter or longer loses no revocation', async () => {
    const api = create();
    const bytes = (length: number, byte: number) => {
      const lst = deflateSync(Buffer.alloc(length, byte)).toString('base64url');
      return { status_list: { bits: 1, lst } };
    };
    publishMade(0, [], bytes(2, 0b0000_0001));
    expect(await statusesOf(api, [0, 1, 8])).toEqual([401, 200, 401]);
    for (const [length, byte] of [
      [1, 0b0000_0010],
      [3, 0b0000_0100],
    ] as const) {
      later(3);
      publishMade(length === 1 ? 3 : 6, [], bytes(length, byte));
      await statusesOf(api, [0]);
    }
    expect(await statusesOf(api, [0, 1, 2, 3, 8, 10, 18])).toEqual([401, 401, 401, 200, 401, 401, 401]);
  });

  it('takes nothing back where it comes in answer to a wait', async () => {
    let made = second();
    let answers = 0;
    answer(async (request, response) => {
      answers += 1;
      const isWait = request.headers.prefer !== undefined;
      const headers = { etag: `"${answers}"`, ...(isWait ? { 'preference-applied': 'wait' } : {}) };
      // The first answer revokes. Each one after it is the list of a minute before.
      if (answers === 1) response.writeHead(200, headers).end(await issuer.list(uri, [3], { iat: made }));
      else response.writeHead(200, headers).end(await issuer.list(uri, [], { iat: made - 60 }));
    });
    const api = create({ clock: Date.now });
    made = second();
    for (let round = 0; round < 20 && answers < 3; round += 1) {
      expect(await ask(api, await tokenAt(3))).toBe(401);
      await sleep(100);
    }
    expect(answers).toBeGreaterThanOrEqual(2);
    expect(await ask(api, await tokenAt(3))).toBe(401);
  });
});

/** A server that answers when its list changes (RFC 7240). */
class WaitableList {
  readonly preferences: (string | undefined)[] = [];
  open = 0;
  mostOpen = 0;
  private indices: number[] = [];
  private version = 0;
  private changed: (() => void)[] = [];

  constructor(willing = true) {
    answer(async (request, response) => {
      const { prefer, 'if-none-match': etag } = request.headers;
      this.preferences.push(prefer as string | undefined);
      const isWait = willing && prefer !== undefined && etag === `"${this.version}"`;
      if (isWait) {
        this.open += 1;
        this.mostOpen = Math.max(this.mostOpen, this.open);
        await new Promise<void>((resolve) => {
          this.changed.push(resolve);
          response.on('close', resolve);
        });
        this.open -= 1;
      }
      const headers = { etag: `"${this.version}"`, ...(isWait ? { 'preference-applied': 'wait' } : {}) };
      if (etag === headers.etag) response.writeHead(304, headers).end();
      else response.writeHead(200, headers).end(await issuer.list(uri, this.indices));
    });
  }
  change(...indices: number[]) {
    this.indices = indices;
    this.version += 1;
    this.answerAll();
  }
  answerAll() {
    for (const resolve of this.changed.splice(0)) resolve();
  }
}

/** Milliseconds until the token is refused. */
async function measureRefusal(api: Verifier, token: string): Promise<number> {
  const start = performance.now();
  while ((await ask(api, token)) !== 401) {
    if (performance.now() - start > 5_000) throw new Error('the token is not refused');
    await sleep(5);
  }
  return performance.now() - start;
}

describe('a list that can be waited for (Prefer: wait)', () => {
  const createLive = (options: Partial<VerifierOptions> = {}) => create({ clock: Date.now, ...options });
  const untilOpen = async (list: WaitableList) => {
    for (let round = 0; round < 200 && list.open === 0; round += 1) await sleep(10);
  };

  it('brings a revocation at once, one after another, by one open request', async () => {
    const list = new WaitableList();
    const api = createLive();
    const tokens = await Promise.all([1, 2, 3].map((idx) => tokenAt(idx)));
    for (const token of tokens) expect(await ask(api, token)).toBe(200);
    const times: number[] = [];
    for (const [index, token] of tokens.entries()) {
      await untilOpen(list);
      list.change(...[1, 2, 3].slice(0, index + 1));
      times.push(await measureRefusal(api, token));
    }
    expect(Math.max(...times)).toBeLessThan(200);
    expect(list.mostOpen).toBe(1);
    expect(new Set(list.preferences)).toEqual(new Set([undefined, 'wait=25']));
  });

  it('is waited for again when the time was over without a change', async () => {
    const list = new WaitableList();
    const api = createLive();
    const token = await tokenAt(1);
    expect(await ask(api, token)).toBe(200);
    await untilOpen(list);
    list.answerAll();
    await untilOpen(list);
    list.change(1);
    expect(await measureRefusal(api, token)).toBeLessThan(200);
  });

  it('is asked for as before at a server that does not say Preference-Applied, no sooner than after its ttl', async () => {
    const list = new WaitableList(false);
    const api = createLive();
    const token = await tokenAt(1);
    expect(await ask(api, token)).toBe(200);
    const early = list.preferences.length;
    await sleep(5_300);
    expect(await ask(api, token)).toBe(200);
    expect(list.preferences.length - early).toBeGreaterThanOrEqual(4);
    expect(list.preferences.length - early).toBeLessThanOrEqual(6);
    list.change(1);
    expect(await measureRefusal(api, token)).toBeLessThan(1_500);
  });

  it('is waited for no longer once it was not used for a minute, and its request ends with the API', async () => {
    let at = Date.now();
    const list = new WaitableList();
    const api = createLive({ clock: () => at });
    expect(await ask(api, await tokenAt(1))).toBe(200);
    await untilOpen(list);
    at += 61_000;
    list.answerAll();
    await sleep(300);
    expect(list.open).toBe(0);
    expect(await ask(api, await tokenAt(1))).toBe(200);
    await untilOpen(list);
    expect(list.open).toBe(1);
    api.close();
    for (let round = 0; round < 100 && list.open > 0; round += 1) await sleep(10);
    expect(list.open).toBe(0);
  });

  it('is asked for as before at a server that names no ETag, or does not answer', async () => {
    const preferences: (string | undefined)[] = [];
    let etag: string | undefined;
    let isAway = false;
    answer(async (request, response) => {
      preferences.push(request.headers.prefer as string | undefined);
      if (isAway) response.writeHead(500).end();
      else response.writeHead(200, { ...(etag && { etag }) }).end(await issuer.list(uri, [1]));
    });
    const api = createLive();
    expect(await ask(api, await tokenAt(2))).toBe(200);
    const untilAsked = async (times: number) => {
      for (let round = 0; round < 500 && preferences.length < times; round += 1) await sleep(20);
      expect(preferences.length).toBeGreaterThanOrEqual(times);
    };
    await untilAsked(3);
    expect(preferences).toEqual(preferences.map(() => undefined));
    etag = '"a"';
    await untilAsked(preferences.length + 1);
    isAway = true;
    const before = preferences.length;
    await untilAsked(before + 3);
    // The first one did not know of it yet.
    const later = preferences.slice(before + 1);
    expect(later).toEqual(later.map(() => undefined));
  });

  it('is waited for half as long as a list may be old', async () => {
    const list = new WaitableList();
    expect(await ask(createLive({ statusListMaxAge: 20 }), await tokenAt(1))).toBe(200);
    await untilOpen(list);
    expect(list.preferences).toEqual([undefined, 'wait=10']);
  });
});
