import type { Level } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { authenticationFromRow } from '../../src/levels/authentication.ts';
import { buildLevelDemand, chooseAuthentication, findShortfall, reaches } from '../../src/levels/level-demand.ts';
import { listReached, noProofs, type Proofs } from '../../src/levels/proofs.ts';

const [password, mfa, phr] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'] as const;
const proofsOf = (proofs: Partial<Proofs>): Proofs => ({ ...noProofs, ...proofs });

describe('the levels that proofs reach', () => {
  it.each<[string, Partial<Proofs>, [Level, string, number][]]>([
    ['a password', { passwordAt: 10 }, [[password, 'pwd', 10]]],
    ['a passkey that verified its user', { passkeyAt: 30, passkeyUv: true }, [[phr, 'pop user mfa', 30]]],
    ['a passkey that did not, alone', { passkeyAt: 30 }, []],
    ['a code alone', { codeAt: 20 }, []],
    [
      'a password and a code: the older one counts',
      { passwordAt: 10, codeAt: 20 },
      [
        [password, 'pwd', 10],
        [mfa, 'pwd otp mfa', 10],
      ],
    ],
    [
      'a password and a passkey that did not verify its user',
      { passwordAt: 40, passkeyAt: 30 },
      [
        [password, 'pwd', 40],
        [phr, 'pwd pop user mfa', 30],
      ],
    ],
    [
      'a password and a newer passkey that verified its user: the newer way counts',
      { passwordAt: 10, passkeyAt: 30, passkeyUv: true },
      [
        [password, 'pwd', 10],
        [phr, 'pop user mfa', 30],
      ],
    ],
  ])('%s', (_what, proofs, expected) => {
    const reached = listReached(proofsOf(proofs)).map(({ acr, amr, authTime }) => [acr, amr.join(' '), authTime]);
    expect(reached).toEqual(expected);
  });
});

describe('what a request demands of the sign-in', () => {
  type Asked = Parameters<typeof buildLevelDemand>[0];
  type Client = Parameters<typeof buildLevelDemand>[1];
  type Apis = Parameters<typeof buildLevelDemand>[2];
  const build = (asked: Partial<Asked>, { client = {}, apis = [] }: { client?: Client; apis?: Apis } = {}) =>
    buildLevelDemand({ acrValues: [], maxAge: undefined, ...asked }, client, apis);

  it('asks for levels in the order of claims, acr_values, default_acr_values; other values are ignored', () => {
    const asked = { acr: { values: [7, password], isEssential: false }, acrValues: ['urn:other', mfa] };
    expect(build(asked, { client: { default_acr_values: [phr] } })).toEqual({
      asked: [password, mfa, phr],
      required: undefined,
      maxAge: undefined,
    });
  });

  it('requires the highest level of the client, its resources and an essential claim, and asks for none below', () => {
    const acr = { values: [phr, mfa], isEssential: true };
    expect(build({ acr, acrValues: [password] })).toMatchObject({ asked: [phr, mfa, mfa], required: mfa });
    const client = { required_acr: password };
    expect(build({ acr }, { client, apis: [{ requiredAcr: phr }, {}] })).toMatchObject({
      asked: [phr, phr],
      required: phr,
    });
  });

  it('has the shortest time of the request and the resources', () => {
    const apis = [{ maxAge: 300 }, { maxAge: 600 }];
    expect([build({}, { apis }).maxAge, build({ maxAge: 60 }, { apis }).maxAge]).toEqual([300, 60]);
    expect(build({ maxAge: 900 }, { apis }).maxAge).toBe(300);
  });
});

describe('what tokens say of the sign-in', () => {
  const proofs = proofsOf({ passwordAt: 100, codeAt: 50 });
  const choose = (demand: { asked?: Level[]; maxAge?: number }, now = 110) => {
    const { acr, authTime } = chooseAuthentication(
      proofs,
      { asked: demand.asked ?? [], required: undefined, maxAge: demand.maxAge },
      now * 1000,
    );
    return [acr, authTime];
  };

  it.each<[string, Parameters<typeof choose>[0], [Level, number]]>([
    ['the first level asked for that the user reached', { asked: [phr, password, mfa] }, [password, 100]],
    ['the highest one where nothing is asked for', {}, [mfa, 50]],
    ['the highest one where nothing that is asked for was reached', { asked: [phr] }, [mfa, 50]],
    ['the highest one that is recent enough', { maxAge: 20 }, [password, 100]],
    ['one that is recent enough, whatever is asked for', { asked: [mfa], maxAge: 20 }, [password, 100]],
    ['the highest one after a sign-in that max_age=0 demanded', { maxAge: 0 }, [mfa, 50]],
  ])('is %s', (_what, demand, expected) => {
    expect(choose(demand)).toEqual(expected);
  });

  it('is a lower level by the methods of a higher one, where the user proved only those', () => {
    const byPasskey = proofsOf({ passkeyAt: 70, passkeyUv: true });
    const demand = { asked: [password], required: undefined, maxAge: undefined };
    expect(chooseAuthentication(byPasskey, demand, 0)).toEqual({
      acr: password,
      amr: ['pop', 'user', 'mfa'],
      authTime: 70,
    });
  });

  it('cannot be chosen without a proof', () => {
    expect(() => chooseAuthentication(noProofs, { asked: [], required: undefined, maxAge: undefined }, 0)).toThrow(
      'no proof of a sign-in',
    );
  });
});

describe('a level that is required', () => {
  it.each<[Level | undefined, boolean]>([
    [undefined, true],
    [password, true],
    [mfa, true],
    [phr, false],
  ])('%s is reached or not by a password and a code: %s', (required, expected) => {
    expect(reaches(proofsOf({ passwordAt: 10, codeAt: 20 }), { required })).toBe(expected);
  });

  it('and a time fall short in words that the authorization endpoint understands', () => {
    const signedIn = { acr: mfa, amr: ['pwd', 'otp', 'mfa'] as const, authTime: 100 };
    const find = (requirements: Parameters<typeof findShortfall>[1]) => findShortfall(signedIn, requirements, 160_000);
    expect(find([{ requiredAcr: mfa, maxAge: 61 }, {}])).toBeUndefined();
    expect(find([{ maxAge: 60 }])).toBe('max_age=60');
    expect(find([{ requiredAcr: password }, { requiredAcr: phr, maxAge: 1 }])).toBe('acr_values=phr');
  });

  it('is not read off a row that cannot be read: that is a password', () => {
    const rows = [
      { acr: null, amr: null },
      { acr: 'urn:other', amr: 'pwd' },
      { acr: phr, amr: null },
    ];
    for (const row of rows) {
      expect(authenticationFromRow({ auth_time: 7, ...row })).toEqual({ acr: password, amr: ['pwd'], authTime: 7 });
    }
  });
});
