import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Authentication } from '../../src/levels/authentication.ts';
import { buildDeviceCode, start } from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('device codes on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const status = { listId: 500_000, index: 41 };
  const authentication: Authentication = { acr: 'phr', amr: ['pop', 'user', 'mfa'], authTime: start / 1000 };
  const approval = { userId: createId(), passwordChangedAt: start - 1, authentication, givesConsent: true };
  const use = { now: start + 1, status, expiresAt: start + 86_400_000 };
  const insert = async (fields: Parameters<typeof buildDeviceCode>[0] = {}) => {
    const code = buildDeviceCode(fields);
    expect(await test.deviceCodes.insert(code)).toBe(true);
    return code;
  };
  const turnOf = (turn: number) => (turn % 2 === 0 ? test.deviceCodes : test.onReplica.deviceCodes);

  it.each([
    ['open', {}],
    ['of a device that asks for a level', { acrValues: ['phr', 'urn:gatehouse:acr:mfa'] as const, maxAge: 0 }],
    [
      'allowed and used',
      { openUntil: undefined, approval, polledAt: start + 3, interval: 15, consumedAt: start + 4, status },
    ],
    [
      'for a resource',
      {
        resources: [
          { id: createId(), resource: 'https://api.example.com/', scopes: [{ id: createId(), name: 'x:y' }] },
        ],
      },
    ],
  ])('come back as they were inserted: %s', async (_what, fields) => {
    const code = await insert(fields);
    expect(await test.deviceCodes.find(code.codeHash)).toEqual(code);
    expect(await test.deviceCodes.findByUserCode(code.userCodeHash)).toEqual(code);
  });

  it('are not inserted with the user code of another, and are gone once deleted', async () => {
    const { codeHash, userCodeHash } = await insert();
    expect(await test.deviceCodes.insert(buildDeviceCode({ userCodeHash }))).toBe(false);
    await test.deviceCodes.delete(codeHash);
    expect(await test.deviceCodes.find(codeHash)).toBeUndefined();
    await insert({ userCodeHash });
  });

  it('are counted while a user may decide', async () => {
    const now = start + 10_000_000;
    const countOpen = async () => (await test.deviceCodes.countOpen(now, buildDeviceCode())).all;
    await insert({ openUntil: now });
    expect(await countOpen()).toBe(0);
    const { userCodeHash } = await insert({ openUntil: now + 1 });
    await insert({ openUntil: now + 1 });
    expect(await countOpen()).toBe(2);
    await test.deviceCodes.deny(userCodeHash, now);
    expect(await countOpen()).toBe(1);
  });

  it('are polled by one of sixteen at the same moment, and once an interval', async () => {
    const { codeHash } = await insert();
    const poll = (now: number) => test.deviceCodes.poll(codeHash, { now, early: 500 });
    expect(await countWinners((turn) => turnOf(turn).poll(codeHash, { now: start, early: 500 }))).toBe(1);
    expect([await poll(start + 4_499), await poll(start + 4_500)]).toEqual([false, true]);
    await test.deviceCodes.slowDown(codeHash, { now: start + 5_000, seconds: 5 });
    expect(await test.deviceCodes.find(codeHash)).toMatchObject({ interval: 10, polledAt: start + 5_000 });
    expect([await poll(start + 14_499), await poll(start + 14_500)]).toEqual([false, true]);
  });

  it('slow down by five seconds for each of sixteen at the same moment, and not once they are decided', async () => {
    const { codeHash, userCodeHash } = await insert();
    const slowDown = (turn: number) => turnOf(turn).slowDown(codeHash, { now: start, seconds: 5 });
    expect(await countWinners(slowDown)).toBe(16);
    expect(await test.deviceCodes.find(codeHash)).toMatchObject({ interval: 85 });
    await test.deviceCodes.approve(userCodeHash, approval, start);
    expect(await slowDown(0)).toBe(false);
    expect(await test.deviceCodes.find(codeHash)).toMatchObject({ interval: 85 });
    expect(await test.deviceCodes.poll(codeHash, { now: start + 999_999, early: 0 })).toBe(false);
  });

  it('are decided by exactly one of sixteen at the same moment', async () => {
    const { codeHash, userCodeHash } = await insert();
    const winners = await countWinners((turn) =>
      turn % 3 === 0
        ? turnOf(turn).deny(userCodeHash, start)
        : turnOf(turn).approve(userCodeHash, { ...approval, userId: createId() }, start),
    );
    expect(winners).toBe(1);
    expect(await test.deviceCodes.find(codeHash)).toMatchObject({ openUntil: undefined });
  });

  it('are decided by nobody once they have expired', async () => {
    const { userCodeHash } = await insert({ openUntil: start + 5 });
    expect(await test.deviceCodes.approve(userCodeHash, approval, start + 5)).toBe(false);
    expect(await test.deviceCodes.deny(userCodeHash, start + 5)).toBe(false);
    expect(await test.deviceCodes.approve(userCodeHash, approval, start + 4)).toBe(true);
  });

  it('are consumed by exactly one of sixteen at the same moment, and say for which access token', async () => {
    const { codeHash, grantId } = await insert({ openUntil: undefined, approval });
    expect(await test.deviceCodes.listStatuses(grantId)).toEqual([]);
    expect(await countWinners((turn) => turnOf(turn).consume(codeHash, use))).toBe(1);
    expect(await test.deviceCodes.find(codeHash)).toMatchObject({
      consumedAt: use.now,
      status,
      expiresAt: use.expiresAt,
    });
    expect(await test.deviceCodes.listStatuses(grantId)).toEqual([status]);
  });

  it.each([
    ['open', {}],
    ['of a device that asks for a level', { acrValues: ['phr', 'urn:gatehouse:acr:mfa'] as const, maxAge: 0 }],
    ['denied', { openUntil: undefined }],
    ['expired', { openUntil: undefined, approval, endsAt: start + 1 }],
  ])('are not consumed while they are %s', async (_state, fields) => {
    const { codeHash } = await insert(fields);
    expect(await test.deviceCodes.consume(codeHash, use)).toBe(false);
  });

  it('are listed by the user who approved them and the client they were issued to', async () => {
    const registrationId = createId();
    const mine = [await insert({ registrationId, approval }), await insert({ registrationId, approval })];
    await insert({ registrationId });
    await insert({ approval });
    const grants = await test.deviceCodes.listGrantsOf(approval.userId, registrationId);
    expect(grants.sort()).toEqual(mine.map(({ grantId }) => grantId).sort());
  });
});
