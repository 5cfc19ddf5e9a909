import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../src/clients/client.ts';
import { addStatus, listExpiresAt, listIdOf } from '../src/status/token-status.ts';
import { createRefreshTokens, type RefreshTokens } from '../src/tokens/refresh-token.ts';
import type { Revocations } from '../src/tokens/revocations.ts';
import { buildClient, start } from './support/builders.ts';
import { createEnding } from './support/status.ts';
import { openStores, type TestStores } from './support/stores.ts';

const hours = 3_600_000;
const days = 24 * hours;

describe('refresh tokens (RFC 9700 4.14.2)', () => {
  let test: TestStores;
  let now: number;
  const clock = () => now;
  let revocations: Revocations;
  let refreshTokens: RefreshTokens;
  let replica: RefreshTokens;
  const client: Client = buildClient();
  const successorKey = randomBytes(32);

  beforeAll(async () => {
    test = await openStores('sqlite');
    revocations = createEnding(test, { clock }).revocations;
    refreshTokens = createRefreshTokens({ ...test, revocations, successorKey, clock });
    replica = createRefreshTokens({
      ...test.onReplica,
      revocations: createEnding(test.onReplica, { clock }).revocations,
      successorKey: Buffer.from(successorKey),
      clock,
    });
  });
  beforeEach(() => {
    now = start;
  });
  afterAll(() => test.close());

  const issue = async (fields: { scope?: string[]; sessionId?: string } = {}) => {
    const grantId = createId();
    const grant = {
      grantId,
      registrationId: client.registrationId,
      userId: 'user-id',
      passwordChangedAt: start,
      scope: fields.scope ?? ['openid', 'profile'],
      authTime: start / 1000,
      sessionId: fields.sessionId,
      dpopJkt: undefined,
      claims: { idToken: [], userinfo: [] },
    };
    const status = nextStatus();
    return { grantId, status, token: await refreshTokens.issue(grant, status) };
  };
  let lastIndex = 0;
  const nextStatus = () => {
    lastIndex += 1;
    return { listId: listIdOf(start / 1000), index: lastIndex };
  };
  const rotate = async (token: string, at: RefreshTokens = refreshTokens) =>
    at.rotate(token, await at.check(token, client), nextStatus());
  const use = async (...from: Parameters<typeof rotate>) => (await rotate(...from)).successor;
  const invalidGrant = expect.objectContaining({ code: 'invalid_grant', status: 400 });
  const expectEnded = async (grantId: string, ...tokens: string[]) => {
    expect(await revocations.isGrantEnded(grantId)).toBe(true);
    for (const token of tokens) {
      await expect(refreshTokens.check(token, client)).rejects.toEqual(invalidGrant);
      expect(await refreshTokens.find(token)).toBeUndefined();
    }
  };

  it('are found for what they stand for, and not used up by that', async () => {
    const { token, grantId } = await issue();
    expect(await refreshTokens.find(token)).toMatchObject({ grantId, userId: 'user-id', scope: ['openid', 'profile'] });
    expect(await refreshTokens.check(token, client)).toMatchObject({ grantId, authTime: start / 1000 });
    await expect(use(token)).resolves.toEqual(expect.any(String));
  });

  it('are replaced by another one each time they are used, on and on', async () => {
    let { token } = await issue();
    const seen = new Set([token]);
    for (let turn = 0; turn < 5; turn += 1) {
      now += 60_000;
      token = await use(token, turn % 2 === 0 ? refreshTokens : replica);
      seen.add(token);
    }
    expect(seen.size).toBe(6);
    expect(await refreshTokens.find(token)).toBeDefined();
  });

  it('give a client that lost the answer the same successor within 10 seconds, on every replica', async () => {
    const { token, grantId } = await issue();
    const successor = await use(token);
    now = start + 10_000;
    expect(await use(token)).toBe(successor);
    expect(await use(token, replica)).toBe(successor);
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
    await expect(use(successor)).resolves.toEqual(expect.any(String));
  });

  it('end the whole grant where one that was used comes back after the grace', async () => {
    const { token, grantId } = await issue();
    const successor = await use(token);
    now = start + 10_001;
    await expect(refreshTokens.check(token, client)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId, token, successor);
  });

  it('end the whole grant where one from further back comes back, be it at once', async () => {
    const { token, grantId } = await issue();
    const second = await use(token);
    const third = await use(second);
    await expect(use(token)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId, token, second, third);
  });

  it('let no retry extend the grace', async () => {
    const { token, grantId } = await issue();
    await use(token);
    now = start + 9_000;
    await use(token);
    now = start + 11_000;
    await expect(use(token)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId);
  });

  it('end the grant where somebody else used the token between check and rotation, twice', async () => {
    const { token, grantId } = await issue();
    const seen = await refreshTokens.check(token, client);
    await use(await use(token, replica), replica);
    await expect(refreshTokens.rotate(token, seen, nextStatus())).rejects.toEqual(invalidGrant);
    await expectEnded(grantId);
  });

  it('give sixteen who use one at the same moment one and the same successor', async () => {
    const { token, grantId } = await issue();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, turn) => rotate(token, turn % 2 === 0 ? refreshTokens : replica)),
    );
    expect(new Set(answers.map(({ successor }) => successor)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status.index)).size).toBe(1);
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
  });

  it('remember the statuses of the access tokens of the grant, and give a retry the one of the first try', async () => {
    const { token, grantId, status } = await issue();
    const first = await rotate(token);
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual([status, first.status]);
    now = start + 5_000;
    expect(await rotate(token)).toEqual(first);
    expect(await rotate(token, replica)).toEqual(first);
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual([status, first.status]);
  });

  it('forget the statuses of access tokens that have expired, keep the latest hundred and drop the rest', () => {
    const [old, fresh, added] = [499_990, 500_000, 500_001].map((listId) => ({ listId, index: 3 }));
    if (old === undefined || fresh === undefined || added === undefined) throw new Error('three statuses');
    expect(addStatus([old, fresh], added, listExpiresAt(old.listId) - 1)).toEqual({
      kept: [old, fresh, added],
      dropped: [],
    });
    expect(addStatus([old, fresh], added, listExpiresAt(old.listId))).toEqual({ kept: [fresh, added], dropped: [] });
    const many = Array.from({ length: 100 }, (_, index) => ({ ...fresh, index }));
    expect(addStatus(many, added, start)).toEqual({ kept: [...many.slice(1), added], dropped: many.slice(0, 1) });
  });

  it('are bound to the registration: a client of the same client_id that was registered later cannot use them', async () => {
    const { token, grantId } = await issue();
    const later = buildClient({ clientId: client.clientId });
    await expect(refreshTokens.check(token, later)).rejects.toEqual(invalidGrant);
    await expect(refreshTokens.check(token, buildClient())).rejects.toEqual(invalidGrant);
    // Whoever stole it does not end it for its owner.
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
    await expect(use(token)).resolves.toEqual(expect.any(String));
  });

  it.each([
    ['12 hours where the user is present', 12 * hours, { scope: ['openid'], sessionId: createId() }],
    ['12 hours without a session', 12 * hours, { scope: ['openid'] }],
    ['30 days with offline access (Core 11)', 30 * days, { scope: ['openid', 'offline_access'] }],
  ])('live unused for %s, from each use anew', async (_case, lifetime, fields) => {
    const { token } = await issue(fields);
    now = start + lifetime - 1;
    const successor = await use(token);
    now += lifetime - 1;
    expect(await refreshTokens.find(successor)).toBeDefined();
    now += 1;
    expect(await refreshTokens.find(successor)).toBeUndefined();
    await expect(refreshTokens.check(successor, client)).rejects.toEqual(invalidGrant);
  });

  it.each([
    '',
    '.',
    'x',
    'a.b',
    `${'A'.repeat(22)}.${'B'.repeat(43)}`,
    `${'A'.repeat(22)}.${'B'.repeat(44)}`,
    '🔑',
    "' OR 1=1 --",
  ])('are refused where they are none: %j', async (token) => {
    expect(await refreshTokens.find(token)).toBeUndefined();
    await expect(refreshTokens.check(token, client)).rejects.toEqual(invalidGrant);
  });

  it('end their grant where the secret is wrong for a known id, so that guessing is noticed', async () => {
    const { token, grantId } = await issue();
    const [id] = token.split('.');
    await expect(refreshTokens.check(`${id}.${'A'.repeat(43)}`, client)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId, token);
  });

  it('tell the public nothing of why they are refused', async () => {
    const { token } = await issue();
    const messages = [];
    for (const [candidate, by] of [
      [token, buildClient()],
      ['unknown', client],
      [`${token.split('.')[0]}.${'A'.repeat(43)}`, client],
    ] as const) {
      messages.push(await refreshTokens.check(candidate, by).catch((error: Error) => error.message));
    }
    expect(new Set(messages).size).toBe(1);
  });

  it('have a successor that only who knows KEY_ENCRYPTION_KEY can derive', async () => {
    const { token } = await issue();
    const stranger = createRefreshTokens({ ...test, revocations, successorKey: randomBytes(32), clock });
    const seen = await refreshTokens.check(token, client);
    const successor = await use(token);
    expect((await stranger.rotate(token, seen, nextStatus())).successor).not.toBe(successor);
  });
});
