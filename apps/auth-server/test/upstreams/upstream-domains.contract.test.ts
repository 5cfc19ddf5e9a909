import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTakeDomains } from '../../src/upstreams/take-domains.ts';
import { buildUpstream, start } from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('the domains of upstreams on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const unique = () => `d-${randomBytes(6).toString('hex')}.example.com`;
  const takenAt = start;

  it('are taken by exactly one of several upstreams at the same moment', async () => {
    const domain = unique();
    const stores = [test.upstreamDomains, test.onReplica.upstreamDomains];
    const take = (turn: number) => stores[turn % 2]?.take({ domain, upstreamId: createId(), takenAt }) ?? false;
    expect(await countWinners(async (turn) => take(turn))).toBe(1);
    expect(await test.onReplica.upstreamDomains.find([domain, unique()])).toMatchObject([{ domain, takenAt }]);
    expect(await test.upstreamDomains.find([])).toEqual([]);
  });

  it('are given back as they were seen: those that were taken once more stay', async () => {
    const [upstreamId, domain, other] = [createId(), unique(), unique()];
    const { upstreamDomains } = test;
    const seen = { domain, upstreamId, takenAt };
    await upstreamDomains.take(seen);
    await upstreamDomains.take({ domain: other, upstreamId, takenAt });
    await upstreamDomains.giveBack([
      { ...seen, takenAt: takenAt + 1 },
      { ...seen, upstreamId: createId() },
    ]);
    expect(await upstreamDomains.find([domain])).toEqual([seen]);
    await upstreamDomains.giveBack([seen]);
    expect(await upstreamDomains.find([domain, other])).toMatchObject([{ domain: other }]);
    await upstreamDomains.giveBackAllOf(upstreamId);
    expect(await upstreamDomains.find([domain, other])).toEqual([]);
  });

  it('stay with the upstream that shows them, however old, and leave with one that does not', async () => {
    let now = start;
    const take = createTakeDomains({ ...test, clock: () => now });
    const [shown, left] = [unique(), unique()];
    const upstream = buildUpstream({ domains: [shown] });
    expect((await take.take(upstream.id, [shown, left])).others).toEqual([]);
    await test.upstreams.insert(upstream);
    now += 599_999;
    const other = createId();
    const pending = { domain: left, alias: undefined };
    expect(await take.take(other, [left])).toEqual({ taken: [], others: [pending] });
    now += 1;
    const held = { domain: shown, alias: upstream.alias };
    expect((await take.take(other, [shown, left])).others).toEqual([held]);
    expect(await take.listOthers([shown, left])).toEqual([held]);
    // Of several that find it at the same moment one has it.
    const takers = [take, createTakeDomains({ ...test.onReplica, clock: () => now })];
    const tryTake = async (turn: number) => (await takers[turn % 2]?.take(createId(), [left]))?.others.length === 0;
    expect(await countWinners(tryTake)).toBe(1);
  });
});
