import { createTestBrowser, showCode } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, type Credentials, readForms, useAccounts } from '../support/account.ts';
import { authorizePath, codeRequest, readRedirect } from '../support/browser.ts';
import { callback, type Realm, startRealm, type TokenAnswer } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';

const [mfa, phr] = ['urn:gatehouse:acr:mfa', 'phr'] as const;
const id = '0192f6a4-0000-7000-8000-000000000000';
const text = 'this user signs in with a second step; use authorization_code or a device code';
/** Each operation, with an answer that says the caller was let in. */
const operations = [
  ['GET', '/clients', 200],
  ['POST', '/clients', 400],
  ['GET', '/clients/nobody', 404],
  ['PATCH', '/clients/nobody', 404],
  ['DELETE', '/clients/nobody', 404],
  ['GET', '/resources', 200],
  ['POST', '/resources', 400],
  ['GET', `/resources/${id}`, 404],
  ['DELETE', `/resources/${id}`, 404],
  ['GET', '/audit-events', 200],
  ['GET', '/sessions', 200],
  ['GET', `/sessions/${id}`, 404],
  ['DELETE', `/sessions/${id}`, 404],
  ['DELETE', '/sessions?user=nobody@example.com', 404],
  ['GET', '/user-data?user=nobody@example.com', 404],
  ['GET', '/grants?client=nobody', 404],
  ['DELETE', `/grants/${id}`, 404],
  ['DELETE', '/grants?user=nobody@example.com', 404],
  ['GET', '/keys', 200],
  ['GET', '/configuration', 200],
  ['GET', '/consents?client=nobody', 404],
  ['DELETE', '/consents?user=nobody@example.com&client=nobody', 404],
] as const;
const administrators = { roles: ['SystemAdministrator', 'IdpAdministrator'] };

describe('ADMINISTRATION_ACR', () => {
  let realm: Realm;
  let accounts: Accounts;
  let forMfa: Replica;
  let forPhr: Replica;
  let policy: Replica;
  let client: Credentials;
  /** Tokens of administrators: by a password of one without a method, by a code, by a passkey, and by a password of one with a method. */
  let tokens: Record<'alone' | 'code' | 'passkey' | 'below', string>;

  beforeAll(async () => {
    realm = await startRealm();
    accounts = await useAccounts(realm);
    [forMfa, forPhr, policy] = await Promise.all([
      startReplica(realm, { ADMINISTRATION_ACR: mfa }),
      startReplica(realm, { ADMINISTRATION_ACR: phr }),
      startReplica(realm, { REQUIRE_MFA: 'IdpAdministrator' }),
    ]);
    client = await accounts.registerClient({
      scope: ['openid', 'roles'],
      authorized_grant_types: ['authorization_code'],
    });
    const alone = await accounts.signIn(administrators);
    const before = await accounts.signIn(administrators);
    const below = (await accounts.obtainTokens(before, client)).access_token;
    const withApp = await accounts.signInAs(before.user);
    const { secret } = await accounts.addCodeApp(withApp);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const withKey = await accounts.signIn(administrators);
    await accounts.addPasskey(withKey);
    tokens = {
      alone: (await accounts.obtainTokens(alone, client)).access_token,
      code: (await accounts.obtainTokens(withApp, client)).access_token,
      passkey: (await accounts.obtainTokens(withKey, client)).access_token,
      below,
    };
  });
  afterAll(async () => {
    await Promise.all([forMfa.close(), forPhr.close(), policy.close()]);
    await realm.close();
  });

  const call = (
    { send }: Pick<Replica, 'send'>,
    bearer: string,
    [method, path]: readonly [string, string] = ['GET', '/clients'],
  ) => send(path, { method, bearer, ...((method === 'POST' || method === 'PATCH') && { json: {} }) });
  const statusOf = async (...request: Parameters<typeof call>) => (await call(...request)).status;
  const demandOf = async (...request: Parameters<typeof call>) => {
    const { status, headers } = await call(...request);
    const challenge = String(headers['www-authenticate']);
    return [status, /Bearer [^,]*, error="(\w+)"/.exec(challenge)?.[1], /acr_values="([^"]*)"/.exec(challenge)?.[1]];
  };

  it.each(operations)(
    'above password refuses a lower token at %s %s, and takes a higher one',
    async (method, path, status) => {
      expect(await demandOf(forMfa, tokens.alone, [method, path])).toEqual([
        401,
        'insufficient_user_authentication',
        mfa,
      ]);
      expect(await demandOf(realm, tokens.below, [method, path])).toEqual([
        401,
        'insufficient_user_authentication',
        mfa,
      ]);
      expect(await statusOf(realm, tokens.alone, [method, path])).toBe(status);
      expect(await statusOf(forMfa, tokens.code, [method, path])).toBe(status);
      expect(await statusOf(forMfa, tokens.passkey, [method, path])).toBe(status);
    },
  );

  it('names the level that it requires', async () => {
    expect(await demandOf(forPhr, tokens.code)).toEqual([401, 'insufficient_user_authentication', phr]);
    expect(await demandOf(forPhr, tokens.below)).toEqual([401, 'insufficient_user_authentication', phr]);
    expect(await statusOf(forPhr, tokens.passkey)).toBe(200);
  });

  it('is met by a sign-in at the level that the challenge names', async () => {
    const visitor = await accounts.signIn(administrators);
    const request = { ...codeRequest, client_id: client.client_id, acr_values: mfa };
    const page = await visitor.browser.get(realm.url + authorizePath(request));
    const secret = readForms(page)[0]?.fields.secret ?? '';
    const shown = await visitor.browser.submit(page, `${realm.url}/oauth/authorize`, { code: showCode(secret) });
    const done = await visitor.browser.submit(shown, `${realm.url}/oauth/authorize`, { kept: 'yes' });
    const { code = '' } = readRedirect(done).parameters;
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    expect(await statusOf(forMfa, (await realm.tokens(client, form)).access_token)).toBe(200);
  });

  it('above password refuses Basic of a Person, and says so after the right password only', async () => {
    const user = await accounts.createPerson(administrators);
    const ask = ({ send }: Pick<Replica, 'send'>, typed = user.password) =>
      send('/clients', { basic: [user.username, typed] });
    expect((await ask(realm)).status).toBe(200);
    for (const replica of [forMfa, forPhr, policy]) {
      const refused = await ask(replica);
      expect([refused.status, refused.json<{ detail: string }>().detail]).toEqual([401, text]);
      expect((await ask(replica, 'not the password')).text).not.toContain('second step');
    }
    const registration = await forMfa.send('/clients', { basic: [user.username, user.password], json: {} });
    expect([registration.status, registration.text]).toEqual([401, expect.stringContaining(text)]);
  });

  it('at password still takes none of that level from a Person whom REQUIRE_MFA names', async () => {
    expect(await demandOf(policy, tokens.alone)).toEqual([401, 'insufficient_user_authentication', mfa]);
    expect(await statusOf(policy, tokens.code)).toBe(200);
    const other = await accounts.signIn({ roles: ['SystemAdministrator'] });
    expect(await statusOf(policy, (await accounts.obtainTokens(other, client)).access_token)).toBe(200);
  });

  it('leaves a Robot alone, by the secret of its client and by a token', async () => {
    const robot = `robot-${client.client_id}@example.com`;
    await accounts.organization.create({ username: robot, userType: 'Robot', roles: ['SystemAdministrator'] });
    const machine = await accounts.registerClient({
      authorized_grant_types: ['service_account', 'client_credentials'],
      scope: ['roles'],
      redirect_uri: undefined,
      srvc_ac_user_name: robot,
    });
    const basic: [string, string] = [machine.client_id, machine.client_secret];
    const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
    for (const replica of [forMfa, forPhr]) {
      expect((await replica.send('/clients', { basic })).status).toBe(200);
      expect(await statusOf(replica, access_token)).toBe(200);
    }
  });

  it('says nothing of levels to a user who may not administer', async () => {
    const visitor = await accounts.signIn();
    const { access_token } = await accounts.obtainTokens(visitor, client);
    const answer = await call(forMfa, access_token);
    expect([answer.status, answer.text.includes('acr')]).toEqual([403, false]);
  });

  it('concerns nothing but administration: users read what the token is for', async () => {
    const visitor = await accounts.signIn(administrators, createTestBrowser());
    const { access_token: bearer } = await accounts.obtainTokens(visitor, client);
    const answer = await forPhr.send('/oauth/userinfo', { bearer });
    expect([answer.status, Object.keys(answer.json<TokenAnswer>())]).toEqual([200, expect.arrayContaining(['sub'])]);
  });
});
