import type { SlowHash } from '@gatehouse/service-kit';
import { createCheckGuess, type GuessLimit } from '@gatehouse/service-kit/guess-limit';
import { describe, expect, it } from '@jest/globals';
import { buildUser } from '../src/users/administer-users.ts';
import type { User } from '../src/users/user.ts';
import type { UserStore } from '../src/users/user-store.ts';
import { createVerifyPassword } from '../src/users/verify-password.ts';

const username = 'ada@example.com';
const before = buildUser({ username, userType: 'Person' }, 'hash of old', 1);
const check = { username, password: 'old', address: '192.0.2.1' };

/** Hashes that end when the test says so; a password matches `hash of <password>`. */
function createLab() {
  let user: User = before;
  const hashes: (() => void)[] = [];
  const verify: SlowHash['verify'] = (stored, password) =>
    new Promise((resolve) => void hashes.push(() => resolve(stored === `hash of ${password}`)));
  const count: GuessLimit['count'] = async () => ({ isKnown: false, isSpread: false, takeBack: async () => {} });
  const verifyPassword = createVerifyPassword({
    users: { findByUsername: async () => user } as unknown as UserStore,
    slowHash: { verify } as SlowHash,
    checkGuess: createCheckGuess({
      guessLimit: { count, findRetryAfter: async () => undefined },
      knownNetworks: { isKnown: async () => false, remember: async () => {} },
      clock: () => 1,
    }),
    tell() {},
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    async ask() {
      const answer = verifyPassword(check);
      await settle();
      return { answer };
    },
    change: (changes: Partial<User>) => {
      user = { ...user, ...changes };
    },
    async finish() {
      for (; hashes.length > 0; await settle()) for (const end of hashes.splice(0)) end();
    },
    hashes: () => hashes.length,
  };
}

describe('the same password for the same user at the same moment', () => {
  it('is compared once', async () => {
    const lab = createLab();
    const asked = [await lab.ask(), await lab.ask()];
    expect(lab.hashes()).toBe(1);
    await lab.finish();
    for (const { answer } of asked) expect(await answer).toEqual({ outcome: 'verified', user: before });
  });

  it('is wrong for those who ask after the password was changed, while it is compared for others', async () => {
    const lab = createLab();
    const early = await lab.ask();
    lab.change({ passwordHash: 'hash of new', passwordChangedAt: 2 });
    const late = await lab.ask();
    await lab.finish();
    expect(await early.answer).toEqual({ outcome: 'verified', user: before });
    expect(await late.answer).toEqual({ outcome: 'wrong', userId: before.id });
  });
});
