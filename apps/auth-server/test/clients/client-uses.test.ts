import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { GoodSecret } from '../../src/clients/client-secret.ts';
import type { ClientUse } from '../../src/clients/client-use.ts';
import type { ClientUseStore } from '../../src/clients/client-use-store.ts';
import { type ClientUses, createClientUses } from '../../src/clients/client-uses.ts';
import { buildClient, start } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const hour = 3_600_000;

describe('the uses that a process notes', () => {
  let now = start;
  let written: ClientUse[][] = [];
  let fails = false;
  let tick: () => Promise<void>;
  let uses: ClientUses;
  let warnings: number[] = [];
  beforeEach(() => {
    now = start;
    written = [];
    fails = false;
    warnings = [];
    uses = createClientUses({
      store: {
        async put(list) {
          if (fails) throw new Error('no database');
          written.push([...list]);
        },
      },
      clock: () => now,
      repeat: (work) => {
        tick = async () => {
          work();
          await new Promise((resolve) => setImmediate(resolve));
        };
        return () => {};
      },
      log: { warn: () => void warnings.push(1) },
    });
  });

  const client = (registrationId = createId()) => ({ registrationId });
  const secret = (kind: GoodSecret['kind'], hash: string): GoodSecret => ({ kind, hash, digest: undefined });

  it('are gathered, and written by one statement for many clients', async () => {
    const clients = Array.from({ length: 40 }, () => client());
    for (const one of [...clients, ...clients]) uses.noteToken(one);
    expect(written).toEqual([]);
    await tick();
    expect(written).toEqual([clients.map(({ registrationId }) => ({ registrationId, kind: 'token', usedAt: start }))]);
    await tick();
    expect(written).toHaveLength(1);
  });

  it('are noted once an hour for each kind, and for each secret', async () => {
    const one = client();
    const noteAll = async () => {
      uses.noteToken(one);
      uses.noteSecret(one, secret('secret', 'hash'));
      uses.noteSecret(one, secret('previous_secret', 'former hash'));
      await tick();
    };
    await noteAll();
    now += hour - 1;
    await noteAll();
    expect(written.map((list) => list.map(({ kind }) => kind))).toEqual([['token', 'secret', 'previous_secret']]);
    uses.noteSecret(one, secret('secret', 'new hash'));
    await tick();
    expect(written[1]).toEqual([{ ...one, kind: 'secret', usedAt: start + hour - 1 }]);
    now += 1;
    await noteAll();
    expect(written[2]?.map(({ kind, usedAt }) => [kind, usedAt - start])).toEqual([
      ['token', hour],
      ['secret', hour],
      ['previous_secret', hour],
    ]);
  });

  it('wait where they cannot be written, and go with the next', async () => {
    const [one, another] = [client(), client()];
    fails = true;
    uses.noteToken(one);
    await tick();
    uses.noteToken(another);
    fails = false;
    await tick();
    expect([written.flat().map(({ registrationId }) => registrationId), warnings.length]).toEqual([
      [one.registrationId, another.registrationId],
      1,
    ]);
  });

  it('are bounded while nothing can be written', async () => {
    for (let turn = 0; turn < 100_050; turn += 1) uses.noteToken(client(`client ${turn}`));
    await uses.close();
    expect([written.flat().length, Math.max(...written.map((list) => list.length))]).toEqual([100_000, 1_000]);
  });

  it('are written at the end of the process', async () => {
    uses.noteToken(client());
    await uses.close();
    expect(written.flat()).toHaveLength(1);
  });
});

describe.each(testDialects)('the store of uses on %s', (dialect) => {
  let test: TestStores;
  let store: ClientUseStore;
  let replica: ClientUseStore;
  beforeAll(async () => {
    test = await openStores(dialect);
    store = test.clientUses;
    replica = test.onReplica.clientUses;
  });
  afterAll(() => test.close());

  const insert = async () => {
    const client = buildClient();
    await test.clients.insert(client);
    return client;
  };
  const find = async (id: string) => (await replica.findAll([id])).get(id);

  it('keeps the latest of each kind, whoever writes last', async () => {
    const { registrationId } = await insert();
    const times = Array.from({ length: 40 }, (_, turn) => start + ((turn * 7) % 40));
    await Promise.all(
      times.map((usedAt, turn) => (turn % 2 === 0 ? store : replica).put([{ registrationId, kind: 'token', usedAt }])),
    );
    await store.put([{ registrationId, kind: 'secret', usedAt: start }]);
    expect(await find(registrationId)).toEqual({ token: start + 39, secret: start });
    expect(await find(createId())).toBeUndefined();
    expect((await store.findAll([])).size).toBe(0);
  });

  it('keeps nothing of a client that is gone, also where its use comes late', async () => {
    const [gone, there] = [await insert(), await insert()];
    const use = ({ registrationId }: { registrationId: string }, usedAt = start): ClientUse => ({
      ...{ registrationId, usedAt },
      kind: 'token',
    });
    await store.put([use(gone), use(there)]);
    expect(await test.clients.delete(gone)).toBe(true);
    expect(await find(gone.registrationId)).toBeUndefined();
    await replica.put([use(gone, start + 1), use(there, start + 1)]);
    expect(await find(gone.registrationId)).toBeUndefined();
    expect(await find(there.registrationId)).toEqual({ token: start + 1 });
  });

  it('passes on the uses of a secret that was replaced, and no older ones', async () => {
    const { registrationId } = await insert();
    await store.put([
      { registrationId, kind: 'secret', usedAt: start + 5 },
      { registrationId, kind: 'previous_secret', usedAt: start + 9 },
    ]);
    await store.passOnSecret(registrationId, start);
    expect(await find(registrationId)).toEqual({ previous_secret: start + 5 });
    await store.put([{ registrationId, kind: 'secret', usedAt: start + 6 }]);
    await store.passOnSecret(registrationId, start + 7);
    expect(await find(registrationId)).toBeUndefined();
  });
});
