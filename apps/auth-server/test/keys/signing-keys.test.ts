import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger, Repeat } from '@gatehouse/service-kit';
import { purgeExpiredBatch } from '@gatehouse/service-kit/database';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { deleteUnreadableKeys } from '../../src/keys/delete-unreadable-keys.ts';
import { keepKeysCurrent } from '../../src/keys/keep-keys-current.ts';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import type { StoredSigningKey } from '../../src/keys/signing-key.ts';
import { generateSigningKey } from '../../src/keys/signing-key.ts';
import { createSigningKeyStore, type SigningKeyStore } from '../../src/keys/signing-key-store.ts';
import { createSigningKeys } from '../../src/keys/signing-keys.ts';
import { start } from '../support/builders.ts';
import { openStores, silentLog, type TestStores } from '../support/stores.ts';

const encryption = createKeyEncryption(randomBytes(32));

describe('signing keys', () => {
  let test: TestStores;
  /** An ES256 key and an RS256 key: the latter takes a fifth of a second to make. */
  let madeBefore: StoredSigningKey[];
  let now = start;
  const open = (keys = test.signingKeys, cipher = encryption) =>
    createSigningKeys({ signingKeys: keys, encryption: cipher, clock: () => now, log: silentLog });

  beforeAll(async () => {
    test = await openStores('sqlite');
    await test.database.execute('DELETE FROM signing_keys');
    await open().load();
    madeBefore = await test.signingKeys.list(now);
  });
  beforeEach(async () => {
    now = start;
    await test.database.execute('DELETE FROM signing_keys');
  });
  afterAll(() => test.close());

  const insertMadeBefore = async () => {
    for (const key of madeBefore) await test.signingKeys.insert(key);
  };
  const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid;

  it('are not ready, and sign nothing, before they are loaded', async () => {
    const keys = open();
    await expect(keys.check()).rejects.toThrow('ES256 and RS256');
    expect(() => keys.sign('ES256', 'JWT', {})).toThrow('no ES256 key to sign with');
    expect(keys.publicKeys()).toEqual([]);
  });

  it('are made once: one for each algorithm, however often they are loaded', async () => {
    const keys = open();
    await keys.load();
    await keys.load();
    await expect(keys.check()).resolves.toBeUndefined();
    const published = keys.publicKeys();
    expect(published.map(({ alg }) => alg).sort()).toEqual(['ES256', 'RS256']);
    const restarted = open();
    await restarted.load();
    expect(restarted.publicKeys()).toEqual(published);
  });

  it('are read by one statement where none is to be made', async () => {
    await insertMadeBefore();
    let readings = 0;
    const list: SigningKeyStore['list'] = (at) => {
      readings += 1;
      return test.signingKeys.list(at);
    };
    await open({ ...test.signingKeys, list }).load();
    expect(readings).toBe(1);
  });

  it('are read every two seconds, and the log is told where that fails', async () => {
    const notes: unknown[] = [];
    const log = { ...silentLog, debug: (...note: unknown[]) => notes.push(note) } as unknown as Logger;
    const repeated: [() => void, number][] = [];
    const stop = () => {};
    const repeat: Repeat = (...work) => {
      repeated.push(work);
      return stop;
    };
    let isAway = false;
    const away = new Error('out of reach');
    const loads: boolean[] = [];
    const load = async () => {
      loads.push(isAway);
      if (isAway) throw away;
    };
    expect(keepKeysCurrent({ signingKeys: { ...open(), load }, repeat, log })).toBe(stop);
    const [[read, interval] = [() => {}, 0]] = repeated;
    read();
    isAway = true;
    read();
    await nextTurn();
    expect([interval, loads]).toEqual([2_000, [false, true]]);
    expect(notes).toEqual([[{ err: away }, 'signing keys could not be read again']]);
  });

  it('are made once by two replicas that start at the same moment, and both sign with the same', async () => {
    const replicas = [open(), open(createSigningKeyStore(test.replica))];
    await Promise.all(replicas.map((keys) => keys.load()));
    const rows = await test.database.query('SELECT * FROM signing_keys');
    expect(rows).toHaveLength(2);
    for (const algorithm of ['ES256', 'RS256'] as const) {
      const [one, two] = replicas.map((keys) => kidOf(keys.sign(algorithm, 'JWT', {})));
      expect(one).toBe(two);
    }
  });

  it('show of themselves the public half alone (RFC 7517)', async () => {
    await insertMadeBefore();
    const keys = open();
    await keys.load();
    for (const jwk of keys.publicKeys()) {
      const members =
        jwk.kty === 'EC' ? ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'] : ['alg', 'e', 'kid', 'kty', 'n', 'use'];
      expect(Object.keys(jwk).sort()).toEqual(members);
      expect(jwk.use).toBe('sig');
    }
  });

  it.each(['ES256', 'RS256'] as const)(
    'sign %s so that the published key verifies it (RFC 7515)',
    async (algorithm) => {
      await insertMadeBefore();
      const keys = open();
      await keys.load();
      const jwt = keys.sign(algorithm, 'test+jwt', { sub: 'ünïcode' });
      const { payload, protectedHeader } = await jwtVerify(jwt, keys.getKey, {
        typ: 'test+jwt',
        algorithms: [algorithm],
      });
      expect(payload).toEqual({ sub: 'ünïcode' });
      expect(protectedHeader).toEqual({ alg: algorithm, typ: 'test+jwt', kid: kidOf(jwt) });
      const changed = jwt.replace(/\.[^.]*\./, `.${Buffer.from('{"sub":"x"}').toString('base64url')}.`);
      await expect(jwtVerify(changed, keys.getKey)).rejects.toThrow();
    },
  );

  it('hand over by the clock alone: published first, then signing, then shown until they expire', async () => {
    await insertMadeBefore();
    const keys = open();
    await keys.load();
    const former = kidOf(keys.sign('ES256', 'JWT', {}));
    const schedule = { generation: 2, publishAt: start + 1_000, signFrom: start + 5_000, expiresAt: start + 9_000 };
    const next = await generateSigningKey('ES256', schedule, encryption);
    await test.signingKeys.insert(next);
    await keys.load();
    const at = (time: number) => {
      now = time;
      return {
        signs: kidOf(keys.sign('ES256', 'JWT', {})),
        published: keys.publicKeys().some(({ kid }) => kid === next.kid),
      };
    };
    expect(at(start + 999)).toEqual({ signs: former, published: false });
    expect(at(start + 1_000)).toEqual({ signs: former, published: true });
    expect(at(start + 4_999)).toEqual({ signs: former, published: true });
    expect(at(start + 5_000)).toEqual({ signs: next.kid, published: true });
    expect(at(start + 8_999)).toEqual({ signs: next.kid, published: true });
    expect(at(start + 9_000)).toEqual({ signs: former, published: false });
  });

  it('verify what a former key signed while it is published, and no longer', async () => {
    const schedule = { generation: 1, publishAt: start, signFrom: start, expiresAt: start + 5_000 };
    await test.signingKeys.insert(await generateSigningKey('ES256', schedule, encryption));
    const keys = open();
    await keys.load();
    const jwt = keys.sign('ES256', 'JWT', {});
    const schedule2 = { generation: 2, publishAt: start, signFrom: start + 1_000, expiresAt: start + 99_000 };
    await test.signingKeys.insert(await generateSigningKey('ES256', schedule2, encryption));
    await keys.load();
    now = start + 1_000;
    expect(kidOf(keys.sign('ES256', 'JWT', {}))).not.toBe(kidOf(jwt));
    await expect(jwtVerify(jwt, keys.getKey)).resolves.toBeDefined();
    now = start + 5_000;
    await expect(jwtVerify(jwt, keys.getKey)).rejects.toThrow();
  });

  it('verify ES256 by the very same object however often they are read, while they are published', async () => {
    const schedule = { generation: 1, publishAt: start, signFrom: start, expiresAt: start + 5_000 };
    await test.signingKeys.insert(await generateSigningKey('ES256', schedule, encryption));
    const keys = open();
    await keys.load();
    const [es256 = '', rs256 = ''] = (['ES256', 'RS256'] as const).map((alg) => kidOf(keys.sign(alg, 'JWT', {})));
    const key = keys.verificationKeys.findInHand(es256, 'ES256');
    expect(key?.type).toBe('public');
    expect(keys.verificationKeys.findInHand(rs256, 'ES256')).toBeUndefined();
    await keys.load();
    expect(keys.verificationKeys.findInHand(es256, 'ES256')).toBe(key);
    expect(await keys.verificationKeys.find(es256, 'ES256')).toBe(key);
    now = start + 5_000;
    expect(keys.verificationKeys.findInHand(es256, 'ES256')).toBeUndefined();
  });

  it('are made again where the only one of an algorithm has expired and was purged', async () => {
    const schedule = { generation: 1, publishAt: start, signFrom: start, expiresAt: start + 5_000 };
    await test.signingKeys.insert(await generateSigningKey('ES256', schedule, encryption));
    const keys = open();
    await keys.load();
    now = start + 5_000;
    await expect(keys.check()).rejects.toThrow('ES256');
    await purgeExpiredBatch(test.database, 'signing_keys', now);
    await keys.load();
    await expect(keys.check()).resolves.toBeUndefined();
  });

  it('are not loaded, nor made again, with another KEY_ENCRYPTION_KEY', async () => {
    await insertMadeBefore();
    const other = open(test.signingKeys, createKeyEncryption(randomBytes(32)));
    await expect(other.load()).rejects.toThrow(/KEY_ENCRYPTION_KEY[^\n]*recover\.js --new-keys$/);
    await expect(other.check()).rejects.toThrow(
      'no key to sign ES256 and RS256 with: those stored are encrypted with another KEY_ENCRYPTION_KEY; where that is lost, run recover.js --new-keys',
    );
    expect(await test.database.query('SELECT * FROM signing_keys')).toHaveLength(2);
  });

  it('that no key at hand opens are deleted, and no other; the next start makes new ones', async () => {
    await insertMadeBefore();
    const { signingKeys } = test;
    expect(await deleteUnreadableKeys({ signingKeys, encryption })).toEqual([]);
    const schedule = { generation: 2, publishAt: start, signFrom: start, expiresAt: start + 1 };
    const other = createKeyEncryption(randomBytes(32));
    await signingKeys.insert(await generateSigningKey('ES256', schedule, other));
    now = start + 10;
    expect(await deleteUnreadableKeys({ signingKeys, encryption })).toMatchObject([{ generation: 2 }]);
    expect((await deleteUnreadableKeys({ signingKeys, encryption: other })).map(({ kid }) => kid).sort()).toEqual(
      madeBefore.map(({ kid }) => kid).sort(),
    );
    const keys = open(signingKeys, other);
    await keys.load();
    await expect(keys.check()).resolves.toBeUndefined();
  });

  it('are at rest encrypted', async () => {
    await open().load();
    const rows = await test.database.query<{ encrypted_private_key: string }>('SELECT * FROM signing_keys');
    for (const row of rows) {
      expect(JSON.stringify(row)).not.toContain('PRIVATE KEY');
      expect(row.encrypted_private_key).toMatch(/^v1\.[0-9a-f]{16}\.[\w-]{16}\.[\w-]{100,}$/);
    }
  });
});
