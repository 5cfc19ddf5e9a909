import { DatabaseUnavailableError } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFirstLapse, createNoteUse } from '../../src/clients/client-lapse.ts';
import { createPurgeLapsedClients, startPurgingLapsedClients } from '../../src/registration/purge-lapsed-clients.ts';
import { buildClient, start } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe.each(testDialects)('the lapse of a client that registered itself, on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const insert = async (lapsesAt: number) => {
    const client = { ...buildClient(), lapsesAt };
    expect(await test.clients.insert(client)).toBe(true);
    return client;
  };
  const lapseOf = async ({ clientId }: { clientId: string }) => (await test.clients.find(clientId))?.lapsesAt;
  const noteUse = (refreshTokenIdleDays = 30) =>
    createNoteUse({ lapsing: test.lapsing, refreshTokenIdleDays, clock: () => start });

  it('is a day after its registration', () => {
    expect(chooseFirstLapse(start)).toBe(start + day);
  });

  it('is put off by a use to 30 days and two hours', async () => {
    const client = await insert(start + day);
    expect(await noteUse()(client)).toBe(true);
    expect(await lapseOf(client)).toBe(start + 30 * day + 2 * hour);
  });

  it.each([
    [90, 90],
    [7, 30],
  ])('is put off where refresh tokens live for %i days without a use: to %i days and two hours', async (idle, days) => {
    const client = await insert(start + day);
    expect(await noteUse(idle)(client)).toBe(true);
    expect(await lapseOf(client)).toBe(start + days * day + 2 * hour);
  });

  it('is not put off where a use of the last hour did so', async () => {
    const [recent, due] = [await insert(start + 30 * day + hour + 1), await insert(start + 30 * day + hour)];
    expect([await noteUse()(recent), await noteUse()(due)]).toEqual([true, true]);
    expect(await lapseOf(recent)).toBe(start + 30 * day + hour + 1);
    expect(await lapseOf(due)).toBe(start + 30 * day + 2 * hour);
  });

  it('ends a client that nobody used: its tokens are revoked and its deletion is recorded, by the one who deleted it', async () => {
    const [mine, ofAnother, later] = [await insert(start - 1), await insert(start), await insert(start + 1)];
    const revoked: string[] = [];
    const recorded: unknown[] = [];
    const purge = createPurgeLapsedClients({
      lapsing: {
        list: test.lapsing.list,
        delete: async (client, now) =>
          client.clientId !== ofAnother.clientId && (await test.lapsing.delete(client, now)),
      },
      statusLists: { revokeRegistration: async (registration) => void revoked.push(registration) },
      record: async (event) => void recorded.push(event),
      clock: () => start,
    });
    expect(await purge()).toBe(2);
    expect([await lapseOf(mine), await lapseOf(later)]).toEqual([undefined, start + 1]);
    expect(revoked).toEqual([mine.registrationId]);
    const { clientId, registrationId } = mine;
    const client = { clientId, registrationId };
    expect(recorded).toEqual([{ type: 'client.deleted', by: 'nobody', client, details: {}, context: undefined }]);
  });

  it('is not put off for a client that is gone', async () => {
    expect(await noteUse()({ ...buildClient(), lapsesAt: start })).toBe(false);
  });
});

describe('the purge of clients that nobody uses', () => {
  let tick: () => void;
  let interval: number;
  let warnings: unknown[];
  let stopped: boolean;
  const repeat = (work: () => void, every: number) => {
    [tick, interval] = [work, every];
    return () => {
      stopped = true;
    };
  };
  const log = { warn: (...warning: unknown[]) => void warnings.push(warning) };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  beforeEach(() => {
    warnings = [];
    stopped = false;
  });
  const startPurging = (purge: () => Promise<number>) =>
    startPurgingLapsedClients(purge, {
      repeat,
      log: log as unknown as Parameters<typeof startPurgingLapsedClients>[1]['log'],
    });

  it('runs each minute, batch by batch, until a batch is not full, and stops where it is told to', async () => {
    const found = [100, 100, 99, 100, 0];
    const stop = startPurging(async () => found.shift() ?? 0);
    expect(interval).toBe(60_000);
    tick();
    await turn();
    expect(found).toEqual([100, 0]);
    tick();
    await turn();
    expect(found).toEqual([]);
    stop();
    expect(stopped).toBe(true);
  });

  it('runs once at a time', async () => {
    let runs = 0;
    let finish: (found: number) => void = () => {};
    startPurging(() => {
      runs += 1;
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    tick();
    tick();
    expect(runs).toBe(1);
    finish(0);
    await turn();
    tick();
    expect(runs).toBe(2);
  });

  it('goes on after a failure, which is logged unless the database is away', async () => {
    const failures: Error[] = [new Error('a fault'), new DatabaseUnavailableError('away')];
    let runs = 0;
    startPurging(async () => {
      runs += 1;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return 0;
    });
    for (let times = 0; times < 3; times += 1) {
      tick();
      await turn();
    }
    expect(runs).toBe(3);
    expect(warnings).toEqual([[{ err: new Error('a fault') }, 'purge of unused clients failed']]);
  });
});
