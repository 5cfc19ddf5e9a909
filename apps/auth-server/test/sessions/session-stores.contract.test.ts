import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildConsent, buildParticipant, buildPushedRequest, start } from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('stores of pushed requests, participants, consents and identifiers on %s', (dialect) => {
  let test: TestStores;

  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  /** The store of one of two replicas in turn. */
  const storesOf = (turn: number) => (turn % 2 === 0 ? test : test.onReplica);

  describe('pushed requests (RFC 9126)', () => {
    const insert = async (fields: Parameters<typeof buildPushedRequest>[0] = {}) => {
      const request = buildPushedRequest(fields);
      await test.pushedRequests.insert(request);
      return request;
    };

    it('come back as they were pushed, and empty once they are consumed', async () => {
      const [request, other] = [await insert(), await insert()];
      expect(await test.onReplica.pushedRequests.find(request.idHash)).toEqual(request);
      expect(await test.pushedRequests.find(randomBytes(32))).toBeUndefined();
      expect(await test.pushedRequests.consume(request.idHash)).toBe(true);
      expect(await test.pushedRequests.find(request.idHash)).toEqual({ ...request, parameters: '' });
      expect(await test.pushedRequests.consume(request.idHash)).toBe(false);
      expect(await test.pushedRequests.find(other.idHash)).toEqual(other);
    });

    it('may be as long as the longest that is taken', async () => {
      const request = await insert({ parameters: `state=${'s'.repeat(16_384 - 6)}` });
      expect(await test.pushedRequests.find(request.idHash)).toEqual(request);
    });

    it('are consumed by exactly one of sixteen at the same moment', async () => {
      const { idHash } = await insert();
      expect(await countWinners((turn) => storesOf(turn).pushedRequests.consume(idHash))).toBe(1);
    });
  });

  describe('session participants', () => {
    const insert = async (fields: Parameters<typeof buildParticipant>[0] = {}) => {
      const participant = buildParticipant(fields);
      await test.participants.insert(participant);
      return participant;
    };
    const listDue = async (now: number, sessionId: string) =>
      (await test.participants.listDue(now, 1_000)).filter((each) => each.sessionId === sessionId);

    it('are not due while their session goes on', async () => {
      const { sessionId } = await insert();
      expect(await listDue(start + 10 ** 9, sessionId)).toEqual([]);
    });

    it('are all due once the session has ended, and those of no other session', async () => {
      const sessionId = createId();
      const inserted = [await insert({ sessionId }), await insert({ sessionId })];
      const other = await insert();
      await test.participants.startTelling(sessionId, { now: start + 5, expiresAt: start + 600_000 });
      expect(await listDue(start + 4, sessionId)).toEqual([]);
      const due = await listDue(start + 5, sessionId);
      const expected = inserted.map((each) => ({ ...each, tellAt: start + 5, expiresAt: start + 600_000 }));
      const byClient = (a: { clientId: string }, b: { clientId: string }) => (a.clientId < b.clientId ? -1 : 1);
      expect(due.sort(byClient)).toEqual(expected.sort(byClient));
      expect(await listDue(start + 10 ** 9, other.sessionId)).toEqual([]);
    });

    it('take part once, and the first stays as it was', async () => {
      const participant = await insert();
      await test.participants.insert({ ...participant, expiresAt: start + 1 });
      const inserting = Array.from({ length: 16 }, (_, turn) => storesOf(turn).participants.insert(participant));
      await expect(Promise.all(inserting)).resolves.toHaveLength(16);
      await test.participants.startTelling(participant.sessionId, { now: start, expiresAt: start + 7 });
      expect(await listDue(start, participant.sessionId)).toEqual([
        { ...participant, tellAt: start, expiresAt: start + 7 },
      ]);
    });

    it('are claimed by exactly one of sixteen who saw the same time, and are due again when that has come', async () => {
      const seen = await insert({ tellAt: start + 1 });
      const winners = await countWinners((turn) => storesOf(turn).participants.claim(seen, start + 30_000 + turn));
      expect(winners).toBe(1);
      expect(await listDue(start + 29_999, seen.sessionId)).toEqual([]);
      const [again] = await listDue(start + 30_015, seen.sessionId);
      expect(again?.tellAt).toBeGreaterThanOrEqual(start + 30_000);
      expect(await test.participants.claim(seen, start + 99_000)).toBe(false);
    });

    it('are claimed by no one while their session goes on, nor once they are gone', async () => {
      const going = await insert();
      expect(await test.participants.claim(going, start + 1)).toBe(false);
      const gone = buildParticipant({ tellAt: start });
      expect(await test.participants.claim(gone, start + 1)).toBe(false);
    });

    it('are listed from the one that waits longest, no more than asked for', async () => {
      await test.database.execute('DELETE FROM session_participants');
      for (const tellAt of [start + 3, start + 1, start + 2]) await insert({ tellAt });
      const due = await test.participants.listDue(start + 3, 2);
      expect(due.map(({ tellAt }) => tellAt)).toEqual([start + 1, start + 2]);
    });

    it('are gone once they were told, alone', async () => {
      const sessionId = createId();
      const [told, other] = [await insert({ sessionId, tellAt: start }), await insert({ sessionId, tellAt: start })];
      await test.participants.delete(told);
      await test.participants.delete(told);
      expect(await listDue(start, sessionId)).toEqual([other]);
    });
  });

  describe('consents', () => {
    it('come back as they were given, for this user and this registration alone', async () => {
      const consent = buildConsent();
      await test.consents.put(consent);
      expect(await test.onReplica.consents.find(consent.userId, consent.registrationId)).toEqual(consent);
      expect(await test.consents.find(createId(), consent.registrationId)).toBeUndefined();
      expect(await test.consents.find(consent.userId, createId())).toBeUndefined();
    });

    it('are replaced by the latest decision, also by sixteen at the same moment', async () => {
      const consent = buildConsent();
      await test.consents.put(consent);
      const later = { ...consent, scope: ['openid', 'email'], grantedAt: start + 1 };
      await test.consents.put(later);
      expect(await test.consents.list(consent.userId)).toEqual([later]);
      const putting = Array.from({ length: 16 }, (_, turn) =>
        storesOf(turn).consents.put({ ...consent, grantedAt: start + 10 + turn }),
      );
      await expect(Promise.all(putting)).resolves.toHaveLength(16);
      expect(await test.consents.list(consent.userId)).toHaveLength(1);
    });

    it('are listed for one user, in the order of the client_ids', async () => {
      const userId = createId();
      const given = ['b', 'a', 'C'].map((clientId) => buildConsent({ userId, clientId }));
      for (const consent of [...given, buildConsent()]) await test.consents.put(consent);
      const clientIds = (await test.consents.list(userId)).map(({ clientId }) => clientId);
      expect(clientIds).toEqual(['C', 'a', 'b']);
      expect(await test.consents.list(createId())).toEqual([]);
    });

    it('are taken back one by one, and again without effect; what is no id takes nothing back', async () => {
      const userId = createId();
      const [taken, kept] = [buildConsent({ userId }), buildConsent({ userId })];
      for (const consent of [taken, kept]) await test.consents.put(consent);
      for (const id of ['', 'x', '%', `${kept.registrationId}x`, taken.registrationId, taken.registrationId])
        await test.consents.delete(userId, id);
      await test.consents.delete(createId(), kept.registrationId);
      expect(await test.consents.list(userId)).toEqual([kept]);
    });
  });

  describe('used identifiers', () => {
    it('are used once', async () => {
      const [identifier, other] = [randomBytes(32), randomBytes(32)];
      expect(await test.usedIdentifiers.use(identifier, start)).toBe(true);
      expect(await test.usedIdentifiers.use(identifier, start + 1)).toBe(false);
      expect(await test.onReplica.usedIdentifiers.use(identifier, start)).toBe(false);
      expect(await test.usedIdentifiers.use(other, start)).toBe(true);
    });

    it('are used by exactly one of sixteen at the same moment', async () => {
      const identifier = randomBytes(32);
      expect(await countWinners((turn) => storesOf(turn).usedIdentifiers.use(identifier, start))).toBe(1);
    });
  });
});
