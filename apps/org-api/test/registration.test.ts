import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { de } from '../src/mails/messages/de.ts';
import { en } from '../src/mails/messages/en.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  type Answer,
  challenge,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  expected,
} from './support/methods.ts';
import { type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-somebody-new';
const names = { firstName: 'Nora', lastName: 'New' };
const gone = { outcome: 'gone' };
const hour = 3_600_000;
const finish = en.links.register.subject;
const haveAccount = en.links.have_account.subject;

let count = 0;
const nextNumber = () => {
  count += 1;
  return count;
};
const nextAddress = () => `new${nextNumber()}@example.com`;

describe.each(testDialects)('registration on %s', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let organization: Organization;
  let replica: Awaited<ReturnType<Organization['startReplica']>>;
  let directory: DirectoryRequests;
  let replicas: DirectoryRequests[];
  let administrator: AdministratorRequests;
  let email: string;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect, { isRegistrationOpen: true });
    ({ organization } = mailed);
    replica = await organization.startReplica();
    directory = createDirectoryRequests(organization);
    replicas = [directory, createDirectoryRequests(organization, replica)];
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(async () => {
    await replica?.close();
    await mailed?.close();
  });
  beforeEach(() => {
    organization.time.now += 2 * hour;
    email = nextAddress();
  });

  const ask = (name = email, more: object = {}) =>
    directory.post(directoryPaths.linkRequests, {
      ...{ name, register: true, language: 'en', address: `192.0.2.${nextNumber() % 250}`, requestId: 'request' },
      ...more,
    });
  const takeSubjects = async (to = email) => (await mailed.takeMails(to)).map(({ subject }) => subject);
  const obtainToken = async (name = email, more: object = {}) => {
    expect(await ask(name, more)).toEqual({ outcome: 'done' });
    const mails = await mailed.takeMails(name);
    expect(mails.map(({ subject }) => subject)).toEqual([finish]);
    return tokenOf(mails[0]);
  };
  const use = (token: string, fields?: object, at = directory) =>
    at.post(directoryPaths.linkUses, {
      ...{ token, address: '192.0.2.9', requestId: 'request-of-the-user', ...(fields && { fields }) },
    });
  const register = (token: string, fields: object = {}, at = directory) =>
    use(token, { ...names, password, ...fields }, at);
  const registerByPasskey = async (
    token: string,
    altered?: Parameters<ReturnType<typeof createPasskey>['create']>[1],
  ) => {
    const { userId } = await use(token);
    const { userHandle } = await directory.post(directoryPaths.methodQueries, { userId: String(userId) });
    const credential = createPasskey().create({ challenge, userHandle: String(userHandle ?? 'AAAA') }, altered);
    return use(token, { ...names, passkey: { ...expected, credential, name: 'Chrome on Linux' } });
  };
  const find = (username = email) => organization.deps.users.findByUsername(username);
  const countUsers = async () => {
    const rows = await organization.deps.database.query<{ users: number }>('SELECT COUNT(*) AS users FROM users');
    return Number(rows[0]?.users);
  };
  const countRows = async (table: string) => {
    const rows = await organization.deps.database.query<{ found: number }>(`SELECT COUNT(*) AS found FROM ${table}`);
    return Number(rows[0]?.found);
  };

  it('mails a link to the address, and makes no user before its form is posted', async () => {
    const before = await countUsers();
    const token = await obtainToken();
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await use(token)).toMatchObject({ outcome: 'open', purpose: 'register', username: email, email });
    }
    expect([await countUsers(), await find()]).toEqual([before, undefined]);
  });

  it('answers before anything is looked up, a known address as an unknown one', async () => {
    const known = await organization.addUser({ username: nextAddress() });
    const { users } = organization.deps;
    const read = users.listByAddress;
    let looked = 0;
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    users.listByAddress = async (...all) => {
      looked += 1;
      await opened;
      return read(...all);
    };
    try {
      expect([await ask(known.username), await ask()]).toEqual([{ outcome: 'done' }, { outcome: 'done' }]);
    } finally {
      open();
      await mailed.settle();
      users.listByAddress = read;
    }
    expect(looked).toBeGreaterThan(1);
    expect([await takeSubjects(known.username), await takeSubjects()]).toEqual([[haveAccount], [finish]]);
  });

  it.each<[string, (address: string) => { username: string; email?: string }]>([
    ['as username', (username) => ({ username })],
    ['as username in another case', (address) => ({ username: address.toUpperCase() })],
    ['as e-mail address', (address) => ({ username: nextAddress(), email: address })],
  ])(
    'tells an address that a user has %s that there is an account, by no link with a token',
    async (_case, describeUser) => {
      await organization.addUser(describeUser(email));
      const links = await countRows('mailed_links');
      expect(await ask()).toEqual({ outcome: 'done' });
      const mails = await mailed.takeMails(email);
      expect(mails.map(({ subject }) => subject)).toEqual([haveAccount]);
      expect(mails[0]?.raw).not.toContain('token=');
      expect(await countRows('mailed_links')).toBe(links);
    },
  );

  it('writes in the language of the page', async () => {
    const german = nextAddress();
    await ask(german, { language: 'de', browser: 'Chrome on Linux' });
    const [mail] = await mailed.takeMails(german);
    expect([mail?.subject, mail?.text.includes(de.links.register.text)]).toEqual([de.links.register.subject, true]);
  });

  it.each([
    '',
    'nobody',
    'two@at@example.com',
    'one@example.com,two@example.com',
    'Nora <nora@example.com>',
    'nora@example.com\r\nBcc: other@example.com',
    'a b@example.com',
    '@example.com',
    'nora@',
  ])('takes no address that is none: %j', async (name) => {
    const before = (await mailed.listWaiting()).length;
    expect(await ask(name)).toMatchObject({ outcome: 'refused', fault: 'no_address' });
    expect(await mailed.listWaiting()).toHaveLength(before);
  });

  it('makes a Person whose username is the address, verified and without roles, once', async () => {
    const token = await obtainToken();
    const done = await register(token);
    const { user: signedIn } = done.signedIn as { user: Record<string, unknown> };
    expect(done).toMatchObject({ outcome: 'done', purpose: 'register', signedIn: { recoveryCodes: [] } });
    const user = await find();
    expect(user).toMatchObject({
      ...{ ...names, id: signedIn.id, username: email, email, emailVerified: true },
      ...{ roles: [], userType: 'Person', enabled: true },
    });
    expect((await directory.checkPassword({ username: email }, { password })).outcome).toBe('verified');
    expect([await use(token), await register(token)]).toEqual([gone, gone]);
    const types = (await administrator.listEvents({ username: email })).map(({ type }) => type);
    expect(types.filter((type) => type === 'user.registered')).toHaveLength(1);
  });

  it('gives nobody a role, another username or a verified address by more fields', async () => {
    const token = await obtainToken();
    const answer = await directory.send(directoryPaths.linkUses, {
      ...{ token, address: '192.0.2.9', requestId: 'request' },
      fields: { ...names, password, roles: ['SystemAdministrator'] },
    });
    expect([answer.statusCode, await find()]).toEqual([400, undefined]);
    await register(token, { username: 'administrator2@example.com' });
    expect([(await find())?.roles, await find('administrator2@example.com')]).toEqual([[], undefined]);
  });

  it('takes a passkey in place of a password, with recovery codes', async () => {
    const token = await obtainToken();
    const done = await registerByPasskey(token);
    expect(done).toMatchObject({ outcome: 'done', signedIn: { userVerified: true, user: { username: email } } });
    expect((done.signedIn as Answer).recoveryCodes).toHaveLength(10);
    expect(await administrator.readMethods({ username: email })).toMatchObject({
      password: null,
      passkeys: [{ name: 'Chrome on Linux' }],
      secondStep: true,
    });
    expect(await use(token)).toEqual(gone);
  });

  it('leaves no user behind where the passkey was wrong, and its link works still', async () => {
    const token = await obtainToken();
    const before = [await countUsers(), await countRows('passkeys'), await countRows('recovery_codes')];
    expect(await registerByPasskey(token, { clientData: { challenge: 'another' } })).toEqual({ outcome: 'wrong' });
    expect([await countUsers(), await countRows('passkeys'), await countRows('recovery_codes')]).toEqual(before);
    expect(await find()).toBeUndefined();
    expect(await registerByPasskey(token)).toMatchObject({ outcome: 'done' });
  });

  it('leaves no user behind where the passkey could not be stored', async () => {
    const token = await obtainToken();
    // The store of the recovery codes is out of order.
    await organization.deps.database.execute('ALTER TABLE recovery_codes RENAME TO away');
    try {
      expect((await registerByPasskey(token)).outcome).toBeUndefined();
    } finally {
      await organization.deps.database.execute('ALTER TABLE away RENAME TO recovery_codes');
    }
    expect(await find()).toBeUndefined();
    const { outcome, signedIn } = await registerByPasskey(token);
    expect([outcome, (signedIn as Answer).recoveryCodes?.length]).toEqual(['done', 10]);
    expect((await administrator.readMethods({ username: email })).passkeys).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['no first name', { firstName: '' }],
    ['blanks for a first name', { firstName: '   ' }],
    ['a line break in the first name', { firstName: 'No\nra' }],
    ['a control character in the last name', { lastName: 'N\u0007w' }],
  ])('refuses %s, and the link works still', async (_case, fields) => {
    const token = await obtainToken();
    expect(await register(token, fields)).toEqual({ outcome: 'wrong_fields' });
    expect([await find(), (await use(token)).outcome]).toEqual([undefined, 'open']);
  });

  it.each<[string, (address: string) => string, string]>([
    ['too short', () => '1234567', 'password_too_short'],
    ['missing', () => '', 'password_too_short'],
    ['too long', () => 'x'.repeat(1_025), 'password_too_long'],
    ['one of the commonest', () => 'password123', 'password_common'],
    ['the address', (address) => address, 'password_resembles_name'],
    ['the typed name', () => 'Nora New1', 'password_resembles_name'],
  ])('refuses a password that is %s, and the link works still', async (_case, choose, fault) => {
    const token = await obtainToken();
    expect(await register(token, { password: choose(email) })).toMatchObject({ outcome: 'refused', fault });
    expect(await find()).toBeUndefined();
    expect(await register(token)).toMatchObject({ outcome: 'done' });
  });

  it('goes on with the request of the application, which no row shows', async () => {
    const goOn = 'client_id=my-app&state=a%20secret%20state';
    const token = await obtainToken(email, { goOn });
    const rows = await organization.deps.database.query<{ data: string | null }>('SELECT data FROM mailed_links');
    expect(rows.some(({ data }) => data !== null)).toBe(true);
    expect(rows.filter(({ data }) => data?.includes('my-app'))).toEqual([]);
    expect(await register(token)).toMatchObject({ outcome: 'done', goOn });
  });

  it('of forty uses at once at two replicas makes one user', async () => {
    const token = await obtainToken();
    const before = await countUsers();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        register(token, { password: `${password}-${turn}` }, replicas[turn % 2] as DirectoryRequests),
      ),
    );
    const won = answers.flatMap(({ outcome }, turn) => (outcome === 'done' ? [turn] : []));
    expect([won.length, await countUsers()]).toEqual([1, before + 1]);
    const check = { password: `${password}-${won[0]}` };
    expect((await directory.checkPassword({ username: email }, check)).outcome).toBe('verified');
    expect(await use(token)).toEqual(gone);
  });

  it('of two links to one address makes one user', async () => {
    const [first, second] = [await obtainToken(), await obtainToken()];
    expect(await register(first)).toMatchObject({ outcome: 'done' });
    expect([await use(second), await register(second)]).toEqual([gone, gone]);
  });

  it('ends after an hour', async () => {
    const token = await obtainToken();
    organization.time.now += hour - 1_000;
    expect((await use(token)).outcome).toBe('open');
    organization.time.now += 1_000;
    expect([await use(token), await register(token), await find()]).toEqual([gone, gone, undefined]);
  });

  it.each<[string, (address: string) => object]>([
    ['as username', (username) => ({ username })],
    ['as e-mail address', (address) => ({ username: nextAddress(), email: address })],
  ])('ends where an administrator gives the address away %s', async (_case, describeUser) => {
    const token = await obtainToken();
    const answer = await administrator.send('POST', 'user', { ...describeUser(email), password });
    expect(answer.statusCode).toBe(201);
    expect([await use(token), await register(token)]).toEqual([gone, gone]);
  });

  it('takes ten requests of a network in an hour', async () => {
    const address = `198.51.100.${nextNumber() % 250}`;
    for (let turn = 0; turn < 10; turn += 1) expect((await ask(nextAddress(), { address })).outcome).toBe('done');
    expect(await ask(email, { address })).toEqual({ outcome: 'limited', retryAfter: 3_600 });
    expect((await ask(email)).outcome).toBe('done');
    organization.time.now += hour + 1_000;
    expect((await ask(email, { address })).outcome).toBe('done');
    await mailed.settle();
  });

  it('mails three times to an address in an hour, one after the other and at once', async () => {
    for (let turn = 0; turn < 5; turn += 1) expect((await ask()).outcome).toBe('done');
    expect(await takeSubjects()).toEqual([finish, finish, finish]);
    const other = nextAddress();
    await Promise.all(Array.from({ length: 8 }, () => ask(other)));
    expect(await takeSubjects(other)).toEqual([finish, finish, finish]);
  });
});

describe('registration', () => {
  it('is for the listed domains alone, whatever their case', async () => {
    const mailed = await startMailedOrganization('sqlite', {
      isRegistrationOpen: true,
      registrationDomains: ['example.com'],
    });
    try {
      const directory = createDirectoryRequests(mailed.organization);
      const ask = async (name: string) =>
        directory.post(directoryPaths.linkRequests, {
          ...{ name, register: true, language: 'en', address: `192.0.2.${nextNumber() % 250}`, requestId: 'request' },
        });
      const refused = { outcome: 'refused', fault: 'other_domain' };
      for (const name of ['a@example.org', 'a@sub.example.com', 'a@example.com.evil.org', 'a@notexample.com']) {
        expect(await ask(name)).toEqual(refused);
      }
      expect(await ask('somebody@EXAMPLE.com')).toEqual({ outcome: 'done' });
      // A mail server gets the domain in lower case.
      expect(await mailed.takeMails('somebody@example.com')).toHaveLength(1);
    } finally {
      await mailed.close();
    }
  });

  it('is off where nothing else is said', async () => {
    const mailed = await startMailedOrganization('sqlite');
    try {
      const { organization } = mailed;
      const directory = createDirectoryRequests(organization);
      const request = { register: true, language: 'en', address: '192.0.2.1', requestId: 'request' };
      const answer = await directory.post(directoryPaths.linkRequests, { name: 'a@example.com', ...request });
      expect([answer, await mailed.listWaiting()]).toEqual([{ outcome: 'off' }, []]);
    } finally {
      await mailed.close();
    }
  });

  it.each([true, false])('is told to auth-server: %j', async (isRegistrationOpen) => {
    const organization = await startOrganization('sqlite', { isRegistrationOpen });
    try {
      const settings = await createDirectoryRequests(organization).post(directoryPaths.settings, {});
      expect(settings).toMatchObject({ registration: isRegistrationOpen });
    } finally {
      await organization.close();
    }
  });
});
