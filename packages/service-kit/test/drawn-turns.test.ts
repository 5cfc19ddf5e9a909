import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDrawnTurns } from '../src/guess-limit/drawn-turns.ts';
import { createUsedIdentifiers } from '../src/used-identifiers/used-identifiers.ts';
import { openTestDatabase } from './support/test-service.ts';

const start = 1_700_000_000_000;

describe.each(testDialects)('the turns of a name that many networks guess at, on %s', (dialect) => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let now = start;
  let names = 0;
  let subject: string;
  beforeAll(async () => {
    test = await openTestDatabase(dialect);
  });
  afterAll(() => test.close());
  beforeEach(() => {
    now += 60_000;
    names += 1;
    subject = `user${names}@example.com`;
  });

  /** A replica whose spans end when the test says so. Its draws take the first of those that are left. */
  const createReplica = () => {
    const waits: { milliseconds: number; end(): void }[] = [];
    const turns = createDrawnTurns({
      turns: createUsedIdentifiers(test.database),
      clock: () => now,
      wait: (milliseconds) => new Promise<void>((end) => waits.push({ milliseconds, end })),
      draw: () => 0,
    });
    return { turns, waits };
  };
  type Replica = ReturnType<typeof createReplica>;
  /** Guesses from these networks at this moment; gives those that are checked, once all spans have ended. */
  const guess = async (replicas: readonly Replica[], networks: readonly string[]): Promise<string[]> => {
    const tries = networks.map((network, i) => (replicas[i % replicas.length] as Replica).turns.take(subject, network));
    for (const { waits } of replicas) for (const { end } of waits.splice(0)) end();
    const results = await Promise.allSettled(tries);
    return networks.filter((_network, i) => results[i]?.status === 'fulfilled');
  };

  it('are drawn among the guesses of a span, at its end', async () => {
    const replica = createReplica();
    now += 1_200;
    const first = replica.turns.take(subject, 'a');
    const second = replica.turns.take(subject, 'b');
    expect(replica.waits).toMatchObject([{ milliseconds: 5_000 - (now % 5_000) }]);
    replica.waits[0]?.end();
    await expect(second).rejects.toMatchObject({ status: 503, retryAfter: 1 });
    await expect(first).resolves.toBeUndefined();
  });

  it('go to one guess at all replicas together', async () => {
    const replicas = [createReplica(), createReplica()];
    for (let i = 0; i < 3; i += 1) {
      expect(
        await guess(
          replicas,
          ['a', 'b', 'c', 'd'].map((name) => name + i),
        ),
      ).toHaveLength(1);
      now += 5_000;
    }
  });

  it('go to a network that had one within the hour where no other waits', async () => {
    const replica = createReplica();
    expect(await guess([replica], ['attacker', 'other'])).toEqual(['attacker']);
    now += 5_000;
    expect(await guess([replica], ['attacker', 'user'])).toEqual(['user']);
    now += 5_000;
    expect(await guess([replica], ['attacker', 'user'])).toEqual(['attacker']);
  });

  it('have one place for each network, and 64 for each name', async () => {
    const replica = createReplica();
    const inTime = Array.from({ length: 64 }, (_, i) => replica.turns.take(subject, `network ${i}`));
    const retryAfter = Math.ceil((5_000 - (now % 5_000)) / 1000);
    for (const network of ['network 0', 'network 64']) {
      await expect(replica.turns.take(subject, network)).rejects.toMatchObject({ status: 503, retryAfter });
    }
    replica.waits[0]?.end();
    const results = await Promise.allSettled(inTime);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('let a thousand guesses wait in a process, and others again after them', async () => {
    const replica = createReplica();
    const all = Array.from({ length: 1_000 }, (_, i) => replica.turns.take(`${subject} ${i % 40}`, `network ${i}`));
    await expect(replica.turns.take(subject, 'a')).rejects.toMatchObject({ status: 503 });
    for (const { end } of replica.waits.splice(0)) end();
    await Promise.allSettled(all);
    expect(await guess([replica], ['a'])).toEqual(['a']);
  });

  it('tell all who wait where the database does not answer', async () => {
    const replica = createDrawnTurns({
      turns: { use: () => Promise.reject(new Error('away')) },
      clock: () => now,
      wait: async () => {},
    });
    const tries = ['a', 'b'].map((network) => replica.take(subject, network));
    for (const one of await Promise.allSettled(tries)) expect(one).toMatchObject({ reason: { message: 'away' } });
  });
});
