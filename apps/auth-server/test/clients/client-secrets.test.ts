import { createSlowHash, type SlowHash } from '@gatehouse/service-kit';
import type { CheckGuess } from '@gatehouse/service-kit/guess-limit';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticateByStoredSecret } from '../../src/clients/authenticate-by-stored-secret.ts';
import type { Client } from '../../src/clients/client.ts';
import { buildSecretDigest, createClientSecrets, makeClientSecret } from '../../src/clients/client-secret.ts';
import { buildClient, start } from '../support/builders.ts';

describe('client secrets', () => {
  const slowHash = createSlowHash({ concurrency: 1 });
  let hashes = 0;
  /** The real hash, counted. */
  const counting: SlowHash = {
    ...slowHash,
    verify(stored, secret) {
      hashes += 1;
      return slowHash.verify(stored, secret);
    },
  };
  const clients = { replaceImportedSecret: async () => true };
  let now = start;
  let secrets: ReturnType<typeof createClientSecrets>;
  let hashOf: Record<'one' | 'two', string>;

  beforeAll(async () => {
    hashOf = { one: await slowHash.hash('one'), two: await slowHash.hash('two') };
  });
  beforeEach(() => {
    now = start;
    hashes = 0;
    secrets = createClientSecrets({ slowHash: counting, clients, clock: () => now });
  });

  const isRemembered = (app: Client, secret: string) => secrets.findRemembered(app, secret) !== undefined;
  const isMade = (app: Client, secret: string) => secrets.findMade(app, secret) !== undefined;
  const client = (fields: Partial<Client> = {}) => buildClient({ secretHash: hashOf.one, ...fields });

  it('are stored as argon2id hashes, each with a salt of its own', async () => {
    const [one, two] = [await secrets.hash('one', '192.0.2.1'), await secrets.hash('one', '192.0.2.1')];
    expect(one).toMatch(/^\$argon2id\$v=19\$/);
    expect(one).not.toBe(two);
  });

  it('match, and are then remembered without hashing', async () => {
    const app = client();
    expect(isRemembered(app, 'one')).toBe(false);
    expect(await secrets.verify(app, 'one')).toBe(true);
    expect(hashes).toBe(1);
    expect(isRemembered(app, 'one')).toBe(true);
    for (let turn = 0; turn < 5; turn += 1) expect(await secrets.verify(app, 'one')).toBe(true);
    expect(hashes).toBe(1);
  });

  it.each(['', 'One', 'one ', 'on', 'two'])('do not match where %j is sent, remembered or not', async (wrong) => {
    const app = client();
    await secrets.verify(app, 'one');
    expect(await secrets.verify(app, wrong)).toBe(false);
    expect(isRemembered(app, wrong)).toBe(false);
  });

  it('are remembered for the very hash they matched: a replaced one counts no more', async () => {
    const app = client();
    await secrets.verify(app, 'one');
    const replaced = { ...app, secretHash: hashOf.two };
    expect(isRemembered(replaced, 'one')).toBe(false);
    expect(await secrets.verify(replaced, 'one')).toBe(false);
    expect(await secrets.verify(replaced, 'two')).toBe(true);
  });

  it('work beside their successor until the grace is over, remembered or not', async () => {
    const app = client({
      secretHash: hashOf.two,
      previousSecret: { hash: hashOf.one, digest: undefined, expiresAt: start + 1_000 },
    });
    expect(await secrets.verify(app, 'one')).toBe(true);
    expect(await secrets.verify(app, 'two')).toBe(true);
    expect(await secrets.verify(app, 'three')).toBe(false);
    now = start + 999;
    expect(await secrets.verify(app, 'one')).toBe(true);
    now = start + 1_000;
    expect(await secrets.verify(app, 'one')).toBe(false);
    expect(isRemembered(app, 'one')).toBe(false);
    expect(await secrets.verify(app, 'two')).toBe(true);
  });

  it('cost one hash where there is no client, or a public one, and never match', async () => {
    expect(await secrets.verify(undefined, 'one')).toBe(false);
    expect(hashes).toBe(1);
    expect(await secrets.verify(client({ secretHash: undefined }), 'one')).toBe(false);
    expect(await secrets.verify(client({ secretHash: undefined }), '')).toBe(false);
    expect(hashes).toBe(3);
  });

  it('cost one hash where many present the same one at the same moment, but for one of no client', async () => {
    const app = client();
    const present = (one: Client | undefined) =>
      Promise.all(Array.from({ length: 3 }, () => secrets.verify(one, 'one')));
    expect([await present(app), hashes]).toEqual([[true, true, true], 1]);
    expect([await present(undefined), hashes]).toEqual([[false, false, false], 4]);
  });

  it('are hashed again for one who waits where the first finds no place in the queue', async () => {
    let calls = 0;
    const failingOnce: SlowHash = {
      ...slowHash,
      verify(stored, secret) {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error('no place')) : slowHash.verify(stored, secret);
      },
    };
    const { verify } = createClientSecrets({ slowHash: failingOnce, clients, clock: () => now });
    const results = await Promise.allSettled([verify(client(), 'one'), verify(client(), 'one')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  describe('that the server made', () => {
    const made = (fields: Partial<Client> = {}) => {
      const secretHash = hashOf.one;
      return buildClient({ secretHash, secretDigest: buildSecretDigest(secretHash, 'one'), ...fields });
    };

    it('match by their digest, without hashing, and leave nothing to guess', () => {
      expect(isMade(made(), 'one')).toBe(true);
      expect(isMade(made(), 'two')).toBe(false);
      expect(isMade(client(), 'one')).toBe(false);
      expect(secrets.isGuessable(made())).toBe(false);
      expect(hashes).toBe(0);
    });

    it('are stored as in every release: a name of the hash and the digest of the secret', () => {
      const digest = 'qZP85_sp2nE7XQ0qkTVcau.dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z_0Me0';
      expect(buildSecretDigest('$argon2id$stored', 'one')).toBe(digest);
    });

    it('match no digest of another length', () => {
      expect(isMade(made({ secretDigest: 'short' }), 'one')).toBe(false);
    });

    it('may be guessed as long as a chosen one works beside them, and where there is no client', () => {
      const previousSecret = { hash: hashOf.two, digest: undefined, expiresAt: start + 1_000 };
      expect(secrets.isGuessable(made({ previousSecret }))).toBe(true);
      now = start + 1_000;
      expect(secrets.isGuessable(made({ previousSecret }))).toBe(false);
      expect(secrets.isGuessable(undefined)).toBe(true);
      expect(secrets.isGuessable(client({ secretHash: undefined }))).toBe(true);
    });

    it('are good for nothing once a release without digests replaced the hash alone', () => {
      const replaced = made({ secretHash: hashOf.two });
      expect(isMade(replaced, 'one')).toBe(false);
      expect(secrets.isGuessable(replaced)).toBe(true);
    });

    it('work beside a chosen successor until the grace is over', () => {
      const digest = buildSecretDigest(hashOf.one, 'one');
      const app = client({
        secretHash: hashOf.two,
        previousSecret: { hash: hashOf.one, digest, expiresAt: start + 1 },
      });
      expect(secrets.findMade(app, 'one')?.kind).toBe('previous_secret');
      now = start + 1;
      expect(isMade(app, 'one')).toBe(false);
    });
  });

  describe('that are compared with what is stored', () => {
    const turn = { kind: 'check', known: undefined, network: '203.0.113.1', wideNetwork: '203.0.113.1' } as const;
    const checkNow: CheckGuess = async (_guess, verify) => ({ outcome: await verify(turn) });
    /** As the same guess of somebody else at the same moment was answered. */
    const answered =
      (outcome: 'right' | 'wrong'): CheckGuess =>
      async () => ({ outcome });
    const authenticate = (
      stored: readonly Client[],
      secret: string,
      { checkGuess = checkNow, wait }: { checkGuess?: CheckGuess; wait?: number } = {},
    ) => {
      const clients = { find: async (clientId: string) => stored.find((one) => one.clientId === clientId) };
      const readings = stored.map(({ clientId }) => ({ clientId, secret }));
      const attempt = { subject: 'app', address: '203.0.113.1' };
      const deps = { clients, clientSecrets: secrets, checkGuess };
      return authenticateByStoredSecret(deps, readings, attempt, wait);
    };

    it('give the one client whose secret it is, of all that a header can mean', async () => {
      const [one, two] = [client(), client({ secretHash: hashOf.two })];
      expect((await authenticate([one, two], 'two')).client).toBe(two);
      expect((await authenticate([one, two], 'one')).client).toBe(one);
      await expect(authenticate([one, two], 'three')).rejects.toMatchObject({ code: 'invalid_client' });
    });

    it('give the client at once where the server made the secret, also to who has to wait', async () => {
      const app = client({ secretDigest: buildSecretDigest(hashOf.one, 'one') });
      const proven = await authenticate([app], 'one', { wait: 60 });
      expect([proven.client, proven.secret.kind]).toEqual([app, 'secret']);
      expect(hashes).toBe(0);
      await expect(authenticate([app], 'two', { wait: 60 })).rejects.toMatchObject({ code: 'invalid_client' });
    });

    it('are not hashed for who has to wait', async () => {
      await expect(authenticate([client()], 'one', { wait: 60 })).rejects.toMatchObject({
        status: 429,
        retryAfter: 60,
      });
      expect(hashes).toBe(0);
    });

    it.each([
      ['the same guess was right, but none of these clients matched', 'right', false],
      ['the same guess was wrong, whatever matched before', 'wrong', true],
    ] as const)('are refused where %s', async (_what, outcome, wasRight) => {
      const app = client();
      if (wasRight) await secrets.verify(app, 'one');
      const refused = authenticate([app], 'one', { checkGuess: answered(outcome) });
      await expect(refused).rejects.toMatchObject({ code: 'invalid_client' });
    });
  });

  it('are of 256 bits where the server chooses', () => {
    const made = Array.from({ length: 50 }, makeClientSecret);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(50);
    for (const { secret } of made) expect(secret).toMatch(/^[\w-]{43}$/);
  });

  it('are stored as a digest beside a hash that matches nothing and costs a release without digests nothing', async () => {
    const { secret, stored } = makeClientSecret();
    const app = client(stored);
    expect([isMade(app, secret), secrets.isGuessable(app)]).toEqual([true, false]);
    expect(await slowHash.verify(stored.secretHash, secret)).toBe(false);
    expect(stored.secretHash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  });
});
