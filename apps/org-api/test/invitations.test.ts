import { directoryPaths } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { de } from '../src/mails/messages/de.ts';
import type { User } from '../src/users/user.ts';
import { startMailedOrganization, tokenOf } from './support/mails.ts';
import {
  type AdministratorRequests,
  type Answer,
  asksForMore,
  challenge,
  createAdministratorRequests,
  createDirectoryRequests,
  createPasskey,
  type DirectoryRequests,
  expected,
} from './support/methods.ts';
import { authUrl, type Organization, startOrganization } from './support/organization.ts';

const password = 'a-password-of-invitations';
const gone = { outcome: 'gone' };
const second = 1_000;
const day = 24 * 3_600 * second;
const isoInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

let names = 0;
const nextName = () => {
  names += 1;
  return `invited${names}@example.com`;
};

interface Invitation {
  expiresAt: string;
  link?: string;
}

/** The token in the link that an administrator got. */
const tokenIn = ({ link = '' }: Invitation) => tokenOf({ text: `\n${link}\n` });

describe.each(testDialects)('invitations on %s', (dialect) => {
  let mailed: Awaited<ReturnType<typeof startMailedOrganization>>;
  let organization: Organization;
  let directory: DirectoryRequests;
  let administrator: AdministratorRequests;
  let user: User;
  let invitation: Invitation;

  beforeAll(async () => {
    mailed = await startMailedOrganization(dialect);
    ({ organization } = mailed);
    directory = createDirectoryRequests(organization);
    administrator = await createAdministratorRequests(organization);
  });
  afterAll(() => mailed.close());
  beforeEach(async () => {
    organization.time.now += day;
    ({ user, invitation } = await invite({ deliver: 'link' }));
  });

  const readUser = async ({ id }: Pick<User, 'id'>) => (await organization.deps.users.findById(id)) as User;
  const create = (fields: object) => administrator.send('POST', 'user', { username: nextName(), ...fields });
  const invite = async (fields: object = {}) => {
    const answer = await create({ invite: true, ...fields });
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    const body = answer.json<{ id: string; invitation: Invitation }>();
    const made = await readUser(body);
    // Nothing happens in the millisecond in which the user was made.
    organization.time.now += second;
    return { user: made, invitation: body.invitation };
  };
  const inviteAgain = (fields: object = { deliver: 'link' }) =>
    administrator.ofUser(user, 'POST', '/invitations', fields);
  const use = (token: string, fields?: object) =>
    directory.post(directoryPaths.linkUses, {
      ...{ token, address: '192.0.2.9', requestId: 'request-of-the-user' },
      ...(fields && { fields }),
    });
  const accept = (token: string, text = password) => use(token, { password: text });
  const acceptByPasskey = async (
    token: string,
    altered?: Parameters<ReturnType<typeof createPasskey>['create']>[1],
  ) => {
    const { userHandle } = await directory.post(directoryPaths.methodQueries, { userId: user.id });
    const credential = createPasskey().create({ challenge, userHandle: String(userHandle) }, altered);
    return use(token, { passkey: { ...expected, credential, name: 'Chrome on Linux' } });
  };
  const checkPassword = async (text = password) =>
    (await directory.checkPassword(user, { password: text, ...asksForMore })).outcome;
  const listTypes = async () => (await administrator.listEvents(user)).map(({ type }) => type).reverse();
  const isOpen = async (token: string) => {
    const outcomes = [(await use(token)).outcome, (await use(token)).outcome];
    expect(outcomes[0]).toBe(outcomes[1]);
    return outcomes[0] === 'open';
  };

  it('are mailed to the address of a new user, in the language of the user', async () => {
    const { user: made, invitation: answered } = await invite({ locale: 'de' });
    expect(answered).toEqual({ expiresAt: isoInstant });
    const mails = await mailed.takeMails(made.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Ihre Einladung']);
    expect(await use(tokenOf(mails[0]))).toMatchObject({ outcome: 'open', purpose: 'invitation', userId: made.id });
  });

  it('are mailed in the language of a locale that has a region', async () => {
    const { user: made } = await invite({ locale: 'de-AT' });
    const [mail] = await mailed.takeMails(made.email);
    expect([mail?.subject, mail?.text.includes(de.links.invitation.text)]).toEqual([de.links.invitation.subject, true]);
  });

  it('are given to the administrator where that is asked for, and mailed to nobody', async () => {
    expect(invitation).toEqual({
      expiresAt: isoInstant,
      link: expect.stringContaining(`${authUrl}/account/link?token=`),
    });
    expect(await mailed.takeMails(user.email)).toEqual([]);
    expect(await isOpen(tokenIn(invitation))).toBe(true);
    expect(JSON.stringify(await administrator.listEvents(user))).not.toContain(tokenIn(invitation));
  });

  it('are given to the administrator where the address takes no mail', async () => {
    const { invitation: answered } = await invite({ email: '<nobody>@example.com', deliver: 'mail' });
    expect(answered.link).toBeDefined();
  });

  it.each<[string, object, string]>([
    ['both an invitation and a password', { invite: true, password }, 'invite'],
    ['neither', {}, 'password'],
    ['an invitation of a Robot', { invite: true, userType: 'Robot' }, 'invite'],
    ['a way for no invitation', { password, deliver: 'link' }, 'deliver'],
    ['no way that there is', { invite: true, deliver: 'pigeon' }, 'deliver'],
  ])('are refused with %s: 400', async (_case, fields, field) => {
    const answer = await create(fields);
    expect(answer.statusCode).toBe(400);
    expect(answer.json<Answer>()).toMatchObject({ errors: [{ field }] });
  });

  it('set a password, and sign the user in, once', async () => {
    const token = tokenIn(invitation);
    expect(await checkPassword()).toBe('wrong');
    expect(await accept(token)).toMatchObject({
      ...{ outcome: 'done', purpose: 'invitation' },
      signedIn: { user: { id: user.id, username: user.username }, recoveryCodes: [] },
    });
    expect(await checkPassword()).toBe('verified');
    expect([await use(token), await accept(token, 'another-password-of-invitations')]).toEqual([gone, gone]);
    expect(await checkPassword()).toBe('verified');
    expect(await listTypes()).toEqual(expect.arrayContaining(['user.created', 'user.invited', 'invitation.accepted']));
  });

  it('add a passkey in place of a password, with recovery codes', async () => {
    const token = tokenIn(invitation);
    const { outcome, signedIn } = await acceptByPasskey(token);
    expect([outcome, signedIn]).toMatchObject(['done', { userVerified: true, user: { id: user.id } }]);
    expect((signedIn as Answer).recoveryCodes).toHaveLength(10);
    expect(await administrator.readMethods(user)).toMatchObject({ password: null });
    expect(await use(token)).toEqual(gone);
  });

  it('work still after a passkey that is not right, and after a password that is refused', async () => {
    const token = tokenIn(invitation);
    expect(await acceptByPasskey(token, { clientData: { challenge: 'another' } })).toEqual({ outcome: 'wrong' });
    expect(await accept(token, '1234567')).toMatchObject({ outcome: 'refused', fault: 'password_too_short' });
    expect(await isOpen(token)).toBe(true);
    expect(await accept(token)).toMatchObject({ outcome: 'done' });
  });

  it('verify the address by their use where they were mailed to it, and else not', async () => {
    await accept(tokenIn(invitation));
    expect((await readUser(user)).emailVerified).toBe(false);
    ({ user } = await invite());
    const [mail] = await mailed.takeMails(user.email);
    expect(await accept(tokenOf(mail))).toMatchObject({ signedIn: { user: { emailVerified: true } } });
    expect((await readUser(user)).emailVerified).toBe(true);
  });

  it('of twenty uses at once let one in', async () => {
    const token = tokenIn(invitation);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => accept(token, `${password}-${turn}`)));
    const won = answers.flatMap(({ outcome }, turn) => (outcome === 'done' ? [turn] : []));
    expect(won).toHaveLength(1);
    expect(await checkPassword(`${password}-${won[0]}`)).toBe('verified');
  });

  it('are replaced by the next', async () => {
    const answer = await inviteAgain();
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    const next = tokenIn(answer.json<Invitation>());
    expect(await use(tokenIn(invitation))).toEqual(gone);
    expect(await isOpen(next)).toBe(true);
    expect((await listTypes()).filter((type) => type === 'user.invited')).toHaveLength(2);
  });

  it('are open for seven days, or for as long as is asked for', async () => {
    organization.time.now += 7 * day - 2 * second;
    expect(await isOpen(tokenIn(invitation))).toBe(true);
    organization.time.now += second;
    expect(await isOpen(tokenIn(invitation))).toBe(false);
    const short = (await inviteAgain({ deliver: 'link', expiresIn: 300 })).json<Invitation>();
    expect(Date.parse(short.expiresAt)).toBe(organization.time.now + 300 * second);
    organization.time.now += 300 * second;
    expect(await isOpen(tokenIn(short))).toBe(false);
  });

  it.each([299, 2_592_001, '300', 300.5])('are refused for %j seconds: 400', async (expiresIn) => {
    const answer = await inviteAgain({ expiresIn });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<Answer>()).toMatchObject({ errors: [{ field: 'expiresIn' }] });
    expect(await isOpen(tokenIn(invitation))).toBe(true);
  });

  it('are none for who has a way to sign in, nor for a Robot, nor for nobody', async () => {
    await accept(tokenIn(invitation));
    expect((await inviteAgain()).statusCode).toBe(409);
    user = await organization.addUser({ username: nextName(), userType: 'Robot' });
    expect((await inviteAgain()).statusCode).toBe(400);
    user = { ...user, username: nextName() };
    expect((await inviteAgain()).statusCode).toBe(404);
  });

  it('end with a password that an administrator sets', async () => {
    expect((await administrator.ofUser(user, 'PUT', '/password', { password })).statusCode).toBe(204);
    expect(await isOpen(tokenIn(invitation))).toBe(false);
  });

  it('end with a passkey that is added by another way', async () => {
    await directory.addPasskey(user, createPasskey());
    expect(await isOpen(tokenIn(invitation))).toBe(false);
  });

  it.each<[string, object, object]>([
    ['being disabled, and stay so', { enabled: false }, { enabled: true }],
    ['another address, and stay so', { email: 'elsewhere@example.com' }, { email: 'back@example.com' }],
  ])('end with the user %s', async (_case, changes, back) => {
    for (const each of [changes, back]) {
      expect((await administrator.ofUser(user, 'PATCH', '', each)).statusCode).toBe(200);
      expect(await isOpen(tokenIn(invitation))).toBe(false);
    }
  });

  it('are withdrawn, once in the audit trail', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await administrator.ofUser(user, 'DELETE', '/invitations')).statusCode).toBe(204);
      expect(await isOpen(tokenIn(invitation))).toBe(false);
    }
    expect((await listTypes()).filter((type) => type === 'invitation.withdrawn')).toHaveLength(1);
  });

  it('are for a SystemAdministrator alone', async () => {
    const reader = await organization.addUser({ username: nextName(), roles: ['DirectoryReader'] });
    const headers = { authorization: `Bearer ${await organization.accessToken(reader)}` };
    const url = `/organization/api/organization/user/userId/${encodeURIComponent(user.username)}/invitations`;
    for (const [method, payload] of [
      ['POST', {}],
      ['DELETE', undefined],
    ] as const) {
      const answer = await organization.app.inject({ method, url, headers, ...(payload && { payload }) });
      expect(answer.statusCode).toBe(403);
    }
    expect(await isOpen(tokenIn(invitation))).toBe(true);
  });
});

it('where no mail is sent, an invitation is the link, whatever was asked for', async () => {
  const organization = await startOrganization('sqlite');
  try {
    const administrator = await createAdministratorRequests(organization);
    const fields = { username: nextName(), invite: true, deliver: 'mail' };
    const answer = await administrator.send('POST', 'user', fields);
    expect(answer.json<Answer>()).toMatchObject({
      invitation: { link: expect.stringContaining('/account/link?token=') },
    });
  } finally {
    await organization.close();
  }
});
