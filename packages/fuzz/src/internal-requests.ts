import { randomBytes } from 'node:crypto';
import { showCode } from '@gatehouse/test-kit';
import type { GoodFields } from './fuzz-request.ts';
import { askOfNobody, buildCredential } from './hostile-credentials.ts';
import type { Ingredients, Person } from './ingredients.ts';
import { everybodysPassword } from './prepare-people.ts';
import type { Random } from './random.ts';
import { pickGoodValue, pickText, pickValue } from './values.ts';

type Build = (random: Random, ingredients: Ingredients) => GoodFields;

const nobody: Person = {
  id: '00000000-0000-7000-8000-000000000000',
  username: 'nobody@example.com',
  passwordChangedAt: 0,
};
const pickPerson = (random: Random, { people }: Ingredients): Person => random.pick(people) ?? nobody;
const maybe = (random: Random, fields: GoodFields): GoodFields => (random.chance(0.4) ? fields : {});

/** The caller of auth-server, as it tells of one. */
const caller = (random: Random): GoodFields => ({
  address: `10.${random.below(256)}.${random.below(256)}.1`,
  requestId: 'fuzz',
  ...maybe(random, { browser: random.pick(['Firefox on Linux', pickText(random)]) }),
});
const proveUser = (random: Random, { id, passwordChangedAt }: Person): GoodFields => ({
  userId: id,
  passwordChangedAt: random.chance(0.95) ? passwordChangedAt : random.pick([-1, 2 ** 53, 1.5]),
});
const knownBrowsers = (random: Random, person: Person): GoodFields => {
  const { userId, passwordChangedAt } = proveUser(random, person);
  const one = { id: randomBytes(16).toString('base64url'), userId, passwordChangedAt, ...maybe(random, { since: 1 }) };
  return maybe(random, { knownBrowsers: random.pick([[], [one], [one, one, one, one, one, one]]) });
};
const answerOfPasskey: Build = (random, all) => {
  const question = { ...askOfNobody(random), userHandle: undefined };
  return describeAnswer(random, all, question);
};
const newPasskey: Build = (random, all) => {
  const question = { ...askOfNobody(random), userHandle: randomBytes(16).toString('base64url') };
  return { ...describeAnswer(random, all, question), name: random.chance(0.8) ? 'A passkey' : pickText(random) };
};
function describeAnswer(random: Random, all: Ingredients, question: ReturnType<typeof askOfNobody>): GoodFields {
  const { hostname: rpId, origin } = new URL(all.urls['auth-server']);
  return { credential: buildCredential(random, all, question), challenge: question.challenge, origin, rpId };
}

const upstreamIssuer = 'https://login.example.net';
const localRefusals = (random: Random): GoodFields =>
  maybe(random, {
    localRefusals: random.pick([
      [],
      [{ issuer: upstreamIssuer, domains: ['example.com'] }],
      [{ issuer: pickText(random), domains: [pickText(random)] }],
    ]),
  });
const upstreamRules = (random: Random): GoodFields => ({
  linksByEmail: random.chance(0.5),
  createsUsers: random.chance(0.5),
  sync: random.pick(['first', 'always']),
  mappedGroups: random.pick([[], ['staff'], [pickText(random), 'staff']]),
});
/** The claims of an account, beyond its name. */
const upstreamClaims: Build = (random, all) => ({
  ...maybe(random, {
    verifiedEmail: random.pick([
      pickPerson(random, all).username,
      `fuzzed-${random.below(50)}@example.com`,
      pickText(random),
    ]),
  }),
  ...maybe(random, {
    members: {
      firstName: random.pick(['Ada', pickText(random)]),
      [random.pick(['nickname', 'birthdate', 'locale', 'roles', 'username'])]: pickValue(random, all, 'nickname'),
    },
  }),
  ...maybe(random, { groups: random.pick([[], ['Staff'], [pickText(random)]]) }),
});

const newSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const changeOfMethods: Build = (random, all) => {
  const passkey = pickGoodValue(random, all, 'id');
  return random.pick<() => GoodFields>([
    () => ({ add: { codeApp: { secret: newSecret, code: showCode(newSecret, random.below(4) - 2) } } }),
    () => ({
      add: { codeApp: { secret: pickGoodValue(random, all, 'secret'), code: pickValue(random, all, 'code') } },
    }),
    () => ({ add: { passkey: newPasskey(random, all) } }),
    () => ({ add: { passkey: newPasskey(random, all) } }),
    () => ({
      remove: random.pick<GoodFields>([{ passkey }, { codeApp: true }, { password: true }, { identity: passkey }]),
      ...maybe(random, { enabledIssuers: random.pick([[], [upstreamIssuer], [pickText(random)]]) }),
    }),
    () => ({ rename: { passkey, name: random.chance(0.5) ? 'Another' : pickText(random) } }),
    () => ({ recoveryCodes: 'new' }),
    () => ({ rename: { passkey, name: 'Another' }, recoveryCodes: 'new' }),
    () => ({ password: { old: everybodysPassword, new: random.chance(0.7) ? everybodysPassword : pickText(random) } }),
    () => ({ password: { new: pickText(random) } }),
  ])();
};

const linkFields: Build = (random, all) =>
  random.pick<() => GoodFields>([
    () => ({}),
    () => ({ password: random.chance(0.7) ? everybodysPassword : pickText(random) }),
    () => ({ password: everybodysPassword, code: pickValue(random, all, 'code') }),
    () => ({ passkey: newPasskey(random, all) }),
    () => ({ decision: random.pick(['confirm', 'refuse']), username: pickGoodValue(random, all, 'username') }),
    () => ({ firstName: 'Ada', lastName: pickText(random), password: everybodysPassword }),
  ])();

const linkRequest: Build = (random, all) => {
  const person = pickPerson(random, all);
  const signedIn = proveUser(random, person);
  const goOn = random.pick(['/account', 'client_id=a&state=b', '//evil.example.com', 'http://[', pickText(random)]);
  return random.pick<GoodFields>([
    { name: person.username, goOn },
    { name: pickText(random) },
    { name: `new-${random.below(1_000_000)}@example.com`, register: true, goOn },
    { signedIn },
    { signedIn, emailChange: maybe(random, { email: `new-${random.below(1_000_000)}@example.com`, strong: true }) },
    { signedIn, emailChange: { email: pickText(random) } },
    { signedIn, setUp: { binding: 'a' }, goOn: '/account' },
  ]);
};

/** The questions of auth-server to org-api, by path: right together, before anything is changed. */
export const internalRequests: Record<string, Build> = {
  'POST /internal/directory/password-checks': (random, all) => {
    const person = pickPerson(random, all);
    return {
      ...{ username: person.username, password: everybodysPassword, address: caller(random).address },
      ...maybe(random, { understands: ['second_step'] }),
      ...maybe(random, { secondStepFor: random.pick([['everybody'], ['SystemAdministrator'], [pickText(random)]]) }),
      ...knownBrowsers(random, person),
      ...localRefusals(random),
    };
  },
  'POST /internal/directory/user-queries': (random, { people, found }) =>
    random.pick<GoodFields>([
      { usernames: found.username },
      { ids: people.map(({ id }) => id) },
      { ids: [pickText(random)], usernames: [pickText(random)] },
    ]),
  'POST /internal/directory/settings': (random) =>
    maybe(random, { deletedAfter: random.pick([0, Date.now(), 2 ** 48]) }),
  'POST /internal/directory/findings': () => ({}),
  'POST /internal/directory/code-checks': (random, all) => {
    const person = pickPerson(random, all);
    return {
      ...proveUser(random, person),
      ...caller(random),
      ...maybe(random, { methodsVersion: random.pick([0, 1, 2, -1, 2 ** 53]) }),
      ...knownBrowsers(random, person),
      code:
        person.secret !== undefined && random.chance(0.5) ? showCode(person.secret) : pickValue(random, all, 'code'),
    };
  },
  'POST /internal/directory/passkey-checks': (random, all) => ({
    ...answerOfPasskey(random, all),
    ...caller(random),
    ...maybe(random, {
      first: { ...proveUser(random, pickPerson(random, all)), ...maybe(random, { methodsVersion: 1 }) },
    }),
    ...maybe(random, { onlyWithoutPassword: true }),
    ...localRefusals(random),
  }),
  'POST /internal/directory/upstream-sign-ins': (random, all) => ({
    ...caller(random),
    ...knownBrowsers(random, pickPerson(random, all)),
    account: {
      issuer: random.chance(0.8) ? upstreamIssuer : pickText(random),
      subject: random.chance(0.8) ? String(random.below(20)) : pickText(random),
      upstream: 'fuzzed',
      upstreamName: random.chance(0.8) ? 'Fuzzed' : pickText(random),
      shown: pickText(random),
      ...upstreamClaims(random, all),
    },
    ...maybe(random, { beganAt: random.pick([0, Date.now(), 2 ** 53]) }),
    ...maybe(random, {
      reachesMfa: random.chance(0.5),
      secondStepFor: random.pick([['everybody'], [pickText(random)]]),
    }),
    ...maybe(random, { rules: upstreamRules(random) }),
    ...(random.chance(0.5) ? { link: proveUser(random, pickPerson(random, all)) } : {}),
  }),
  'POST /internal/directory/method-queries': (random, all) => {
    const person = pickPerson(random, all);
    const { address } = caller(random);
    return { userId: person.id, ...maybe(random, { caller: { address, ...knownBrowsers(random, person) } }) };
  },
  'POST /internal/directory/method-changes': (random, all) => ({
    ...proveUser(random, pickPerson(random, all)),
    ...caller(random),
    ...changeOfMethods(random, all),
    ...localRefusals(random),
  }),
  'POST /internal/directory/account-data': (random, all) => ({
    userId: pickPerson(random, all).id,
    ...maybe(random, {
      events: {
        from: random.pick([0, 2 ** 48]),
        limit: random.pick([1, 1_000]),
        ...maybe(random, { after: pickText(random) }),
      },
    }),
  }),
  'POST /internal/directory/profile-changes': (random, all) => ({
    ...proveUser(random, pickPerson(random, all)),
    ...caller(random),
    changes: { [random.pick(['nickname', 'birthdate', 'address', 'locale', 'roles', '__proto__'])]: pickText(random) },
    ...(random.chance(0.03) ? { delete: true } : {}),
  }),
  'POST /internal/directory/link-requests': (random, all) => ({
    ...caller(random),
    language: random.pick(['en', 'de', 'xx', pickText(random).slice(0, 35)]),
    ...linkRequest(random, all),
    ...localRefusals(random),
  }),
  'POST /internal/directory/link-uses': (random, all) => {
    const person = pickPerson(random, all);
    return {
      ...caller(random),
      token: pickGoodValue(random, all, 'link'),
      ...maybe(random, { userId: person.id }),
      ...maybe(random, { binding: 'a' }),
      ...(random.chance(0.8) ? { fields: linkFields(random, all) } : {}),
      ...localRefusals(random),
    };
  },
};
