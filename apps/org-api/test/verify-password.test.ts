import { OverloadedError, type SlowHash } from '@gatehouse/service-kit';
import { createCheckGuess, type GuessLimit } from '@gatehouse/service-kit/guess-limit';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { describe, expect, it } from '@jest/globals';
import type { Fact } from '../src/events/event.ts';
import { createFactCounters } from '../src/events/metrics.ts';
import { createVerifyPassword } from '../src/passwords/verify-password.ts';
import { buildUser } from '../src/users/build-user.ts';
import type { User } from '../src/users/user.ts';
import type { UserStore } from '../src/users/user-store.ts';

const username = 'ada@example.com';
const before = buildUser({ username, userType: 'Person' }, 'hash of old', 1);
const check = { username, password: 'old', address: '192.0.2.1' };

/** Hashes that end or fail when the test says so; a password matches `hash of <password>`. */
function createLab() {
  let user: User = before;
  const told: Fact[] = [];
  const hashes: ((error?: Error) => void)[] = [];
  const verify: SlowHash['verify'] = (stored, password) =>
    new Promise((resolve, reject) => {
      hashes.push((error) => (error === undefined ? resolve(stored === `hash of ${password}`) : reject(error)));
    });
  const count: GuessLimit['count'] = async () => ({ isKnown: false, isSpread: false, takeBack: async () => {} });
  const verifyPassword = createVerifyPassword({
    users: { findByUsername: async () => user } as unknown as UserStore,
    slowHash: { verify, hash: async (password) => `hash of ${password}` },
    findDecoy: async () => undefined,
    findSecondStep: async () => undefined,
    isManagedElsewhere: async () => false,
    checkGuess: createCheckGuess({
      guessLimit: { count, findRetryAfter: async () => undefined, findWaitOfNetwork: async () => undefined },
      knownNetworks: { isKnown: async () => false, remember: async () => {} },
    }),
    tell: (fact) => void told.push(fact),
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
    async finish(error?: Error) {
      for (; hashes.length > 0; await settle()) for (const end of hashes.splice(0)) end(error);
    },
    told,
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

describe('a check of a password tells', () => {
  it.each<[string, Partial<User>]>([
    ['verified', {}],
    ['disabled', { enabled: false }],
    ['wrong', { passwordHash: 'hash of another' }],
  ])('%s', async (outcome, changes) => {
    const lab = createLab();
    lab.change(changes);
    const { answer } = await lab.ask();
    await lab.finish();
    await answer;
    expect(lab.told).toEqual([{ type: 'password.checked', outcome }]);
  });

  it('failed, where the password cannot be compared now, and so does its caller', async () => {
    const lab = createLab();
    const { answer } = await lab.ask();
    const refused = expect(answer).rejects.toThrow(OverloadedError);
    await lab.finish(new OverloadedError());
    await refused;
    expect(lab.told).toEqual([{ type: 'password.checked', outcome: 'failed' }]);
  });
});

it('what a check of a password tells is counted, and what was not the fault of the password is no refusal', async () => {
  const metrics = createMetrics();
  const tell = createFactCounters(metrics);
  const read = async () => (await metrics.print()).split('\n').filter((line) => line.startsWith('gatehouse_'));
  const before = await read();
  for (const outcome of ['verified', 'disabled', 'wrong', 'limited', 'failed'] as const) {
    tell({ type: 'password.checked', outcome });
  }
  const raised = (await read()).filter((line) => !before.includes(line));
  expect(raised.map((line) => line.replace(/^gatehouse_/, ''))).toEqual([
    'authentication_refusals_total{kind="password",reason="wrong"} 1',
    'authentication_refusals_total{kind="password",reason="disabled"} 1',
    'authentication_refusals_total{kind="password",reason="rate_limited"} 1',
    'password_checks_total{outcome="verified"} 1',
    'password_checks_total{outcome="disabled"} 1',
    'password_checks_total{outcome="wrong"} 1',
    'password_checks_total{outcome="limited"} 1',
    'password_checks_total{outcome="failed"} 1',
  ]);
});
