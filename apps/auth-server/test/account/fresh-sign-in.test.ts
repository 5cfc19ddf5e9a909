import type { RemovedMethod } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { findFreshStep } from '../../src/account/fresh-sign-in.ts';
import { isLastWayIn } from '../../src/account/last-way-in.ts';
import { noProofs, type Proofs } from '../../src/levels/proofs.ts';
import { buildSession, buildUser, start } from '../support/builders.ts';

describe('the step before a change of the methods', () => {
  const now = start;
  /** Seconds, so long before. */
  const ago = (seconds: number) => start / 1000 - seconds;
  const find = (proofs: Partial<Proofs>, secondStep: boolean) =>
    findFreshStep(
      { user: buildUser({ secondStep }), session: buildSession({ proofs: { ...noProofs, ...proofs } }) },
      now,
    );

  it.each<[string, Partial<Proofs>, 'sign_in' | undefined]>([
    ['a password just now', { passwordAt: ago(0) }, undefined],
    ['a password a second less than ten minutes ago', { passwordAt: ago(599) }, undefined],
    ['a password ten minutes ago', { passwordAt: ago(600) }, 'sign_in'],
    ['a passkey alone', { passkeyAt: ago(1), passkeyUv: true }, undefined],
    ['an old password and a new passkey', { passwordAt: ago(4000), passkeyAt: ago(1), passkeyUv: true }, undefined],
    ['an old passkey', { passkeyAt: ago(600), passkeyUv: true }, 'sign_in'],
    ['a new code after an old password', { passwordAt: ago(600), codeAt: ago(1) }, 'sign_in'],
  ])('of a user without a second step, after %s', (_case, proofs, step) => {
    expect(find(proofs, false)).toBe(step);
  });

  it.each<[string, Partial<Proofs>, 'sign_in' | 'second_step' | undefined]>([
    ['a password alone', { passwordAt: ago(1) }, 'second_step'],
    ['a password and a code', { passwordAt: ago(20), codeAt: ago(1) }, undefined],
    ['a password ten minutes ago and a code', { passwordAt: ago(600), codeAt: ago(1) }, 'sign_in'],
    ['a password and a code ten minutes ago', { passwordAt: ago(1), codeAt: ago(600) }, 'second_step'],
    ['a password and a passkey that asks for nothing', { passwordAt: ago(20), passkeyAt: ago(1) }, undefined],
    ['an old password and such a passkey', { passwordAt: ago(600), passkeyAt: ago(1) }, 'sign_in'],
    ['a passkey alone', { passkeyAt: ago(599), passkeyUv: true }, undefined],
    ['an old passkey', { passkeyAt: ago(600), passkeyUv: true }, 'sign_in'],
    ['an old passkey and a password', { passwordAt: ago(1), passkeyAt: ago(600), passkeyUv: true }, 'second_step'],
  ])('of a user with a second step, after %s', (_case, proofs, step) => {
    expect(find(proofs, true)).toBe(step);
  });
});

describe('the last way in', () => {
  const password = { changedAt: new Date(start).toISOString() };
  const passkey = (id: string, userVerified = true) => ({
    ...{ id, userVerified, name: '', createdAt: password.changedAt, lastUsedAt: null },
    ...{ backupEligible: false, backedUp: false, transports: [], aaguid: '' },
  });

  const identity = (id: string, isEnabled = true) => ({
    ...{ id, isEnabled, name: '', issuer: id, upstream: '', subject: '', linkedAt: password.changedAt },
  });
  type Passkeys = ReturnType<typeof passkey>[];
  type Identities = ReturnType<typeof identity>[];

  it.each<[string, typeof password | null, Passkeys, Identities, string[]]>([
    ['a password alone', password, [], [], ['password']],
    ['a password beside a passkey that signs nobody in alone', password, [passkey('a', false)], [], ['password']],
    ['a password beside a passkey', password, [passkey('a')], [], []],
    ['a passkey alone', null, [passkey('a')], [], ['a']],
    ['a passkey beside one that signs nobody in alone', null, [passkey('a', false), passkey('b')], [], ['b']],
    ['one of two passkeys', null, [passkey('a'), passkey('b')], [], []],
    ['a password beside an identity', password, [], [identity('i')], []],
    ['a password beside an identity of no enabled upstream', password, [], [identity('i', false)], ['password']],
    ['a passkey beside an identity', null, [passkey('a')], [identity('i')], []],
    ['an identity alone', null, [], [identity('i')], ['i']],
    ['an identity beside one of no enabled upstream', null, [], [identity('i'), identity('j', false)], ['i']],
    ['one of two identities', null, [], [identity('i'), identity('j')], []],
  ])('is %s', (_case, ofUser, passkeys, identities, expected) => {
    const methods = { password: ofUser, passkeys, codeApp: null, recoveryCodes: null, secondStep: false };
    const ways = { methods, identities, roles: [] };
    const removals: [string, RemovedMethod][] = [
      ...(ofUser === null ? [] : [['password', { password: true }] as [string, RemovedMethod]]),
      ...passkeys
        .filter(({ userVerified }) => userVerified)
        .map(({ id }): [string, RemovedMethod] => [id, { passkey: id }]),
      ...identities.map(({ id }): [string, RemovedMethod] => [id, { identity: id }]),
    ];
    expect(removals.filter(([, removed]) => isLastWayIn(ways, removed)).map(([name]) => name)).toEqual(expected);
  });

  it('of a SystemAdministrator is a password or a passkey, whatever identities there are', () => {
    const methods = { password, passkeys: [], codeApp: null, recoveryCodes: null, secondStep: false };
    const ways = { methods, identities: [identity('i')], roles: ['SystemAdministrator'] };
    expect(isLastWayIn(ways, { password: true })).toBe(true);
    expect(isLastWayIn(ways, { identity: 'i' })).toBe(false);
    const byPasskey = { ...ways, methods: { ...methods, password: null, passkeys: [passkey('a')] } };
    expect(isLastWayIn(byPasskey, { passkey: 'a' })).toBe(true);
  });
});
