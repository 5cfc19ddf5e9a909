import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashName, hashPair } from '../src/guess-limit/guess-hashes.ts';
import { createKnownNetworks } from '../src/guess-limit/known-networks.ts';
import { openTestDatabase } from './support/test-service.ts';

const day = 86_400_000;

describe.each(testDialects)('known networks on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = 1_700_000_000_000;
  const createReplica = () => createKnownNetworks({ database: test.database, clock: () => now });
  let networks: ReturnType<typeof createReplica>;

  beforeAll(async () => {
    test = await openTestDatabase(dialect);
    networks = createReplica();
  });
  afterAll(() => test.close());

  const countRows = async () => (await test.database.query('SELECT pair_hash FROM known_networks')).length;

  it('are those from which this very name succeeded, at every replica', async () => {
    expect(await networks.isKnown('a@example.com', '192.0.2.1')).toBe(false);
    await networks.remember('a@example.com', '192.0.2.1');
    for (const replica of [networks, createReplica()]) {
      expect(await replica.isKnown('a@example.com', '192.0.2.1')).toBe(true);
      expect(await replica.isKnown('a@example.com', '192.0.2.2')).toBe(false);
      expect(await replica.isKnown('b@example.com', '192.0.2.1')).toBe(false);
    }
  });

  it('are known for 30 days after the last success, which is written down once a day', async () => {
    now += day - 1;
    const before = await test.database.query('SELECT expires_at FROM known_networks');
    await networks.remember('a@example.com', '192.0.2.1');
    expect(await test.database.query('SELECT expires_at FROM known_networks')).toEqual(before);
    now += 2;
    await createReplica().remember('a@example.com', '192.0.2.1');
    now += 30 * day - 1;
    expect(await createReplica().isKnown('a@example.com', '192.0.2.1')).toBe(true);
    now += 1;
    expect(await createReplica().isKnown('a@example.com', '192.0.2.1')).toBe(false);
    expect(await networks.isKnown('a@example.com', '192.0.2.1')).toBe(false);
  });

  it('are written down again a day after the last time, to the millisecond', async () => {
    const findExpiries = () => test.database.query('SELECT expires_at FROM known_networks WHERE expires_at > ?', [now]);
    await networks.remember('daily@example.com', '192.0.2.1');
    const before = await findExpiries();
    now += day;
    await networks.remember('daily@example.com', '192.0.2.1');
    expect(await findExpiries()).not.toEqual(before);
  });

  it('are not read again while they are remembered, once read or written', async () => {
    const { database } = test;
    let reads = 0;
    const query: typeof database.query = (...statement) => {
      reads += 1;
      return database.query(...statement);
    };
    const createWatched = () => createKnownNetworks({ database: { ...database, query }, clock: () => now });
    const writer = createWatched();
    await writer.remember('often@example.com', '192.0.2.1');
    reads = 0;
    expect(await writer.isKnown('often@example.com', '192.0.2.1')).toBe(true);
    expect(reads).toBe(0);
    const reader = createWatched();
    for (let i = 0; i < 3; i += 1) expect(await reader.isKnown('often@example.com', '192.0.2.1')).toBe(true);
    expect(reads).toBe(1);
  });

  it('are the newest 16 of each name', async () => {
    const before = await countRows();
    for (let i = 0; i < 20; i += 1) {
      now += 1_000;
      await networks.remember('many@example.com', `198.51.100.${i}`);
    }
    expect((await countRows()) - before).toBe(16);
    const replica = createReplica();
    const known = await Promise.all(
      Array.from({ length: 20 }, (_, i) => replica.isKnown('many@example.com', `198.51.100.${i}`)),
    );
    expect(known).toEqual([...Array(4).fill(false), ...Array(16).fill(true)]);
  });

  it('are familiar a day after the first success, to the millisecond, at every replica', async () => {
    const isFamiliar = (name = 'new@example.com', network = '192.0.2.1') =>
      Promise.all([networks, createReplica()].map((replica) => replica.isFamiliar(name, network)));
    expect(await isFamiliar()).toEqual([false, false]);
    await networks.remember('new@example.com', '192.0.2.1');
    expect(await isFamiliar()).toEqual([false, false]);
    now += day - 1;
    expect(await isFamiliar()).toEqual([false, false]);
    now += 1;
    expect(await isFamiliar()).toEqual([true, true]);
    expect(await isFamiliar('other@example.com')).toEqual([false, false]);
    expect(await isFamiliar('new@example.com', '192.0.2.2')).toEqual([false, false]);
  });

  it('stay familiar through later successes, and are new again once they are not known any more', async () => {
    await networks.remember('later@example.com', '192.0.2.1');
    now += 2 * day;
    await networks.remember('later@example.com', '192.0.2.1');
    await createReplica().remember('later@example.com', '192.0.2.1');
    expect(await networks.isFamiliar('later@example.com', '192.0.2.1')).toBe(true);
    now += 30 * day - 1;
    expect(await networks.isFamiliar('later@example.com', '192.0.2.1')).toBe(true);
    now += 1;
    expect(await networks.isFamiliar('later@example.com', '192.0.2.1')).toBe(false);
    await networks.remember('later@example.com', '192.0.2.1');
    expect(await networks.isFamiliar('later@example.com', '192.0.2.1')).toBe(false);
    now += day;
    expect(await networks.isFamiliar('later@example.com', '192.0.2.1')).toBe(true);
  });

  it('are familiar where the release before stored them, which did not say since when, and stay so', async () => {
    const [name, network] = ['upgraded@example.com', '192.0.2.1'];
    const row = [hashPair(name, network), hashName(name), now + 29 * day];
    await test.database.execute('INSERT INTO known_networks (pair_hash, name_hash, expires_at) VALUES (?, ?, ?)', row);
    expect(await networks.isFamiliar(name, network)).toBe(true);
    now += day + 1;
    await networks.remember(name, network);
    now += 29 * day;
    expect([await createReplica().isKnown(name, network), await networks.isFamiliar(name, network)]).toEqual([
      true,
      true,
    ]);
  });

  it('are known again where their row was gone meanwhile, at a replica that remembers it', async () => {
    await networks.remember('pushed@example.com', '192.0.2.1');
    now += day + 1;
    const replica = createReplica();
    expect(await replica.isKnown('pushed@example.com', '192.0.2.1')).toBe(true);
    await test.database.execute('DELETE FROM known_networks WHERE pair_hash = ?', [
      hashPair('pushed@example.com', '192.0.2.1'),
    ]);
    await replica.remember('pushed@example.com', '192.0.2.1');
    expect(await createReplica().isKnown('pushed@example.com', '192.0.2.1')).toBe(true);
    expect(await replica.isFamiliar('pushed@example.com', '192.0.2.1')).toBe(false);
  });

  it('are written once by many who succeed at the same moment', async () => {
    const before = await countRows();
    const replicas = [createReplica(), createReplica()];
    await Promise.all(Array.from({ length: 10 }, (_, i) => replicas[i % 2]?.remember('b@example.com', '192.0.2.9')));
    expect((await countRows()) - before).toBe(1);
  });
});
