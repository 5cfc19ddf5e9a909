import { createId, idToBytes } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fact } from '../../src/events/event.ts';
import { findOutdated, listExpiresAt, listIdOf, type TokenStatus } from '../../src/protocol/token-status.ts';
import type { RefreshTokens } from '../../src/tokens/refresh-tokens.ts';
import type { Revocations } from '../../src/tokens/revocations.ts';
import { buildClient, start } from '../support/builders.ts';
import {
  buildIssuedGrant,
  buildPresenter,
  createNextStatus,
  createReplicasOfRule,
} from '../support/refresh-token-rule.ts';
import { createEnding } from '../support/status.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const hours = 3_600_000;
const days = 24 * hours;

describe.each(testDialects)('refresh tokens that stay (FAPI 2.0 5.3.2.1, 9) on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  const clock = () => now;
  let revocations: Revocations;
  let refreshTokens: RefreshTokens;
  let replica: RefreshTokens;
  const client = buildClient();
  const told: Fact[] = [];
  const create = createReplicasOfRule({ clock, tell: (fact) => told.push(fact) });

  beforeAll(async () => {
    test = await openStores(dialect);
    revocations = createEnding(test, { clock }).revocations;
    refreshTokens = create(test, test.database);
    replica = create(test.onReplica, test.database);
  });
  beforeEach(() => {
    now = start;
  });
  afterAll(() => test.close());

  const nextStatus = createNextStatus();
  const issue = async (fields: Parameters<typeof buildIssuedGrant>[1] = {}) => {
    const grant = buildIssuedGrant(client, fields);
    const status = nextStatus();
    return { grantId: grant.grantId, status, token: await refreshTokens.issue(grant, status) };
  };
  const presenter = buildPresenter(clock);
  const turnOf = async (token: string, at: RefreshTokens, status = nextStatus()) => ({
    seen: await at.check(token, client, presenter),
    ...{ status, client, presenter },
  });
  const keep = async (token: string, at: RefreshTokens = refreshTokens, status = nextStatus()) =>
    at.keep(await turnOf(token, at, status));
  const rotate = async (token: string, at: RefreshTokens = refreshTokens) => at.rotate(await turnOf(token, at));
  const invalidGrant = expect.objectContaining({ code: 'invalid_grant' });
  const sortedByIndex = (statuses: TokenStatus[]) => statuses.toSorted((one, other) => one.index - other.index);
  const setStatuses = (grantId: string, statuses: string | null) =>
    test.database.execute('UPDATE refresh_tokens SET statuses = ? WHERE grant_id = ?', [statuses, idToBytes(grantId)]);

  it('are given again at every use, and are no retry', async () => {
    const { token, grantId, status } = await issue();
    const statuses = [status];
    for (const at of [refreshTokens, replica, refreshTokens]) {
      now += 60_000;
      const kept = await keep(token, at);
      expect(kept).toMatchObject({ successor: token, repeatedBy: undefined });
      statuses.push(kept.status);
    }
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual(statuses);
    expect(told).toEqual([]);
  });

  it('give forty who use one at the same moment, on two replicas, a status each, and lose none', async () => {
    const { token, grantId, status } = await issue();
    const turns = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => turnOf(token, turn % 2 === 0 ? refreshTokens : replica)),
    );
    const kept = await Promise.all(turns.map((turn, index) => (index % 2 === 0 ? refreshTokens : replica).keep(turn)));
    expect(new Set(kept.map(({ successor }) => successor))).toEqual(new Set([token]));
    const listed = await test.refreshTokens.listStatuses(grantId);
    expect(sortedByIndex(listed)).toEqual([status, ...sortedByIndex(turns.map((turn) => turn.status))]);
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
  });

  it('end with their grant, and every access token that they gave with them', async () => {
    const { token, grantId, status } = await issue();
    const kept = await Promise.all(Array.from({ length: 8 }, () => keep(token)));
    await revocations.endGrant(grantId);
    const ended = await Promise.all([status, ...kept.map((one) => one.status)].map(test.statuses.isRevoked));
    expect(new Set(ended)).toEqual(new Set([true]));
    await expect(keep(token)).rejects.toEqual(invalidGrant);
  });

  it('are not given again where they end between check and use', async () => {
    const ended = await issue();
    const turn = await turnOf(ended.token, refreshTokens);
    await revocations.endGrant(ended.grantId);
    await expect(refreshTokens.keep(turn)).rejects.toEqual(invalidGrant);

    const expired = await issue();
    const late = await turnOf(expired.token, refreshTokens);
    now = start + 12 * hours;
    await expect(refreshTokens.keep(late)).rejects.toEqual(invalidGrant);
    expect(await test.refreshTokens.listStatuses(expired.grantId)).toEqual([expired.status]);
  });

  it('live unused for 30 days with offline access, from each use on, and 180 days after the first issue at most', async () => {
    const { token } = await issue({ scope: ['openid', 'offline_access'] });
    for (let day = 25; day < 180; day += 25) {
      now = start + day * days;
      await keep(token, day % 50 === 0 ? refreshTokens : replica);
      const expiresAt = Math.min(now + 30 * days, start + 180 * days);
      expect(await refreshTokens.find(token)).toMatchObject({ expiresAt });
    }
    now = start + 180 * days;
    expect(await refreshTokens.find(token)).toBeUndefined();
    await expect(keep(token)).rejects.toEqual(invalidGrant);
  });

  it('end 12 hours after the sign-in without offline access, however often they are used', async () => {
    const { token } = await issue({ sessionId: createId() });
    now = start + 12 * hours - 1;
    await keep(token);
    now = start + 12 * hours;
    await expect(keep(token)).rejects.toEqual(invalidGrant);
  });

  it('go on where the client had rotating ones before, and where it has them afterwards', async () => {
    const { token, grantId } = await issue();
    const { successor: second } = await rotate(token);
    expect((await keep(second)).successor).toBe(second);
    expect((await keep(second, replica)).successor).toBe(second);
    const { successor: third } = await rotate(second);
    expect(third).not.toBe(second);
    expect((await keep(third)).successor).toBe(third);
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
  });

  it('answer a retry of the last rotation as that rotation did, and end the grant for an older token', async () => {
    const { token, grantId } = await issue();
    const { successor } = await rotate(token);
    now = start + 1_000;
    expect(await keep(token)).toMatchObject({ successor, repeatedBy: 'network' });
    now = start + 60_000;
    await expect(keep(token)).rejects.toEqual(invalidGrant);
    expect(await revocations.isGrantEnded(grantId)).toBe(true);
  });

  it('answer as the rotation did where another replica, which knows the client as it was, rotates in between', async () => {
    const { token } = await issue();
    const turn = await turnOf(token, refreshTokens);
    const { successor } = await rotate(token, replica);
    expect(await refreshTokens.keep(turn)).toMatchObject({ successor, repeatedBy: 'network' });
  });

  it('forget the statuses of access tokens that have expired, also while others add one', async () => {
    const { token, grantId, status } = await issue();
    now = start + 3 * hours;
    const turns = await Promise.all(
      Array.from({ length: 4 }, () => turnOf(token, refreshTokens, nextStatus(start + 3 * hours))),
    );
    for (const turn of turns) expect(turn.seen.statuses).toEqual([status]);
    await Promise.all(turns.map((turn) => refreshTokens.keep(turn)));
    const listed = await test.refreshTokens.listStatuses(grantId);
    expect(sortedByIndex(listed)).toEqual(turns.map((turn) => turn.status));
  });

  it('take no status for another whose beginning is the same', async () => {
    const { token, grantId } = await issue();
    const old = listIdOf(start / 1000) - 100;
    await setStatuses(grantId, `${old}.1`);
    const turn = await turnOf(token, refreshTokens);
    // Another process forgot the old one and added its own.
    await setStatuses(grantId, `${old}.17`);
    await refreshTokens.keep(turn);
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual([{ listId: old, index: 17 }, turn.status]);
  });

  it('take a row that the release before wrote without statuses', async () => {
    const { token, grantId } = await issue();
    await setStatuses(grantId, null);
    const { status } = await keep(token);
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual([status]);
  });

  it('revoke the access token that a thousand later ones of the grant push out, and no other', async () => {
    const { token, grantId, status } = await issue();
    const later = Array.from({ length: 999 }, () => nextStatus());
    await setStatuses(grantId, [status, ...later].map(({ listId, index }) => `${listId}.${index}`).join(' '));
    const { status: added } = await keep(token);
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual([...later, added]);
    const isRevoked = await Promise.all([status, later[0] as TokenStatus, added].map(test.statuses.isRevoked));
    expect(isRevoked).toEqual([true, false, false]);
  });
});

describe('the oldest statuses of a grant whose refresh token stays', () => {
  const [old, fresh] = [499_990, 500_000].map((listId) => ({ listId, index: 3 })) as [TokenStatus, TokenStatus];

  it('are outdated when their tokens have expired', () => {
    expect(findOutdated([], start)).toEqual({ outdated: [], dropped: [] });
    expect(findOutdated([old, fresh], listExpiresAt(old.listId) - 1)).toEqual({ outdated: [], dropped: [] });
    expect(findOutdated([old, fresh], listExpiresAt(old.listId))).toEqual({ outdated: [old], dropped: [] });
    expect(findOutdated([old, fresh], listExpiresAt(fresh.listId))).toEqual({ outdated: [old, fresh], dropped: [] });
    // Of another access_token_validity: it waits until it is the oldest.
    expect(findOutdated([fresh, old], listExpiresAt(old.listId))).toEqual({ outdated: [], dropped: [] });
  });

  it('are outdated, and dropped, beyond a thousand', () => {
    const many = Array.from({ length: 1002 }, (_, index) => ({ ...fresh, index }));
    const before = listExpiresAt(fresh.listId) - 1;
    expect(findOutdated(many.slice(0, 999), before)).toEqual({ outdated: [], dropped: [] });
    const first = many.slice(0, 3);
    expect(findOutdated(many, before)).toEqual({ outdated: first, dropped: first });
    const mixed = [old, ...many.slice(1)];
    expect(findOutdated(mixed, before)).toEqual({ outdated: mixed.slice(0, 3), dropped: mixed.slice(1, 3) });
  });
});
