import { randomBytes } from 'node:crypto';
import { createId, idToBytes } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/clients/client.ts';
import type { Fact } from '../../src/events/event.ts';
import { addStatus, listExpiresAt } from '../../src/protocol/token-status.ts';
import type { Presenter } from '../../src/tokens/refresh-token-use.ts';
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

describe.each(testDialects)('refresh tokens (RFC 9700 4.14.2) on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  const clock = () => now;
  let revocations: Revocations;
  let refreshTokens: RefreshTokens;
  let replica: RefreshTokens;
  const client: Client = buildClient();
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
  const presenterOf = (fields: Partial<Presenter> = {}) => buildPresenter(clock, fields);
  const home = presenterOf();
  const rotate = async (token: string, at: RefreshTokens = refreshTokens, presenter = home) =>
    at.rotate({ seen: await at.check(token, client, presenter), status: nextStatus(), client, presenter });
  const use = async (...from: Parameters<typeof rotate>) => (await rotate(...from)).successor;
  const invalidGrant = expect.objectContaining({ code: 'invalid_grant', status: 400 });
  const expectEnded = async (grantId: string, ...tokens: string[]) => {
    expect(await revocations.isGrantEnded(grantId)).toBe(true);
    for (const token of tokens) {
      await expect(refreshTokens.check(token, client, home)).rejects.toEqual(invalidGrant);
      expect(await refreshTokens.find(token)).toBeUndefined();
    }
  };

  it('are found for what they stand for, and not used up by that', async () => {
    const { token, grantId } = await issue();
    expect(await refreshTokens.find(token)).toMatchObject({ grantId, userId: 'user-id', scope: ['openid', 'profile'] });
    expect(await refreshTokens.check(token, client, home)).toMatchObject({
      grantId,
      authentication: { authTime: start / 1000 },
    });
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

  it.each([
    ['the same IPv4 address', '192.0.2.1', '192.0.2.1'],
    ['the same IPv4 address, written as an IPv6 one', '192.0.2.1', '::ffff:192.0.2.1'],
    ['the same IPv6 /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::7'],
  ])('give a retry from %s the same successor within 3 seconds, on every replica', async (_case, first, second) => {
    const { token, grantId } = await issue();
    const successor = await use(token, refreshTokens, presenterOf({ address: first }));
    now = start + 3_000;
    const retry = presenterOf({ address: second });
    expect(await rotate(token, refreshTokens, retry)).toMatchObject({ successor, repeatedBy: 'network' });
    expect(await rotate(token, replica, retry)).toMatchObject({ successor, repeatedBy: 'network' });
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
    await expect(use(successor)).resolves.toEqual(expect.any(String));
  });

  it('give a retry that came in time the same successor where the database answers seconds later', async () => {
    const { token, grantId } = await issue();
    const successor = await use(token);
    const find = async (id: string) => {
      now += 8_000;
      return test.refreshTokens.find(id);
    };
    const stalled = create({ ...test, refreshTokens: { ...test.refreshTokens, find } }, test.database);
    now = start + 1_000;
    const retry = { ...home, presentedAt: now };
    expect(await rotate(token, stalled, retry)).toMatchObject({ successor, repeatedBy: 'network' });
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
  });

  it('count no time in which the database was out of reach', async () => {
    const { token, grantId } = await issue();
    const successor = await use(token);
    const wasAway = create(test, { timeOutOfReach: () => 4_000 });
    now = start + 7_000;
    expect(await rotate(token, wasAway)).toMatchObject({ successor, repeatedBy: 'network' });
    now = start + 7_001;
    await expect(use(token, wasAway)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId);
  });

  it('give a retry with a proof of the key the same successor within 10 seconds, from anywhere', async () => {
    const { token, grantId } = await issue({ dpopJkt: 'the-key' });
    const successor = await use(token, refreshTokens, presenterOf({ dpopJkt: 'the-key' }));
    now = start + 10_000;
    const elsewhere = presenterOf({ address: '198.51.100.9', dpopJkt: 'the-key' });
    expect(await rotate(token, replica, elsewhere)).toMatchObject({ successor, repeatedBy: 'proof' });
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
  });

  const boundTo = { dpopJkt: 'the-key' };
  it.each([
    ['too_late', 'after 3 seconds', {}, 3_001, home],
    ['other_network', 'at once from another IPv4 address', {}, 0, presenterOf({ address: '192.0.2.2' })],
    [
      'other_network',
      'from elsewhere, with a proof where no key is bound',
      {},
      0,
      presenterOf({ ...boundTo, address: '192.0.2.2' }),
    ],
    ['other_network', 'from elsewhere after exactly 3 seconds', {}, 3_000, presenterOf({ address: '192.0.2.2' })],
    ['too_late', 'after 10 seconds with the proof', boundTo, 10_001, presenterOf(boundTo)],
    ['no_proof', 'from elsewhere without the proof', boundTo, 0, presenterOf({ address: '192.0.2.2' })],
    ['no_proof', 'after 3 seconds without the proof', boundTo, 3_001, home],
    [
      'no_proof',
      'from elsewhere with a proof of another key',
      boundTo,
      0,
      presenterOf({ address: '192.0.2.2', dpopJkt: 'other' }),
    ],
  ] as const)(
    'end the whole grant, for %s, where one that was used comes back %s',
    async (why, _case, fields, later, by) => {
      const { token, grantId } = await issue(fields);
      const successor = await use(token, refreshTokens, presenterOf(fields));
      now = start + later;
      await expect(replica.check(token, client, by)).rejects.toEqual(invalidGrant);
      expect(told.at(-1)).toMatchObject({ type: 'grant.replayed', reason: 'refresh_token_replayed', why, grantId });
      await expectEnded(grantId, token, successor);
    },
  );

  it('take a retry within 3 seconds of a use at the release before, which kept no network, and no later', async () => {
    const { token, grantId } = await issue();
    await use(token);
    await test.database.execute('UPDATE refresh_tokens SET rotated_from = NULL WHERE grant_id = ?', [
      idToBytes(grantId),
    ]);
    now = start + 3_000;
    expect(await rotate(token)).toMatchObject({ repeatedBy: 'age' });
    now = start + 3_001;
    await expect(use(token)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId);
  });

  it('end the whole grant where one from further back comes back, be it at once', async () => {
    const { token, grantId } = await issue();
    const second = await use(token);
    const third = await use(second);
    await expect(use(token)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId, token, second, third);
  });

  it('let no retry extend the time for it', async () => {
    const { token, grantId } = await issue();
    await use(token);
    now = start + 2_900;
    await use(token);
    now = start + 3_100;
    await expect(use(token)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId);
  });

  it('keep no network that can be told, or compared, from what is stored', async () => {
    const grants = [await issue(), await issue()];
    for (const { token } of grants) await use(token);
    const sql = 'SELECT rotated_from FROM refresh_tokens WHERE grant_id IN (?, ?)';
    const ids = grants.map(({ grantId }) => idToBytes(grantId));
    const rows = await test.database.query<{ rotated_from: Buffer }>(sql, ids);
    expect(new Set(rows.map(({ rotated_from }) => rotated_from.toString('hex'))).size).toBe(2);
  });

  it('end the grant where somebody else used the token between check and rotation, twice', async () => {
    const { token, grantId } = await issue();
    const seen = await refreshTokens.check(token, client, home);
    await use(await use(token, replica), replica);
    const late = { seen, status: nextStatus(), client, presenter: home };
    await expect(refreshTokens.rotate(late)).rejects.toEqual(invalidGrant);
    await expectEnded(grantId);
  });

  it('are not replaced where they expire between check and rotation', async () => {
    const { token, grantId } = await issue();
    const seen = await refreshTokens.check(token, client, home);
    now = start + 12 * hours;
    const late = { seen, status: nextStatus(), client, presenter: home };
    await expect(refreshTokens.rotate(late)).rejects.toEqual(invalidGrant);
    expect(await test.refreshTokens.listStatuses(grantId)).not.toContainEqual(late.status);
  });

  it('end no grant where another use came first and is not to be seen yet, as on a server that is behind', async () => {
    const { token, grantId } = await issue();
    const behind = create(
      { ...test, refreshTokens: { ...test.refreshTokens, rotate: async () => false } },
      test.database,
    );
    await expect(rotate(token, behind)).rejects.toEqual(invalidGrant);
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
    await expect(use(token)).resolves.toEqual(expect.any(String));
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
    now = start + 2_000;
    const again = { ...first, repeatedBy: 'network' };
    expect(await rotate(token)).toEqual(again);
    expect(await rotate(token, replica)).toEqual(again);
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

  it('revoke the access token that a hundred later ones of the grant push out, and no other', async () => {
    const { token, grantId, status } = await issue();
    const later = Array.from({ length: 99 }, nextStatus);
    const statuses = [status, ...later].map(({ listId, index }) => `${listId}.${index}`).join(' ');
    const sql = 'UPDATE refresh_tokens SET statuses = ? WHERE grant_id = ?';
    await test.database.execute(sql, [statuses, idToBytes(grantId)]);
    const { status: added } = await rotate(token);
    expect(await test.refreshTokens.listStatuses(grantId)).toEqual([...later, added]);
    const isRevoked = await Promise.all([status, ...later, added].map(test.statuses.isRevoked));
    expect(isRevoked).toEqual([true, ...later.map(() => false), false]);
  });

  it('are bound to the registration: a client of the same client_id that was registered later cannot use them', async () => {
    const { token, grantId } = await issue();
    const later = buildClient({ clientId: client.clientId });
    await expect(refreshTokens.check(token, later, home)).rejects.toEqual(invalidGrant);
    await expect(refreshTokens.check(token, buildClient(), home)).rejects.toEqual(invalidGrant);
    // A thief does not end it for its owner.
    expect(await revocations.isGrantEnded(grantId)).toBe(false);
    await expect(use(token)).resolves.toEqual(expect.any(String));
  });

  it.each([
    ['the session it came from', { scope: ['openid'], sessionId: createId() }],
    ['the session it came from, with offline access', { scope: ['openid', 'offline_access'], sessionId: createId() }],
    ['its first issue, of a password grant', { scope: ['openid'] }],
  ])('end 12 hours after the beginning of %s, however often they are used', async (_case, fields) => {
    let { token } = await issue(fields);
    for (const hour of [5, 10, 11]) {
      now = start + hour * hours;
      token = await use(token);
      expect(await refreshTokens.find(token)).toMatchObject({ expiresAt: start + 12 * hours });
    }
    now = start + 12 * hours - 1;
    token = await use(token);
    now = start + 12 * hours;
    expect(await refreshTokens.find(token)).toBeUndefined();
    await expect(refreshTokens.check(token, client, home)).rejects.toEqual(invalidGrant);
  });

  const offline = { scope: ['openid', 'offline_access'] };

  it('live unused for 30 days with offline access (Core 11), from each use on', async () => {
    const { token } = await issue(offline);
    now = start + 30 * days - 1;
    const successor = await use(token);
    now += 30 * days - 1;
    expect(await refreshTokens.find(successor)).toBeDefined();
    now += 1;
    expect(await refreshTokens.find(successor)).toBeUndefined();
    await expect(refreshTokens.check(successor, client, home)).rejects.toEqual(invalidGrant);
  });

  it('end 180 days after the first issue with offline access, however often they are used', async () => {
    let { token } = await issue(offline);
    for (let day = 25; day < 180; day += 25) {
      now = start + day * days;
      token = await use(token);
    }
    expect(await refreshTokens.find(token)).toMatchObject({ expiresAt: start + 180 * days });
    now = start + 180 * days;
    expect(await refreshTokens.find(token)).toBeUndefined();
    await expect(refreshTokens.check(token, client, home)).rejects.toEqual(invalidGrant);
  });

  describe('written by the release before', () => {
    const issueBefore = async (fields: { scope: string[] }) => {
      const { token, grantId } = await issue(fields);
      const sql = 'UPDATE refresh_tokens SET ends_at = NULL, expires_at = ? WHERE grant_id = ?';
      await test.database.execute(sql, [start + 400 * days, idToBytes(grantId)]);
      return token;
    };

    it('end 12 hours after the sign-in, however late they were used', async () => {
      const token = await issueBefore({ scope: ['openid'] });
      now = start + 12 * hours - 1;
      const successor = await use(token);
      now = start + 12 * hours;
      expect(await refreshTokens.find(successor)).toBeUndefined();
      const unused = await issueBefore({ scope: ['openid'] });
      expect(await refreshTokens.find(unused)).toBeUndefined();
    });

    it('end 180 days after their next use with offline access', async () => {
      let token = await issueBefore(offline);
      now = start + 20 * days;
      for (let day = 20; day < 200; day += 25) {
        now = start + day * days;
        token = await use(token);
      }
      expect(await refreshTokens.find(token)).toMatchObject({ expiresAt: start + 200 * days });
    });
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
    await expect(refreshTokens.check(token, client, home)).rejects.toEqual(invalidGrant);
  });

  it('end their grant where the secret is wrong for a known id, so that guessing is noticed', async () => {
    const { token, grantId } = await issue();
    const [id] = token.split('.');
    await expect(refreshTokens.check(`${id}.${'A'.repeat(43)}`, client, home)).rejects.toEqual(invalidGrant);
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
      messages.push(await refreshTokens.check(candidate, by, home).catch((error: Error) => error.message));
    }
    expect(new Set(messages).size).toBe(1);
  });

  it('tell the log why they are refused', async () => {
    const { token } = await issue();
    const refusedFor = (candidate: string, by: Client) =>
      refreshTokens.check(candidate, by, home).catch((error: { reason: string }) => error.reason);
    expect(await refusedFor(token, buildClient())).toBe('issued to another client');
    expect(await refusedFor('unknown', client)).toBe('no such refresh token, or expired');
    expect(await refusedFor(`${token.split('.')[0]}.${'A'.repeat(43)}`, client)).toMatch(/was used before came back/);
  });

  it('have a successor that only who knows KEY_ENCRYPTION_KEY can derive', async () => {
    const { token } = await issue();
    const stranger = create(test, test.database, randomBytes(32));
    const seen = await refreshTokens.check(token, client, home);
    const successor = await use(token);
    const again = await stranger.rotate({ seen, status: nextStatus(), client, presenter: home });
    expect(again.successor).not.toBe(successor);
  });
});
