import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { hash as hashBcrypt } from '@node-rs/bcrypt';
import { createSlowHash } from '../src/slow-hash.ts';
import type { Turn } from '../src/turn.ts';

const strangerAt = (network: string): Turn => ({ kind: 'check', known: undefined, network, wideNetwork: network });

describe('slow hash', () => {
  it('is argon2id with the parameters OWASP recommends, and a salt of its own', async () => {
    const { hash } = createSlowHash();
    const [one, other] = await Promise.all([hash('secret'), hash('secret')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(one).not.toContain('secret');
  });

  it('costs what it is told to, also where nothing is stored', async () => {
    const { hash, verify } = createSlowHash({ cost: { memoryCost: 64, timeCost: 3 } });
    const stored = await hash('secret');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=64,t=3,p=1\$/);
    expect([await verify(stored, 'secret'), await verify(stored, 'other')]).toEqual([true, false]);
    expect(await verify(undefined, 'secret')).toBe(false);
  });

  it('tells the right password from a wrong one', async () => {
    const { hash, verify } = createSlowHash();
    const stored = await hash('pässword 😀');
    expect(await verify(stored, 'pässword 😀')).toBe(true);
    expect(await verify(stored, 'pässword 😁')).toBe(false);
    expect(await verify(stored, '')).toBe(false);
  });

  it('works as hard where nothing is stored, and says no', async () => {
    const { hash, verify } = createSlowHash();
    const stored = await hash('secret');
    // Time of the cores, which is the same on a busy machine.
    const leastWork = async (check: () => Promise<boolean>) => {
      const times: number[] = [];
      for (let i = 0; i < 8; i += 1) {
        const before = process.cpuUsage();
        expect(await check()).toBe(false);
        const { user, system } = process.cpuUsage(before);
        times.push(user + system);
      }
      return Math.min(...times);
    };
    const decoy = await leastWork(() => verify(undefined, 'secret'));
    const real = await leastWork(() => verify(stored, 'other'));
    expect(decoy).toBeGreaterThan(real / 3);
    expect(decoy).toBeLessThan(real * 3);
  });

  it('leaves a core for other work', () => {
    expect(createSlowHash().concurrency).toBe(Math.max(1, availableParallelism() - 1));
  });

  it('lets no more run at a time than it may; the rest wait', async () => {
    const slowHash = createSlowHash({ concurrency: 2 });
    const work = Array.from({ length: 6 }, () => slowHash.hash('secret'));
    await Promise.resolve();
    expect(slowHash.waiting()).toBe(4);
    await Promise.all(work);
    expect(slowHash.waiting()).toBe(0);
  });

  it.each([
    ['one by one where few wait', 9, [7, 6, 5, 4, 3, 2, 1, 0, 0]],
    ['in groups of an eighth where many do', 17, [14, 14, 12, 12, 10, 10, 8, 8, 7]],
    ['in groups of eight where more do', 90, [81, 81, 81, 81, 81, 81, 81, 81, 73]],
  ])('hands results out %s', async (_, asked, waiting) => {
    const slowHash = createSlowHash({ concurrency: 1, cost: { memoryCost: 8, timeCost: 1 } });
    const stored = await slowHash.hash('secret');
    const seen: number[] = [];
    const verifyOne = () => slowHash.verify(stored, 'secret').then(() => seen.push(slowHash.waiting()));
    await Promise.all(Array.from({ length: asked }, verifyOne));
    expect(seen.slice(0, 9)).toEqual(waiting);
    expect(seen).toHaveLength(asked);
  });

  it('keeps nothing back when those that wait give up', async () => {
    let now = 0;
    const slowHash = createSlowHash({ concurrency: 1, maxWait: 1_000, now: () => now });
    const all = Array.from({ length: 20 }, () => slowHash.hash('secret'));
    await Promise.resolve();
    now = 1_001;
    const ended = (await Promise.allSettled(all)).map(({ status }) => status);
    expect(ended).toEqual(['fulfilled', ...Array(19).fill('rejected')]);
  });

  it('gives up with a 503 what had to wait too long, and goes on with the rest', async () => {
    let now = 0;
    const slowHash = createSlowHash({ concurrency: 1, maxWait: 1_000, now: () => now });
    const first = slowHash.hash('secret');
    const late = slowHash.verify(undefined, 'secret');
    await Promise.resolve();
    now = 1_001;
    const inTime = slowHash.hash('secret');
    await expect(late).rejects.toMatchObject({ name: 'ProblemError', status: 503, retryAfter: 1 });
    await expect(Promise.all([first, inTime])).resolves.toHaveLength(2);
  });

  it('gives up what waited for more than five seconds, unless told otherwise', async () => {
    let now = 0;
    const slowHash = createSlowHash({ concurrency: 1, now: () => now });
    const both = Promise.allSettled([slowHash.hash('one'), slowHash.hash('two')]);
    now = 5_001;
    expect((await both).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('keeps what waited exactly as long as it may', async () => {
    let now = 0;
    const slowHash = createSlowHash({ concurrency: 1, maxWait: 1_000, now: () => now });
    const both = Promise.all([slowHash.hash('one'), slowHash.hash('two')]);
    now = 1_000;
    await expect(both).resolves.toHaveLength(2);
  });

  it('compares hashes of other servers', async () => {
    const slowHash = createSlowHash({ concurrency: 1 });
    const stored = await hashBcrypt('secret', { cost: 4 });
    expect([await slowHash.verify(stored, 'secret'), await slowHash.verify(stored, 'other')]).toEqual([true, false]);
  });

  it.each(['$6$salt$hash', '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=', ''])(
    'finds no match in a form that is not known: %s',
    async (stored) => {
      expect(await createSlowHash({ cost: { memoryCost: 8, timeCost: 1 } }).verify(stored, 'password')).toBe(false);
    },
  );

  it('compares long hashes of strangers one at a time, and beyond the places of others', async () => {
    const slowHash = createSlowHash({ concurrency: 1 });
    const [long, short] = await Promise.all([12, 4].map((cost) => hashBcrypt('secret', { cost })));
    const ended: string[] = [];
    const check = async (name: string, stored: string | undefined, turn: Turn) =>
      ended.push(`${name} ${await slowHash.verify(stored, 'secret', turn)}`);
    const strangers = [1, 2].map((host) => check(`long ${host}`, long, strangerAt(`192.0.2.${host}`)));
    const others = [3, 4, 5].map((host) => check(`short ${host}`, short, strangerAt(`192.0.2.${host}`)));
    await Promise.resolve();
    expect(slowHash.running()).toBe(2);
    await Promise.all([...strangers, ...others]);
    expect(ended.map((each) => each.split(' ')[0])).toEqual(['short', 'short', 'short', 'long', 'long']);
    expect(ended.every((each) => each.endsWith(' true'))).toBe(true);
  });

  it('takes no more memory at the same time than it may', async () => {
    const form = `$argon2id$v=19$m=65536,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    const slowHash = createSlowHash({ concurrency: 4, memory: 128 });
    const before = process.resourceUsage().maxRSS;
    const hosts = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
    await Promise.all(hosts.map((host) => slowHash.verify(form, 'secret', strangerAt(host))));
    // KiB; each takes 64 MiB.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(160 * 1024);
  });
});
