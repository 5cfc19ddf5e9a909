import { randomBytes } from 'node:crypto';
import type { Logger } from '@gatehouse/service-kit';
import { maximumAccessTokenValidity } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { createKeyRotation, defaultPublishLead, shortestPublishLead } from '../../src/keys/key-rotation.ts';
import { type KeySummary, summarizeKeys } from '../../src/keys/key-summary.ts';
import type { StoredSigningKey } from '../../src/keys/signing-key.ts';
import { generateSigningKey } from '../../src/keys/signing-key.ts';
import { createSigningKeys } from '../../src/keys/signing-keys.ts';
import { start } from '../support/builders.ts';
import { openStores, silentLog, type TestStores } from '../support/stores.ts';

const root = randomBytes(32);
const encryption = createKeyEncryption(root);
const wrongRoot = randomBytes(32);
const wrongRootEncryption = createKeyEncryption(wrongRoot);
/** Milliseconds in which a token signed at the last moment may still have to be verified. */
const longestToken = maximumAccessTokenValidity * 1_000;

describe.each(testDialects)('key rotation, on %s', (dialect) => {
  let test: TestStores;
  let firstKeys: StoredSigningKey[];
  let now = start;
  const clock = () => now;

  beforeAll(async () => {
    test = await openStores(dialect);
    await test.database.execute('DELETE FROM signing_keys');
    await openKeys().load();
    firstKeys = await test.signingKeys.list(now);
  });
  beforeEach(async () => {
    now = start;
    await test.database.execute('DELETE FROM signing_keys');
    for (const key of firstKeys) await test.signingKeys.insert(key);
  });
  afterAll(() => test.close());

  const openKeys = (cipher = encryption, stores = test) =>
    createSigningKeys({ signingKeys: stores.signingKeys, encryption: cipher, clock, log: silentLog });
  const openRotation = (stores: Pick<TestStores, 'signingKeys'> = test) =>
    createKeyRotation({ signingKeys: stores.signingKeys, encryption, clock });
  const shortOf = (keys: KeySummary[]) => keys.map((key) => `${key.algorithm} #${key.generation} ${key.state}`);
  const listAt = async (time: number) => {
    now = time;
    return shortOf(await openRotation().list());
  };

  it('begins with one signing key of each algorithm', async () => {
    expect(await listAt(start)).toEqual(['ES256 #1 signing', 'RS256 #1 signing']);
  });

  it('shows the next keys first, lets them sign at their time, and drops the former ones once no token needs them', async () => {
    const rotated = await openRotation().rotate(60_000);
    const next = ['ES256 #1 signing', 'ES256 #2 waiting', 'RS256 #1 signing', 'RS256 #2 waiting'];
    expect(shortOf(rotated)).toEqual(next);
    expect(await listAt(start + 59_999)).toEqual(next);
    const handedOver = ['ES256 #1 retiring', 'ES256 #2 signing', 'RS256 #1 retiring', 'RS256 #2 signing'];
    expect(await listAt(start + 60_000)).toEqual(handedOver);
    expect(await listAt(start + 60_000 + longestToken)).toEqual(handedOver);
    expect(await listAt(start + 60_000 + longestToken + 300_000)).toEqual(['ES256 #2 signing', 'RS256 #2 signing']);
  });

  it('gives the times of every key', async () => {
    const rotated = await openRotation().rotate(60_000);
    const [former, next] = rotated;
    expect(former).toMatchObject({ publishAt: start, signFrom: start });
    expect(former?.expiresAt).toBe(start + 60_000 + longestToken + 300_000);
    expect(next).toMatchObject({ publishAt: start, signFrom: start + 60_000 });
    expect(next?.expiresAt).toBe(start + 3_650 * 86_400_000);
    expect(new Set(rotated.map(({ kid }) => kid)).size).toBe(4);
  });

  it('is followed by every process that reads the keys again, without a restart, and by the clock alone', async () => {
    const processes = [openKeys(), openKeys(encryption, { ...test, ...test.onReplica })];
    for (const keys of processes) await keys.load();
    const former = processes[0]?.sign('ES256', 'JWT', { sub: 'x' }) ?? '';
    await openRotation().rotate(shortestPublishLead);
    for (const keys of processes) await keys.load();
    const kids = () => processes.map((keys) => decodeProtectedHeader(keys.sign('ES256', 'JWT', {})).kid);
    const [formerKid] = kids();
    expect(processes.map((keys) => keys.publicKeys().length)).toEqual([4, 4]);
    now = start + shortestPublishLead;
    const [one, two] = kids();
    expect(one).toBe(two);
    expect(one).not.toBe(formerKid);
    for (const keys of processes) await expect(jwtVerify(former, keys.getKey)).resolves.toBeDefined();
  });

  it('by two operators at the same moment makes one generation', async () => {
    const rotations = [openRotation(), openRotation(test.onReplica)];
    await Promise.all(rotations.map((rotation) => rotation.rotate(60_000)));
    expect(await listAt(start)).toEqual([
      'ES256 #1 signing',
      'ES256 #2 waiting',
      'RS256 #1 signing',
      'RS256 #2 waiting',
    ]);
  });

  it('leaves the former keys as they are where another operator was faster', async () => {
    const before = await openRotation().list();
    const taken = openRotation({ signingKeys: { ...test.signingKeys, insert: async () => false } });
    expect(await taken.rotate(shortestPublishLead)).toEqual(before);
  });

  it('counts the generations of each algorithm for itself, from 1 on', async () => {
    await test.database.execute('DELETE FROM signing_keys');
    const schedule = { generation: 5, publishAt: start, signFrom: start, expiresAt: start + longestToken };
    await test.signingKeys.insert(await generateSigningKey('ES256', schedule, encryption));
    const expected = ['ES256 #5 signing', 'ES256 #6 waiting', 'RS256 #1 waiting'];
    expect(shortOf(await openRotation().rotate(60_000))).toEqual(expected);
  });

  it('can follow another one before that has taken effect, and never leaves a moment without a key that signs', async () => {
    await openRotation().rotate(60_000);
    now = start + 30_000;
    await openRotation().rotate(120_000);
    expect(await listAt(start + 30_000)).toEqual(
      ['ES256', 'RS256'].flatMap((name) => [`${name} #1 signing`, `${name} #2 waiting`, `${name} #3 waiting`]),
    );
    expect(await listAt(start + 60_000)).toContain('ES256 #2 signing');
    const keys = openKeys();
    await keys.load();
    for (const time of [start + 30_000, start + 60_000, start + 150_000, start + 10 * 86_400_000]) {
      now = time;
      await expect(keys.check()).resolves.toBeUndefined();
    }
    expect(await listAt(start + 10 * 86_400_000)).toEqual(['ES256 #3 signing', 'RS256 #3 signing']);
  });

  it('in a hurry overtakes one that still waits, for good: what signs is what the list says', async () => {
    await openRotation().rotate(600_000);
    now = start + 1_000;
    await openRotation().rotate(shortestPublishLead);
    const keys = openKeys();
    await keys.load();
    const signerAt = async (time: number) => {
      now = time;
      const { kid } = decodeProtectedHeader(keys.sign('ES256', 'JWT', {}));
      const listed = (await openRotation().list()).filter((key) => key.state === 'signing');
      expect(listed.map((key) => key.kid)).toContain(kid);
      return listed.find((key) => key.kid === kid)?.generation;
    };
    expect(await signerAt(start + 5_999)).toBe(1);
    expect(await signerAt(start + 6_000)).toBe(3);
    expect(await signerAt(start + 600_000)).toBe(3);
    expect(await signerAt(start + 2 * 86_400_000)).toBe(3);
  });

  it('does not keep a former key longer than the rotation that retired it', async () => {
    await openRotation().rotate(60_000);
    const expiryOf = async () => (await openRotation().list())[0]?.expiresAt;
    const before = await expiryOf();
    now = start + 70_000;
    await openRotation().rotate(60_000);
    expect(await expiryOf()).toBe(before);
  });

  describe('with another KEY_ENCRYPTION_KEY than the replicas', () => {
    const wrong = wrongRootEncryption;
    const rotateWith = (cipher: typeof encryption) =>
      createKeyRotation({ signingKeys: test.signingKeys, encryption: cipher, clock }).rotate(60_000);
    const insertUnreadable = async () => {
      const schedule = { generation: 2, publishAt: start + 1, signFrom: start + 1, expiresAt: start + 86_400_000 };
      const key = await generateSigningKey('ES256', schedule, wrong);
      await test.signingKeys.insert(key);
      return key.kid;
    };

    it('makes no key, names the one that it cannot read, and says how to repair that', async () => {
      const before = await test.signingKeys.list(now);
      const fault =
        /KEY_ENCRYPTION_KEY does not decrypt the signing key [\w-]{43}; .*set it to the value that the replicas have/;
      await expect(rotateWith(wrong)).rejects.toThrow(fault);
      // Also where an earlier release made a key with it already, and that key signs.
      await insertUnreadable();
      now = start + 1;
      await expect(rotateWith(wrong)).rejects.toThrow(fault);
      await test.database.execute('DELETE FROM signing_keys WHERE generation = 2');
      expect(await test.signingKeys.list(now)).toEqual(before);
    });

    it('makes no key where there is none to compare with', async () => {
      await test.database.execute('DELETE FROM signing_keys');
      await expect(rotateWith(encryption)).rejects.toThrow('start auth-server, which makes the first');
      expect(await test.signingKeys.list(now)).toEqual([]);
    });

    it('the replicas go on without the key that they cannot read, and a rotation replaces it', async () => {
      const kid = await insertUnreadable();
      now = start + 1;
      const keys = openKeys();
      await keys.load();
      expect(keys.publicKeys().map((key) => key.kid)).toEqual(firstKeys.map((key) => key.kid));
      expect(decodeProtectedHeader(keys.sign('ES256', 'JWT', {})).kid).not.toBe(kid);
      await expect(keys.check()).resolves.toBeUndefined();
      expect(keys.findFault()).toBe(`cannot read the keys ${kid}`);

      await rotateWith(encryption);
      now += 60_000;
      await keys.load();
      expect(keys.summary().map(({ generation }) => generation)).toEqual([1, 3, 1, 2]);
    });

    it('the replicas read the key once they have the wrong one as KEY_ENCRYPTION_KEY_PREVIOUS', async () => {
      await insertUnreadable();
      now = start + 1;
      const running = openKeys();
      await running.load();
      await openKeys(createKeyEncryption(root, wrongRoot)).load();
      await running.load();
      expect([running.findFault(), running.publicKeys().length]).toEqual([undefined, 3]);
    });

    it('the replicas say so once for each key, at level error', async () => {
      const kid = await insertUnreadable();
      const errors: string[] = [];
      const log = { ...silentLog, error: (text: string) => errors.push(text) } as unknown as Logger;
      const keys = createSigningKeys({ signingKeys: test.signingKeys, encryption, clock, log });
      for (let reading = 0; reading < 3; reading += 1) await keys.load();
      expect(errors).toEqual([expect.stringContaining(`the signing key ${kid} cannot be read`)]);
      expect(errors[0]).toContain('set KEY_ENCRYPTION_KEY_PREVIOUS');
    });

    it('a replica that can read no key makes none', async () => {
      await test.database.execute('DELETE FROM signing_keys');
      const kid = await insertUnreadable();
      now = start + 1;
      const fault = `the signing key ${kid} cannot be read, it is encrypted with another KEY_ENCRYPTION_KEY`;
      await expect(openKeys().load()).rejects.toThrow(`${fault}; set the KEY_ENCRYPTION_KEY of the other replicas`);
      expect((await test.signingKeys.list(now)).map((key) => key.kid)).toEqual([kid]);
    });
  });

  it('shows a new key, unless told otherwise, for longer than anybody keeps the key set', () => {
    // The JWKS may be cached for a minute.
    expect(defaultPublishLead).toBeGreaterThanOrEqual(5 * 60_000);
    // Keys are read again every two seconds.
    expect(shortestPublishLead).toBeGreaterThan(2 * 2_000);
  });
});

describe('the state of a key', () => {
  const expiresAt = start + 86_400_000;
  const keyOf = (algorithm: KeySummary['algorithm'], generation: number, signFrom: number) => {
    const kid = `${algorithm} #${generation}`;
    const publicJwk = { kty: 'EC', kid, alg: algorithm, use: 'sig' } as const;
    return { kid, algorithm, generation, publicJwk, publishAt: start - 9, signFrom, expiresAt };
  };

  it('follows from the clock and the generation, in whatever order the keys are read', () => {
    const keys = [
      keyOf('RS256', 1, start - 5),
      keyOf('ES256', 2, start),
      keyOf('ES256', 3, start + 1),
      keyOf('ES256', 1, start - 5),
    ];
    const expected = ['ES256 #1 retiring', 'ES256 #2 signing', 'ES256 #3 waiting', 'RS256 #1 signing'];
    for (const read of [keys, keys.toReversed()]) {
      expect(summarizeKeys(read, start).map(({ kid, state }) => `${kid} ${state}`)).toEqual(expected);
    }
  });
});

describe.each(testDialects)('a change of KEY_ENCRYPTION_KEY, on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  it('encrypts the stored keys again, after which the former one is no longer needed', async () => {
    const clock = () => start;
    const open = (cipher: ReturnType<typeof createKeyEncryption>) =>
      createSigningKeys({ signingKeys: test.signingKeys, encryption: cipher, clock, log: silentLog });
    const textsOf = async () => (await test.signingKeys.list(start)).map((key) => key.encryptedPrivateKey).sort();

    const [former, next] = [root, randomBytes(32)];
    const before = open(createKeyEncryption(former));
    await before.load();
    const jwt = before.sign('ES256', 'JWT', {});
    const stored = await textsOf();

    await expect(open(createKeyEncryption(next)).load()).rejects.toThrow(/KEY_ENCRYPTION_KEY/);
    expect(await textsOf()).toEqual(stored);

    await Promise.all([open(createKeyEncryption(next, former)).load(), open(createKeyEncryption(next, former)).load()]);
    const current = createKeyEncryption(next);
    for (const text of await textsOf()) {
      expect(stored).not.toContain(text);
      expect(current.isCurrent(text)).toBe(true);
    }
    const after = open(current);
    await after.load();
    await expect(jwtVerify(jwt, after.getKey)).resolves.toBeDefined();
    expect(after.publicKeys()).toEqual(before.publicKeys());
    await expect(open(createKeyEncryption(former)).load()).rejects.toThrow(/KEY_ENCRYPTION_KEY/);
  });

  it('leaves what is encrypted with the current key as it is', async () => {
    const cipher = createKeyEncryption(root);
    await test.database.execute('DELETE FROM signing_keys');
    const keys = createSigningKeys({
      signingKeys: test.signingKeys,
      encryption: cipher,
      clock: () => start,
      log: silentLog,
    });
    await keys.load();
    const before = await test.signingKeys.list(start);
    await keys.load();
    expect(await test.signingKeys.list(start)).toEqual(before);
  });
});
