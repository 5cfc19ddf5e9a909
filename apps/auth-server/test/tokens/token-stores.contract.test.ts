import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildCode, buildRefreshToken, start } from '../support/builders.ts';
import { createEnding } from '../support/status.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

const lifetime = 60_000;

describe.each(testDialects)('token stores on %s', (dialect) => {
  let test: TestStores;

  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  describe('authorization codes', () => {
    const status = { listId: 500_000, index: 41 };
    const times = (now: number) => ({ now, issuedAfter: now - lifetime, status });
    const insert = async (fields: Parameters<typeof buildCode>[0] = {}) => {
      const code = buildCode(fields);
      await test.codes.insert(code);
      return code;
    };

    it.each([
      {},
      { redirectUri: undefined, codeChallenge: undefined, nonce: undefined },
      { nonce: '🔑'.repeat(256), consumedAt: start + 1 },
      { claims: { idToken: ['email', 'ünïcode'], userinfo: ['name'] }, dpopJkt: 'k'.repeat(43), status },
    ])('come back as they were inserted: %j', async (fields) => {
      const code = await insert(fields);
      expect(await test.codes.find(code.codeHash)).toEqual(code);
    });

    it('are found by their whole hash only', async () => {
      const { codeHash } = await insert();
      const near = Buffer.from(codeHash);
      near[31] = (near[31] ?? 0) ^ 1;
      expect(await test.codes.find(near)).toBeUndefined();
    });

    it('are consumed once, and say when and for which access token', async () => {
      const { codeHash, grantId } = await insert();
      expect(await test.codes.listStatuses(grantId)).toEqual([]);
      expect(await test.codes.consume(codeHash, times(start + 5))).toBe(true);
      const late = { ...times(start + 6), status: { listId: 1, index: 1 } };
      expect(await test.codes.consume(codeHash, late)).toBe(false);
      expect(await test.codes.find(codeHash)).toMatchObject({ consumedAt: start + 5, status });
      expect(await test.codes.listStatuses(grantId)).toEqual([status]);
    });

    it('are consumed by exactly one of sixteen at the same moment (RFC 6749 4.1.2)', async () => {
      const replica = test.onReplica.codes;
      const { codeHash } = await insert();
      const winners = await countWinners((turn) =>
        (turn % 2 === 0 ? test.codes : replica).consume(codeHash, {
          ...times(start + 1 + turn),
          // Each use has a status of its own.
          status: { listId: 9, index: turn },
        }),
      );
      expect(winners).toBe(1);
    });

    it('are listed by their session, without those whose grant outlives it (OpenID Connect Core 11)', async () => {
      const sessionId = createId();
      const online = [await insert({ sessionId }), await insert({ sessionId, consumedAt: start + 1 })];
      await insert({ sessionId, scope: ['openid', 'offline_access'] });
      await insert();
      const grants = await test.codes.listGrantsOfSession(sessionId);
      expect(grants.sort()).toEqual(online.map(({ grantId }) => grantId).sort());
    });

    it('are listed by the user and the client they were issued for', async () => {
      const [userId, registrationId] = [createId(), createId()];
      const mine = [await insert({ userId, registrationId }), await insert({ userId, registrationId })];
      for (const fields of [{ userId }, { registrationId }]) await insert(fields);
      const grants = await test.codes.listGrantsOf(userId, registrationId);
      expect(grants.sort()).toEqual(mine.map(({ grantId }) => grantId).sort());
      for (const id of ['', 'x', createId()]) expect(await test.codes.listGrantsOf(userId, id)).toEqual([]);
    });

    it('tell apart which of those that are consumed at the same moment were there, unused and in time', async () => {
      const [one, other, used, late] = [
        await insert(),
        await insert(),
        await insert(),
        await insert({ issuedAt: start - lifetime }),
      ];
      const gone = buildCode();
      const consumeAll = (codes: { codeHash: Buffer }[], listId: number) =>
        Promise.all(
          codes.map(({ codeHash }, index) =>
            test.codes.consume(codeHash, { ...times(start), status: { listId, index } }),
          ),
        );
      expect(await consumeAll([used], 6)).toEqual([true]);
      expect(await consumeAll([one, used, other, late, gone, one], 7)).toEqual([
        true,
        false,
        true,
        false,
        false,
        false,
      ]);
      const found = await Promise.all([one, used, late].map(({ codeHash }) => test.codes.find(codeHash)));
      expect(found.map((code) => code?.status)).toEqual([{ listId: 7, index: 0 }, { listId: 6, index: 0 }, undefined]);
    });

    it('are each in time at the moment of its own exchange', async () => {
      const [early, late, later] = [
        await insert(),
        await insert({ issuedAt: start + 1_000 }),
        await insert({ issuedAt: start + 1_000 }),
      ];
      const consume = ({ codeHash }: { codeHash: Buffer }, now: number, index: number) =>
        test.codes.consume(codeHash, { ...times(now), status: { listId: 8, index } });
      const consumed = await Promise.all([
        consume(late, start + lifetime + 500, 0),
        consume(early, start + lifetime - 1, 1),
        consume(later, start + lifetime + 500, 2),
      ]);
      expect(consumed).toEqual([true, true, true]);
    });

    it('are consumed to the last millisecond of their lifetime and not after', async () => {
      const [early, late] = [await insert(), await insert()];
      expect(await test.codes.consume(late.codeHash, times(start + lifetime))).toBe(false);
      expect(await test.codes.consume(early.codeHash, times(start + lifetime - 1))).toBe(true);
      expect((await test.codes.find(late.codeHash))?.consumedAt).toBeUndefined();
    });
  });

  describe('refresh tokens', () => {
    const statuses = [
      { listId: 500_000, index: 0 },
      { listId: 500_001, index: 4_096 },
    ];
    const insert = async (fields: Parameters<typeof buildRefreshToken>[0] = {}) => {
      const token = buildRefreshToken(fields);
      await test.refreshTokens.insert(token);
      return token;
    };

    it.each([
      {},
      { sessionId: undefined, previousSecretHash: randomBytes(32), rotatedAt: start, rotatedFrom: randomBytes(32) },
      { endsAt: undefined, rolesByScope: true },
      { claims: { idToken: ['email'], userinfo: ['name', 'roles'] }, dpopJkt: 'k'.repeat(43), statuses },
    ])('come back as they were inserted', async (fields) => {
      const token = await insert(fields);
      expect(await test.refreshTokens.find(token.id)).toEqual(token);
      expect(await test.refreshTokens.find(createId())).toBeUndefined();
    });

    it('rotate: the successor becomes current, the token used becomes the previous one', async () => {
      const token = await insert();
      const to = randomBytes(32);
      const ends = { endsAt: start + 9_900_000, expiresAt: start + 9_000_000 };
      const network = randomBytes(32);
      const change = { from: token.secretHash, to, now: start + 1, network, ...ends, statuses };
      expect(await test.refreshTokens.rotate(token.id, change)).toBe(true);
      expect(await test.refreshTokens.find(token.id)).toEqual({
        ...token,
        secretHash: to,
        previousSecretHash: token.secretHash,
        rotatedAt: start + 1,
        rotatedFrom: network,
        ...ends,
        statuses,
      });
      expect(await test.refreshTokens.rotate(token.id, { ...change, statuses: [] })).toBe(false);
      expect(await test.refreshTokens.listStatuses(token.grantId)).toEqual(statuses);
    });

    it('rotate for exactly one of sixteen who present the same secret (RFC 9700 4.14.2)', async () => {
      const replica = test.onReplica.refreshTokens;
      const token = await insert();
      const winners = await countWinners((turn) =>
        (turn % 2 === 0 ? test.refreshTokens : replica).rotate(token.id, {
          from: token.secretHash,
          to: randomBytes(32),
          now: start + turn,
          network: randomBytes(32),
          endsAt: start + 9_900_000,
          expiresAt: start + 9_000_000,
          // Each use has a status of its own.
          statuses: [...statuses, { listId: 9, index: turn }],
        }),
      );
      expect(winners).toBe(1);
    });

    it('tell apart which of those that rotate at the same moment have the current secret', async () => {
      const [one, other, guessed, ended, gone] = [
        await insert(),
        await insert(),
        await insert(),
        await insert({ expiresAt: start + 1 }),
        buildRefreshToken(),
      ];
      const times = { now: start + 1, endsAt: start + 9_900_000, expiresAt: start + 9_000_000 };
      const rotateAll = (uses: { id: string; from: Buffer }[]) =>
        Promise.all(
          uses.map(({ id, from }, index) => {
            const change = {
              from,
              to: randomBytes(32),
              network: randomBytes(32),
              statuses: [{ listId: 7, index }],
              ...times,
            };
            return test.refreshTokens.rotate(id, change);
          }),
        );
      const current = [one, other, guessed, ended, gone].map(({ id, secretHash }) => ({ id, from: secretHash }));
      const guess = { id: guessed.id, from: randomBytes(32) };
      expect(await rotateAll([guess, ...current])).toEqual([false, true, true, true, false, false]);
      expect(await test.refreshTokens.find(guessed.id)).toMatchObject({ statuses: [{ listId: 7, index: 3 }] });
      expect(await test.refreshTokens.find(ended.id)).toEqual(ended);
      expect(await rotateAll(current)).toEqual([false, false, false, false, false]);
    });

    it('do not rotate for another secret, nor once they have expired', async () => {
      const token = await insert({ expiresAt: start + 10 });
      const times = { now: start + 10, endsAt: start + 9_900_000, expiresAt: start + 9_000_000 };
      const change = { from: token.secretHash, to: randomBytes(32), network: randomBytes(32), statuses, ...times };
      expect(await test.refreshTokens.rotate(token.id, change)).toBe(false);
      expect(await test.refreshTokens.rotate(token.id, { ...change, from: randomBytes(32), now: start })).toBe(false);
      expect(await test.refreshTokens.find(token.id)).toEqual(token);
      expect(await test.refreshTokens.rotate(token.id, { ...change, now: start + 9 })).toBe(true);
    });

    it('rotate by the time of the earliest of those who rotate at the same moment', async () => {
      const [one, other] = [await insert({ expiresAt: start + 10 }), await insert()];
      const rotate = ({ id, secretHash: from }: typeof one, now: number, index: number) => {
        const ends = { endsAt: start + 9_900_000, expiresAt: start + 9_000_000 };
        const change = { from, to: randomBytes(32), network: randomBytes(32), now, statuses: [{ listId: 8, index }] };
        return test.refreshTokens.rotate(id, { ...change, ...ends });
      };
      expect(await Promise.all([rotate(one, start + 9, 0), rotate(other, start + 10, 1)])).toEqual([true, true]);
    });

    it('end with their grant, and no others do', async () => {
      const [one, other] = [await insert(), await insert()];
      await test.refreshTokens.deleteByGrant(one.grantId);
      expect(await test.refreshTokens.find(one.id)).toBeUndefined();
      expect(await test.refreshTokens.find(other.id)).toEqual(other);
    });

    it('are listed by their session, and by the user and the client they stand for', async () => {
      const [sessionId, userId, registrationId] = [createId(), createId(), createId()];
      const one = await insert({ sessionId, userId, registrationId });
      const other = await insert({ sessionId });
      const offline = await insert({ sessionId: undefined, userId, registrationId });
      for (const fields of [{ userId }, { registrationId }]) await insert(fields);
      const bySession = await test.refreshTokens.listGrantsOfSession(sessionId);
      expect(bySession.sort()).toEqual([one.grantId, other.grantId].sort());
      const byUser = await test.refreshTokens.listGrantsOf(userId, registrationId);
      expect(byUser.sort()).toEqual([one.grantId, offline.grantId].sort());
      expect(await test.refreshTokens.listGrantsOfSession(createId())).toEqual([]);
      expect(await test.refreshTokens.listGrantsOf(createId(), registrationId)).toEqual([]);
      for (const id of ['', 'x']) expect(await test.refreshTokens.listGrantsOf(userId, id)).toEqual([]);
    });

    it('end with their session; offline ones and those of other sessions stay', async () => {
      const sessionId = createId();
      const ended = [await insert({ sessionId }), await insert({ sessionId })];
      const kept = [await insert({ sessionId: undefined }), await insert()];
      const { revocations } = createEnding(test, { clock: () => start });
      await revocations.endGrantsOfSession(sessionId);
      for (const { id } of ended) expect(await test.refreshTokens.find(id)).toBeUndefined();
      for (const token of kept) expect(await test.refreshTokens.find(token.id)).toEqual(token);
      for (const { grantId } of ended) expect(await revocations.isGrantEnded(grantId)).toBe(true);
      for (const { grantId } of kept) expect(await revocations.isGrantEnded(grantId)).toBe(false);
    });
  });

  describe('revocations', () => {
    it('contain what was added, also twice, and nothing else', async () => {
      const [added, other] = [randomBytes(32), randomBytes(32)];
      expect(await test.revocations.containsAny([added])).toBe(false);
      await test.revocations.add(added, start);
      await test.revocations.add(added, start + 1);
      expect(await test.revocations.containsAny([other, added])).toBe(true);
      expect(await test.revocations.containsAny([other])).toBe(false);
    });

    it('take the same subject sixteen times at the same moment', async () => {
      const replica = test.onReplica.revocations;
      const subject = randomBytes(32);
      const adding = Array.from({ length: 16 }, (_, turn) =>
        (turn % 2 === 0 ? test.revocations : replica).add(subject, start),
      );
      await expect(Promise.all(adding)).resolves.toHaveLength(16);
      const rows = await test.database.query('SELECT * FROM revocations WHERE subject_hash = ?', [subject]);
      expect(rows).toHaveLength(1);
    });
  });
});
