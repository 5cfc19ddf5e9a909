import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@gatehouse/service-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { buildStatusClaim, listExpiresAt, listIdOf } from '../../src/protocol/token-status.ts';
import {
  createStatusAllocation,
  type StatusAllocation,
  type StatusOwner,
} from '../../src/status-lists/allocate-status.ts';
import { buildEntityTag } from '../../src/status-lists/entity-tag.ts';
import type { NewStatusBlock } from '../../src/status-lists/status-block-store.ts';
import { createStatusLists, type StatusLists } from '../../src/status-lists/status-lists.ts';
import type { StatusStore } from '../../src/status-lists/status-store.ts';
import { buildClient, start } from '../support/builders.ts';
import { readClaims } from '../support/realm.ts';
import { createEnding, issuer, readBits, type StatusListClaims } from '../support/status.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const seconds = start / 1000;

/** A store that counts what it is asked, and answers only once `release` was called. */
function watch(statuses: StatusStore) {
  const reservations: NewStatusBlock[] = [];
  let readings = 0;
  const watched: StatusStore = {
    ...statuses,
    reserve(block) {
      reservations.push(block);
      return statuses.reserve(block);
    },
    read(listId) {
      readings += 1;
      return statuses.read(listId);
    },
  };
  return { watched, reservations, readings: () => readings };
}

describe('token status (Token Status List)', () => {
  it('stands in the list of the hour in which the token expires', () => {
    expect(listIdOf(0)).toBe(0);
    expect(listIdOf(3_599)).toBe(0);
    expect(listIdOf(3_600)).toBe(1);
  });

  it('outlives every token of its list by an hour', () => {
    const exp = 500_000 * 3_600 + 3_599;
    expect(listExpiresAt(listIdOf(exp))).toBe(500_002 * 3_600 * 1_000);
    expect(listExpiresAt(listIdOf(exp)) - exp * 1_000).toBeGreaterThanOrEqual(3_600_000);
  });

  it('is named by list and index in a claim', () => {
    expect(buildStatusClaim(issuer, { listId: 5, index: 9 })).toEqual({
      status_list: { idx: 9, uri: `${issuer}/oauth/status-lists/5` },
    });
  });
});

describe('allocating a status', () => {
  let test: TestStores;
  let now: number;
  const clock = () => now;
  beforeAll(async () => {
    test = await openStores('sqlite');
    now = start;
  });
  afterAll(() => test.close());

  /** Every client that asks is registered, unless a test says otherwise. */
  const registered = new Map<string, StatusOwner>();
  const findOwner = async (clientId: string) => registered.get(clientId);
  const create = (statuses: StatusStore, noteUse = async () => true) => {
    const { statusLists } = createEnding({ ...test, statuses }, { clock });
    return createStatusAllocation({ statuses, findOwner, noteUse, statusLists, clock }).allocateStatus;
  };
  const allocateFrom = (statuses: StatusStore): StatusAllocation['allocateStatus'] => {
    const allocate = create(statuses);
    return (client) => {
      registered.set(client.clientId, client);
      return allocate(client);
    };
  };
  const open = (stores = test) => {
    const { watched, reservations } = watch(stores.statuses);
    return { allocate: allocateFrom(watched), reservations };
  };

  it('takes indices from blocks that grow from 16 to 4096, so that most tokens cost no statement', async () => {
    const { allocate, reservations } = open();
    const client = buildClient();
    const indices = new Set<number>();
    for (let turn = 0; turn < 10_000; turn += 1) indices.add((await allocate(client)).index);
    expect(indices.size).toBe(10_000);
    // Nor is one left out, which would make the list longer than it need be.
    expect(Math.max(...indices) - Math.min(...indices)).toBe(9_999);
    expect(reservations.map(({ size }) => size)).toEqual([16, 64, 256, 1_024, 4_096, 4_096, 4_096]);
  });

  it('notes the use of a client that lapses with each block, of no other client, and gives nothing where it is gone', async () => {
    const noted: boolean[] = [];
    let isThere = true;
    const allocate = create(test.statuses, async () => {
      noted.push(isThere);
      return isThere;
    });
    const [lapsing, lasting] = [buildClient({ lapsesAt: start }), buildClient()];
    for (const client of [lapsing, lasting]) registered.set(client.clientId, client);
    for (let turn = 0; turn < 16; turn += 1) await Promise.all([allocate(lapsing), allocate(lasting)]);
    expect(noted).toEqual([true]);
    isThere = false;
    await expect(allocate(lapsing)).rejects.toMatchObject({ code: 'invalid_client' });
    await allocate(lasting);
    expect(noted).toEqual([true, false]);
  });

  it('makes one reservation for all who wait for it at the same moment, and gives no index twice', async () => {
    const { allocate, reservations } = open();
    const client = buildClient();
    const together = await Promise.all(Array.from({ length: 16 }, () => allocate(client)));
    expect(reservations).toHaveLength(1);
    // The next block is not large enough for all who come for it: they wait in turn, not in vain.
    const more = await Promise.all(Array.from({ length: 200 }, () => allocate(client)));
    expect(new Set([...together, ...more].map(({ index }) => index)).size).toBe(216);
    expect(reservations.map(({ size }) => size)).toEqual([16, 64, 256]);
  });

  it('reserves the next block of a busy client in time: the indices in hand outlast the statement', async () => {
    const { watched, reservations } = watch(test.statuses);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reserve: StatusStore['reserve'] = async (block) => {
      const isLast = reservations.length === 5;
      const first = await watched.reserve(block);
      if (isLast) await released;
      return first;
    };
    const allocate = allocateFrom({ ...watched, reserve });
    const client = buildClient();
    for (let turn = 0; turn < 16 + 64 + 256 + 1_024 + 4_096 - 1; turn += 1) await allocate(client);
    expect(reservations.map(({ size }) => size)).toEqual([16, 64, 256, 1_024, 4_096, 4_096]);
    const last = await allocate(client);
    const next = allocate(client);
    release();
    expect((await next).index).not.toBe(last.index);
    expect(reservations).toHaveLength(6);
  });

  it('shares no index between two replicas', async () => {
    const client = buildClient();
    const replicas = [open(), open({ ...test, ...test.onReplica })];
    const statuses = await Promise.all(Array.from({ length: 120 }, (_, turn) => replicas[turn % 2]?.allocate(client)));
    expect(new Set(statuses.map((status) => `${status?.listId} ${status?.index}`)).size).toBe(120);
  });

  it('gives each registration blocks of its own, also under the same client_id', async () => {
    const { allocate, reservations } = open();
    const [one, later] = [buildClient({ clientId: 'same' }), buildClient({ clientId: 'same' })];
    const [first, second] = [await allocate(one), await allocate(later)];
    expect(Math.abs(first.index - second.index)).toBeGreaterThanOrEqual(16);
    expect(reservations.map(({ registrationId }) => registrationId)).toEqual([
      one.registrationId,
      later.registrationId,
    ]);
  });

  it('goes to the list of the hour in which the token will expire', async () => {
    const { allocate, reservations } = open();
    const client = buildClient({ accessTokenValidity: 1_800 });
    const expected = listIdOf(seconds + 1_800);
    expect((await allocate(client)).listId).toBe(expected);
    now = (expected + 1) * 3_600_000 - 1_800_000;
    expect((await allocate(client)).listId).toBe(expected + 1);
    now -= 1;
    expect((await allocate(client)).listId).toBe(expected);
    now = start;
    expect(reservations).toHaveLength(2);
  });

  it('is tried again by the next token where a reservation failed', async () => {
    let failing = true;
    const statuses: StatusStore = {
      ...test.statuses,
      reserve: (block) => (failing ? Promise.reject(new Error('no database')) : test.statuses.reserve(block)),
    };
    const allocate = allocateFrom(statuses);
    const client = buildClient();
    const results = await Promise.allSettled([allocate(client), allocate(client)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = false;
    await expect(allocate(client)).resolves.toMatchObject({ listId: listIdOf(seconds + 1_800) });
  });

  it('is refused to a client that was deleted, or registered again, while another replica still remembered it', async () => {
    const allocate = create(test.statuses);
    const client = buildClient({ clientId: 'deleted' });
    await expect(allocate(client)).rejects.toMatchObject({ code: 'invalid_client' });
    registered.set('deleted', buildClient({ clientId: 'deleted', registrationId: createId() }));
    await expect(allocate(client)).rejects.toMatchObject({ code: 'invalid_client' });
    registered.set('deleted', client);
    await expect(allocate(client)).resolves.toMatchObject({ index: expect.any(Number) });
  });

  it('is refused for a moment where another replica ended the tokens of the client as it was remembered', async () => {
    const allocate = create(test.statuses);
    const client = buildClient();
    registered.set(client.clientId, { ...client, tokenGeneration: 1 });
    const refusal = { code: 'temporarily_unavailable', status: 503, retryAfter: 1 };
    await expect(allocate(client)).rejects.toMatchObject(refusal);
    await expect(allocate({ ...client, tokenGeneration: 1 })).resolves.toMatchObject({ index: expect.any(Number) });
  });

  it('comes from another block for each generation of a client', async () => {
    const { allocate, reservations } = open();
    const client = buildClient();
    const first = await allocate(client);
    const second = await allocate({ ...client, tokenGeneration: 1 });
    expect(Math.abs(first.index - second.index)).toBeGreaterThanOrEqual(16);
    expect(reservations.map(({ generation }) => generation)).toEqual([0, 1]);
  });

  it('ends the generations before, in case the process that began with it was killed', async () => {
    const { allocate } = open();
    const client = buildClient();
    const { listId, index } = await allocate(client);
    await allocate({ ...client, tokenGeneration: 1 });
    expect((await test.statuses.read(listId)).revoked).toContainEqual({ first: index, size: 16 });
  });

  it('ends the generations before with the first block of one alone, and none before the first', async () => {
    const ended: unknown[] = [];
    const statusLists = { revokeRegistration: async (...registration: unknown[]) => void ended.push(registration) };
    const { statuses } = test;
    const noteUse = async () => true;
    const allocate = createStatusAllocation({ statuses, findOwner, noteUse, statusLists, clock }).allocateStatus;
    for (const owner of [buildClient(), buildClient({ tokenGeneration: 2 })]) {
      registered.set(owner.clientId, owner);
      for (let turn = 0; turn < 17; turn += 1) await allocate(owner);
      expect(ended).toEqual(owner.tokenGeneration === 0 ? [] : [[owner.registrationId, 2]]);
    }
  });
});

describe('status lists', () => {
  let test: TestStores;
  let now = start;
  const clock = () => now;
  let ending: ReturnType<typeof createEnding>;
  let lists: StatusLists;
  let lastList = listIdOf(seconds);
  beforeAll(async () => {
    test = await openStores('sqlite');
    ending = createEnding(test, { clock });
    await ending.signingKeys.load();
    lists = ending.statusLists;
  });
  afterAll(() => test.close());

  const nextList = async (size = 16, registrationId = createId(), generation = 0) => {
    lastList += 1;
    await test.statuses.reserve({
      listId: lastList,
      registrationId,
      generation,
      size,
      expiresAt: listExpiresAt(lastList),
    });
    return { listId: lastList, registrationId };
  };
  const openOver = (statuses: StatusStore, observeBuild?: (seconds: number) => void) =>
    createStatusLists({ ...test, statuses, signingKeys: ending.signingKeys, issuer, clock, observeBuild });
  /** A store that does something else after it has read how far lists have come. */
  const interrupt = (statuses: StatusStore) => {
    const interruption = { meanwhile: async () => {} };
    const interrupted: StatusStore = {
      ...statuses,
      async readExtents(listIds) {
        const extents = await statuses.readExtents(listIds);
        await interruption.meanwhile();
        return extents;
      },
    };
    return { interrupted, interruption };
  };
  /** Stops the time by which lists count as new; gives what lets milliseconds pass. */
  const stopTime = () => {
    // Whole milliseconds: their differences are exact.
    let at = Math.ceil(performance.now());
    jest.spyOn(performance, 'now').mockImplementation(() => at);
    return async (milliseconds: number) => {
      at += milliseconds;
      // Who keeps lists looks at the time once in a millisecond.
      await sleep(2);
    };
  };
  afterEach(() => void jest.restoreAllMocks());

  it('are JWTs of type statuslist+jwt, signed ES256, that say what they are and how long they hold', async () => {
    const { listId } = await nextList();
    const list = (await lists.find(listId)) ?? '';
    expect(decodeProtectedHeader(list)).toMatchObject({ alg: 'ES256', typ: 'statuslist+jwt' });
    await expect(
      jwtVerify(list, ending.signingKeys.getKey, { issuer, currentDate: new Date(start) }),
    ).resolves.toBeDefined();
    expect(readClaims<StatusListClaims>(list)).toEqual({
      iss: issuer,
      sub: `${issuer}/oauth/status-lists/${listId}`,
      iat: seconds,
      exp: seconds + 43_200,
      ttl: 1,
      status_list: { bits: 1, lst: expect.stringMatching(/^[\w-]+$/) },
    });
  });

  it('have one entity tag on every replica, until they say something else or are signed again', async () => {
    const { listId } = await nextList();
    const replica = (offset = 0) =>
      createStatusLists({ ...test, signingKeys: ending.signingKeys, issuer, clock: () => clock() + offset });
    const tag = async (statusLists: StatusLists) => buildEntityTag((await statusLists.find(listId)) ?? '');
    const first = await tag(lists);
    expect(first).toMatch(/^W\/"[\w-]+"$/);
    expect(await tag(replica())).toBe(first);
    expect(await tag(replica(3_599_000))).toBe(first);
    expect(await tag(replica(3_600_000))).not.toBe(first);
    await lists.revoke([{ listId, index: 3 }]);
    expect(await tag(replica())).not.toBe(first);
  });

  it('are longer than what was reserved, so that tokens issued meanwhile are in them, and hold nothing revoked', async () => {
    for (const [size, length] of [
      [1, 131_072],
      [4_097, 131_072],
      [131_072, 262_144],
    ] as const) {
      const { listId } = await nextList(size);
      expect(readBits(await lists.find(listId))).toEqual({ length, revoked: [] });
    }
  });

  it('are built once more only when they changed, however often it is asked whether they did', async () => {
    let builds = 0;
    const counted = openOver({
      ...test.statuses,
      read(listId) {
        builds += 1;
        return test.statuses.read(listId);
      },
    });
    const { listId } = await nextList();
    const refresh = async () => (await counted.refresh(new Set([listId]))).get(listId);
    const first = await refresh();
    // A list counts as new for half a second.
    await sleep(600);
    expect(await refresh()).toBe(first);
    expect([await counted.find(listId), builds]).toEqual([first, 1]);
    await lists.revoke([{ listId, index: 3 }]);
    expect(await refresh()).not.toBe(first);
    expect(builds).toBe(2);
  });

  it('are the very same text while they say the same in an hour, however often they are built', async () => {
    const { listId } = await nextList();
    const build = async () => {
      // What is revoked here is built again.
      await lists.revoke([{ listId, index: 3 }]);
      return lists.find(listId);
    };
    const first = await build();
    expect(await build()).toBe(first);
    try {
      now += 3_600_000;
      expect(await build()).not.toBe(first);
    } finally {
      now = start;
    }
  });

  it('are signed again in another hour, also for those who ask whether they changed', async () => {
    const { listId } = await nextList();
    const refresh = async () => (await lists.refresh(new Set([listId]))).get(listId);
    const first = await refresh();
    try {
      now += 3_600_000;
      expect(await refresh()).not.toBe(first);
    } finally {
      now = start;
    }
  });

  it('show what was revoked while it was asked whether they changed', async () => {
    const { listId } = await nextList();
    const { interrupted, interruption } = interrupt(test.statuses);
    const changing = openOver(interrupted);
    await changing.refresh(new Set([listId]));
    interruption.meanwhile = () => changing.revoke([{ listId, index: 3 }]);
    await changing.refresh(new Set([listId]));
    expect(readBits(await changing.find(listId)).revoked).toEqual([3]);
  });

  it('stay as they were built while it was asked whether they changed', async () => {
    const pass = stopTime();
    const { listId } = await nextList();
    const { interrupted, interruption } = interrupt(test.statuses);
    const watching = openOver(interrupted);
    await watching.refresh(new Set([listId]));
    interruption.meanwhile = async () => {
      await lists.revoke([{ listId, index: 3 }]);
      await pass(600);
      await watching.find(listId);
    };
    await watching.refresh(new Set([listId]));
    expect(readBits(await watching.find(listId)).revoked).toEqual([3]);
  });

  it('are not built again for half a second after they were found unchanged', async () => {
    const pass = stopTime();
    const { listId } = await nextList();
    const { watched, readings } = watch(test.statuses);
    const watching = openOver(watched);
    for (let round = 0; round < 3; round += 1) {
      await watching.refresh(new Set([listId]));
      await pass(350);
      await watching.find(listId);
    }
    expect(readings()).toBe(1);
  });

  it('tell in seconds how long each was built', async () => {
    const pass = stopTime();
    const { listId } = await nextList();
    const observed: number[] = [];
    const slow: StatusStore = {
      ...test.statuses,
      async read(id) {
        await pass(250);
        return test.statuses.read(id);
      },
    };
    await openOver(slow, (took) => observed.push(took)).find(listId);
    expect(observed).toEqual([0.25]);
  });

  it('are there for the hour before and the day after, in which tokens can be in force, and not beyond', async () => {
    const [first, last] = [listIdOf(seconds) - 2, listIdOf(seconds + 86_400) + 1];
    const isThere = async (listId: number) => {
      const reserved = { registrationId: createId(), generation: 0, size: 16, expiresAt: start + 200_000_000 };
      await test.statuses.reserve({ listId, ...reserved });
      const refreshed = await lists.refresh(new Set([listId]));
      return [(await lists.find(listId)) !== undefined, refreshed.has(listId)];
    };
    for (const listId of [first, last]) expect(await isThere(listId)).toEqual([true, true]);
    for (const listId of [first - 1, last + 1]) expect(await isThere(listId)).toEqual([false, false]);
  });

  it('are none where nothing was reserved', async () => {
    for (const listId of [1, listIdOf(seconds) - 1]) expect(await lists.find(listId)).toBeUndefined();
  });

  it('show each index that was revoked, at once, and no other', async () => {
    const { listId } = await nextList(64);
    expect(readBits(await lists.find(listId)).revoked).toEqual([]);
    const revoked = [0, 7, 8, 15, 31, 63];
    for (const index of revoked) {
      await lists.revoke([{ listId, index }]);
      expect(readBits(await lists.find(listId)).revoked).toContain(index);
    }
    expect(readBits(await lists.find(listId)).revoked).toEqual(revoked);
  });

  it('show ranges, also ones that overlap or reach beyond the end', async () => {
    const { listId } = await nextList(32);
    const expiresAt = listExpiresAt(listId);
    for (const [first, size] of [
      [3, 6],
      [5, 10],
      [30, 100],
    ] as const)
      await test.statuses.revoke({ listId, first, size, expiresAt });
    const expected = [...Array.from({ length: 12 }, (_, at) => at + 3), 30, 31];
    expect(readBits(await lists.find(listId))).toEqual({ length: 131_072, revoked: expected });
  });

  it('show every status of a registration that was deleted, in every list, and of no other', async () => {
    const { listId, registrationId } = await nextList();
    const other = createId();
    for (const owner of [other, registrationId])
      await test.statuses.reserve({
        ...{ listId, size: 16, generation: 0 },
        registrationId: owner,
        expiresAt: listExpiresAt(listId),
      });
    const { listId: second } = await nextList(16, registrationId);
    await lists.revokeRegistration(registrationId);
    const ofFirst = readBits(await lists.find(listId)).revoked;
    expect(ofFirst).toEqual(Array.from({ length: 48 }, (_, at) => at).filter((at) => at < 16 || at >= 32));
    expect(readBits(await lists.find(second)).revoked).toHaveLength(16);
  });

  it('show every status of the generations of a registration that were ended, and none of a later one', async () => {
    const registrationId = createId();
    const before = [await nextList(16, registrationId, 0), await nextList(16, registrationId, 1)];
    const { listId: current } = await nextList(16, registrationId, 2);
    await lists.revokeRegistration(registrationId, 2);
    for (const { listId } of before) expect(readBits(await lists.find(listId)).revoked).toHaveLength(16);
    expect(readBits(await lists.find(current)).revoked).toEqual([]);
  });

  it('show at once the tokens that were exchanged from those of a registration that was deleted', async () => {
    const { listId, registrationId } = await nextList();
    const { listId: ofExchanged } = await nextList();
    const status = { listId: ofExchanged, index: 5 };
    const from = { grantId: createId(), subject: { listId, index: 2 }, registrationId, generation: 0 };
    await test.grantStatuses.insert([{ status, ...from }]);
    expect(readBits(await lists.find(ofExchanged)).revoked).toEqual([]);
    await lists.revokeRegistration(registrationId);
    expect(readBits(await lists.find(ofExchanged)).revoked).toEqual([5]);
  });

  it('are not written to once nobody can ask for them', async () => {
    const { listId } = await nextList();
    now = listExpiresAt(listId);
    await lists.revoke([{ listId, index: 1 }]);
    now = listExpiresAt(listId) - 1;
    await lists.revoke([{ listId, index: 2 }]);
    now = start;
    expect((await test.statuses.read(listId)).revoked).toEqual([{ first: 2, size: 1 }]);
  });

  it('are built once for all who ask within half a second, and again afterwards', async () => {
    const { listId } = await nextList();
    const { watched, readings } = watch(test.statuses);
    const watching = openOver(watched);
    const asked = await Promise.all(Array.from({ length: 20 }, () => watching.find(listId)));
    expect(new Set(asked).size).toBe(1);
    expect(readings()).toBe(1);
    // Another replica revokes; what was built here is handed out for at most half a second more.
    await lists.revoke([{ listId, index: 4 }]);
    const deadline = performance.now() + 1_000;
    while (performance.now() < deadline && readBits(await watching.find(listId)).revoked.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(readBits(await watching.find(listId)).revoked).toEqual([4]);
    expect(readings()).toBe(2);
  });

  it('are tried again by the next who asks where the database failed', async () => {
    const { listId } = await nextList();
    let failing = true;
    const flaky = openOver({
      ...test.statuses,
      read: (id) => (failing ? Promise.reject(new Error('no database')) : test.statuses.read(id)),
    });
    await expect(flaky.find(listId)).rejects.toThrow('no database');
    failing = false;
    expect(readBits(await flaky.find(listId)).length).toBe(131_072);
  });
});
