import { randomBytes } from 'node:crypto';
import { createId, idToBytes } from '@gatehouse/service-kit';
import { purgeExpiredBatch } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import type { StoredSigningKey } from '../../src/keys/signing-key.ts';
import { generateSigningKey } from '../../src/keys/signing-key.ts';
import { expiringTables } from '../../src/schema/tables.ts';
import { createRememberedBrowserStore } from '../../src/sessions/remembered-browser-store.ts';
import {
  buildCode,
  buildDeviceCode,
  buildParticipant,
  buildPushedRequest,
  buildRefreshToken,
  buildSession,
  start,
} from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

const encryption = createKeyEncryption(randomBytes(32));
const makeKey = (generation: number, expiresAt = start + 1_000) =>
  generateSigningKey('ES256', { generation, publishAt: start - 2, signFrom: start - 1, expiresAt }, encryption);

describe.each(testDialects)('session and key stores on %s', (dialect) => {
  let test: TestStores;

  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  it('gives a browser session back by the hash of its token, until it is deleted', async () => {
    const [session, other] = [buildSession(), buildSession()];
    await test.sessions.insert(session);
    await test.sessions.insert(other);
    expect(await test.sessions.find(session.tokenHash)).toEqual(session);
    expect(await test.sessions.find(randomBytes(32))).toBeUndefined();
    await test.sessions.delete(session.tokenHash);
    await test.sessions.delete(session.tokenHash);
    expect(await test.sessions.find(session.tokenHash)).toBeUndefined();
    expect(await test.sessions.find(other.tokenHash)).toEqual(other);
  });

  it('gives signing keys back as they were inserted, until their time is over', async () => {
    const key = await makeKey(1);
    expect(await test.signingKeys.insert(key)).toBe(true);
    expect(await test.signingKeys.list(start + 999)).toEqual([key]);
    expect(await test.signingKeys.list(start + 1_000)).toEqual([]);
  });

  it('takes each generation of an algorithm once', async () => {
    expect(await test.signingKeys.insert(await makeKey(1))).toBe(false);
    const rsa: StoredSigningKey = { ...(await makeKey(1)), algorithm: 'RS256' };
    expect(await test.signingKeys.insert(rsa)).toBe(true);
  });

  it('lets exactly one of sixteen replicas make a generation', async () => {
    const replica = test.onReplica.signingKeys;
    const keys = await Promise.all(Array.from({ length: 16 }, () => makeKey(2)));
    const winners = await countWinners((turn) =>
      (turn % 2 === 0 ? test.signingKeys : replica).insert(keys[turn] as StoredSigningKey),
    );
    expect(winners).toBe(1);
    const stored = await test.signingKeys.list(start);
    expect(stored.filter(({ generation, algorithm }) => generation === 2 && algorithm === 'ES256')).toHaveLength(1);
  });

  describe('signing keys that are replaced', () => {
    const expiryOf = async (kid: string) =>
      (await test.signingKeys.list(start)).find((key) => key.kid === kid)?.expiresAt;

    it('retire: earlier generations of the algorithm are shown until then, later ones and other keys as before', async () => {
      const [one, two, three] = [await makeKey(21), await makeKey(22), await makeKey(23)];
      const rsa: StoredSigningKey = { ...(await makeKey(21)), algorithm: 'RS256' };
      for (const key of [one, two, three, rsa]) expect(await test.signingKeys.insert(key)).toBe(true);
      await test.signingKeys.retire('ES256', 23, start + 500);
      const after = await Promise.all([one, two, three, rsa].map(({ kid }) => expiryOf(kid)));
      expect(after).toEqual([start + 500, start + 500, start + 1_000, start + 1_000]);
    });

    it('are never shown longer by a second rotation', async () => {
      const key = await makeKey(30);
      await test.signingKeys.insert(key);
      await test.signingKeys.retire('ES256', 31, start + 400);
      await test.signingKeys.retire('ES256', 31, start + 900);
      expect(await expiryOf(key.kid)).toBe(start + 400);
    });

    it('are encrypted again where the stored text is the one that was seen, and else left alone', async () => {
      const key = await makeKey(40);
      await test.signingKeys.insert(key);
      const textOf = async () =>
        (await test.signingKeys.list(start)).find(({ kid }) => kid === key.kid)?.encryptedPrivateKey;
      await test.signingKeys.replaceEncryptedKey(key.kid, 'v1.another.text', 'lost');
      expect(await textOf()).toBe(key.encryptedPrivateKey);
      await test.signingKeys.replaceEncryptedKey(key.kid, key.encryptedPrivateKey, 'v1.anew');
      await test.onReplica.signingKeys.replaceEncryptedKey(key.kid, key.encryptedPrivateKey, 'v1.too-late');
      expect(await textOf()).toBe('v1.anew');
    });
  });

  describe('purging', () => {
    const insertExpiring: Record<string, (expiresAt: number) => Promise<unknown>> = {
      authorization_codes: (expiresAt) => test.codes.insert(buildCode({ expiresAt })),
      device_codes: (expiresAt) => test.deviceCodes.insert(buildDeviceCode({ expiresAt })),
      refresh_tokens: (expiresAt) => test.refreshTokens.insert(buildRefreshToken({ expiresAt })),
      revocations: (expiresAt) => test.revocations.add(randomBytes(32), expiresAt),
      browser_sessions: (expiresAt) => test.sessions.insert(buildSession({ expiresAt })),
      signing_keys: async (expiresAt) => test.signingKeys.insert(await makeKey(expiresAt - start, expiresAt)),
      pushed_requests: (expiresAt) => test.pushedRequests.insert(buildPushedRequest({ expiresAt })),
      used_identifiers: (expiresAt) => test.usedIdentifiers.use(randomBytes(32), expiresAt),
      remembered_browsers: (expiresAt) =>
        createRememberedBrowserStore(test.database).insert({
          ...{ id: createId(), tokenHash: randomBytes(32), userId: createId(), passwordChangedAt: start },
          ...{ label: 'Firefox on Linux', network: '192.0.2.1', createdAt: start, lastUsedAt: start, expiresAt },
        }),
      session_participants: (expiresAt) => test.participants.insert(buildParticipant({ expiresAt })),
      status_blocks: (expiresAt) =>
        test.statuses.reserve({ listId: 7, registrationId: createId(), generation: 0, size: 16, expiresAt }),
      status_revocations: (expiresAt) =>
        test.statuses.revoke({ listId: 7, first: expiresAt - start, size: 1, expiresAt }),
      failed_attempts: (expiresAt) =>
        test.database.execute('INSERT INTO failed_attempts VALUES (?, ?, ?, ?)', [
          idToBytes(createId()),
          randomBytes(32),
          randomBytes(32),
          expiresAt,
        ]),
      known_networks: (expiresAt) =>
        test.database.execute('INSERT INTO known_networks (pair_hash, name_hash, expires_at) VALUES (?, ?, ?)', [
          randomBytes(32),
          randomBytes(32),
          expiresAt,
        ]),
      request_budgets: (expiresAt) =>
        test.database.execute('INSERT INTO request_budgets (key_hash, used, expires_at) VALUES (?, 1, ?)', [
          randomBytes(32),
          expiresAt,
        ]),
      grant_statuses: (expiresAt) =>
        test.database.execute(
          `INSERT INTO grant_statuses (list_id, status_index, subject_list_id, subject_index, grant_id, registration_id, generation,
            expires_at) VALUES (1, ?, 1, 1, ?, ?, 0, ?)`,
          [expiresAt - start, idToBytes(createId()), idToBytes(createId()), expiresAt],
        ),
      initial_access_tokens: (expiresAt) =>
        test.database.execute(
          `INSERT INTO initial_access_tokens (id, token_hash, uses, uses_left, limits, created_at, expires_at)
            VALUES (?, ?, 1, 1, '{}', ?, ?)`,
          [idToBytes(createId()), randomBytes(32), start, expiresAt],
        ),
      upstream_attempts: (expiresAt) =>
        test.database.execute(
          `INSERT INTO upstream_attempts (state_hash, id, upstream_id, browser_hash, place, carried, status, began_at, expires_at)
            VALUES (?, ?, ?, ?, '', '', 'open', ?, ?)`,
          [randomBytes(32), randomBytes(16), randomBytes(16), randomBytes(32), start, expiresAt],
        ),
      audit_events: (expiresAt) =>
        test.database.execute(
          `INSERT INTO audit_events (id, occurred_at, type, outcome, actor_kind, details, expires_at)
            VALUES (?, ?, 'sign_out', 'succeeded', 'user', '{}', ?)`,
          [idToBytes(createId()), start, expiresAt],
        ),
      refusals: (expiresAt) =>
        test.database.execute(
          `INSERT INTO refusals (id, occurred_at, request_id, operation, status, code, reason, network, expires_at)
            VALUES (?, ?, 'a-request', 'issueToken', 401, 'invalid_client', 'the secret is wrong', '192.0.2.1', ?)`,
          [idToBytes(createId()), start, expiresAt],
        ),
      usage_counts: (expiresAt) =>
        test.database.execute(
          `INSERT INTO usage_counts (step, measure, client_id, starts_at, detail, writer, amount, expires_at)
            VALUES ('hour', 'tokens', '', ?, 'issued', ?, 1, ?)`,
          [start, idToBytes(createId()), expiresAt],
        ),
    };

    it('knows every table whose rows expire', () => {
      expect([...expiringTables].sort()).toEqual(Object.keys(insertExpiring).sort());
    });

    it.each(expiringTables)('deletes what has expired from %s, and nothing else', async (table) => {
      await test.database.execute(`DELETE FROM ${table}`);
      for (const expiresAt of [start + 10, start + 20, start + 21]) await insertExpiring[table]?.(expiresAt);
      expect(await purgeExpiredBatch(test.database, table, start + 20)).toBe(2);
      const left = await test.database.query<{ expires_at: unknown }>(`SELECT expires_at FROM ${table}`);
      expect(left.map((row) => Number(row.expires_at))).toEqual([start + 21]);
    });

    it('is shared between two replicas without an error', async () => {
      for (let turn = 0; turn < 40; turn += 1) await insertExpiring.revocations?.(start + 1);
      const purged = await Promise.all(
        [test.database, test.replica, test.database, test.replica].map((database) =>
          purgeExpiredBatch(database, 'revocations', start + 5),
        ),
      );
      expect(purged.reduce((sum, count) => sum + count)).toBe(40);
    });
  });
});
