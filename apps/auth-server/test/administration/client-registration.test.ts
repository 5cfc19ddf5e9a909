import { randomBytes } from 'node:crypto';
import { createLogger, OverloadedError } from '@gatehouse/service-kit';
import { type Answer, type CallOptions, readLog } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { interruptNext } from '../support/interruption.ts';
import { administerOrganization } from '../support/organization.ts';
import {
  administrator,
  encodeBasic,
  passwordOf,
  type Realm,
  readClaims,
  startRealm,
  webClient,
} from '../support/realm.ts';

const robotClient = {
  client_id: 'robot-client',
  client_secret: 'robot-secret',
  scope: ['roles'],
  authorized_grant_types: ['service_account'],
  srvc_ac_user_name: 'robot@example.com',
};

describe('POST /clients', () => {
  const log = createLogger('test', 'warn');
  const read = readLog(log);
  let realm: Realm;
  let organization: Awaited<ReturnType<typeof administerOrganization>>;

  beforeAll(async () => {
    realm = await startRealm({ REALM: 'staff', EXTRA_SCOPES: 'orders.read' }, { log });
    organization = await administerOrganization(realm);
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  const freshId = () => `app-${randomBytes(6).toString('hex')}`;
  const post = (json: unknown, options: CallOptions = { basic: administrator }) =>
    realm.send('/clients', { json, ...options });
  const expectText = (answer: Answer, status: number, text: string | RegExp) => {
    expect([answer.status, answer.text]).toEqual([
      status,
      typeof text === 'string' ? text : expect.stringMatching(text),
    ]);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).not.toMatch(/[\r\n]/);
  };

  describe('succeeds', () => {
    it('with 200 and one line of plain text for the password and authorization-code kind', async () => {
      const client_id = freshId();
      expectText(
        await post({ ...webClient, client_id }),
        200,
        `client ${client_id} created successfully under realm staff`,
      );
    });

    it('with 200 for the service-account kind', async () => {
      expectText(await post(robotClient), 200, 'client robot-client created successfully under realm staff');
    });

    it.each([
      ['a password client without a redirect_uri', { redirect_uri: undefined, authorized_grant_types: ['password'] }],
      [
        'a public client',
        { client_secret: undefined, authorized_grant_types: ['authorization_code', 'refresh_token'] },
      ],
      ['an implicit client', { client_secret: undefined, authorized_grant_types: ['implicit'] }],
      ['no access_token_validity', { access_token_validity: undefined }],
      ['the longest validity', { access_token_validity: 86_400 }],
      ['the shortest validity', { access_token_validity: 1 }],
      ['an extra scope', { scope: ['openid', 'orders.read'] }],
      ['a redirect_uri on a loopback host', { redirect_uri: 'http://127.0.0.1:8080/cb' }],
      ['a private-use redirect_uri', { redirect_uri: 'com.example.app:/callback' }],
      ['every printable character in the secret', { client_secret: ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~' }],
      ['a secret of 1024 characters', { client_secret: 's'.repeat(1024) }],
    ])('with %s', async (_case, changes) => {
      expect((await post({ ...webClient, client_id: freshId(), ...changes })).status).toBe(200);
    });

    it.each(['a', 'A.b_c~d-9', 'x'.repeat(255)])('with the client_id %s', async (client_id) => {
      expect((await post({ ...webClient, client_id })).status).toBe(200);
    });

    it('with client_ids that differ in case alone: they are two clients', async () => {
      expect((await post({ ...webClient, client_id: 'CaseApp' })).status).toBe(200);
      expect((await post({ ...webClient, client_id: 'caseapp' })).status).toBe(200);
    });

    it('for a body with a charset and blanks, and keys in any order', async () => {
      const body = `\n { "scope":["openid"], "client_secret":"s", "authorized_grant_types":["password"], "client_id":"${freshId()}" } `;
      const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
      expect((await realm.send('/clients', { basic: administrator, body, headers })).status).toBe(200);
    });
  });

  it('warns in the log of a short secret and of the implicit grant', async () => {
    const warningsOf = async (changes: object) => {
      const clientId = freshId();
      await post({ ...webClient, client_id: clientId, ...changes });
      return read().flatMap((line) => (line.clientId === clientId ? [line.msg] : []));
    };
    expect(await warningsOf({ client_secret: 'of sixteen chars' })).toEqual([]);
    expect(await warningsOf({})).toEqual(['the client secret has fewer than 16 characters, which production refuses']);
    const implicit = { client_secret: undefined, authorized_grant_types: ['implicit'] };
    expect(await warningsOf(implicit)).toEqual([
      'client registered for the implicit grant, which is deprecated (RFC 9700 2.1.2)',
    ]);
  });

  it('answers 503 where too many secrets are being checked: the caller may come again', async () => {
    const overloaded = () => Promise.reject(new OverloadedError(3));
    const isMet = interruptNext(realm.deps.database, /^INSERT INTO clients/, { before: overloaded });
    const answer = await post({ ...webClient, client_id: 'too-many' });
    expect(isMet()).toBe(true);
    expectText(answer, 503, /^creation of client too-many failed: too many credentials are being checked/);
    expect(answer.headers['retry-after']).toBe('3');
  });

  describe('accepts as caller', () => {
    const create = (options: CallOptions) => post({ ...webClient, client_id: freshId() }, options);

    it('an IdpAdministrator by password', async () => {
      expect((await create({ basic: ['idp.admin@example.com', 'idp-password'] })).status).toBe(200);
      expect((await create({ basic: ['IDP.Admin@Example.com', 'idp-password'] })).status).toBe(200);
    });

    it('an administrator whose username and password were form-urlencoded', async () => {
      expect(
        (await create({ headers: { authorization: encodeBasic('admin%40example.com', 'admin-password') } })).status,
      ).toBe(200);
    });

    it('an administrator by access token, with the roles of now and not those of the token', async () => {
      const { access_token } = await realm.tokens(webClient, { ...passwordOf('admin'), scope: 'openid' });
      expect(readClaims(access_token)).not.toHaveProperty('roles');
      expect((await create({ bearer: access_token })).status).toBe(200);
    });

    it('a service-account client whose Robot has the role, by Basic and by token', async () => {
      const registration = { ...robotClient, client_id: freshId() };
      await realm.register(registration);
      const basic: [string, string] = [registration.client_id, registration.client_secret];
      expect((await create({ basic })).status).toBe(403);
      const { access_token } = await realm.tokens(registration, { grant_type: 'client_credentials' });
      expect((await create({ bearer: access_token })).status).toBe(403);
      await organization.change('robot@example.com', { roles: ['IdpAdministrator'] });
      expect((await create({ basic })).status).toBe(200);
      expect((await create({ bearer: access_token })).status).toBe(200);
      await organization.change('robot@example.com', { roles: [] });
      expect((await create({ basic })).status).toBe(403);
    });
  });

  describe('answers 401 with a challenge of each way, or of the ways of tokens to one', () => {
    it.each<[string, CallOptions]>([
      ['no credentials', {}],
      ['another scheme', { headers: { authorization: 'Digest username="admin@example.com"' } }],
      ['Basic that cannot be read', { headers: { authorization: 'Basic ***' } }],
      ['Bearer that cannot be read', { headers: { authorization: 'Bearer a b' } }],
      ['a wrong password', { basic: ['admin@example.com', 'wrong'] }],
      ['an unknown user', { basic: ['nobody@example.com', 'admin-password'] }],
      ['an empty password', { basic: ['admin@example.com', ''] }],
      ['a Robot without any password', { basic: ['robot@example.com', ''] }],
      ['a client that is not of the service-account kind', { basic: ['web', 'web-secret'] }],
      ['an unknown client', { basic: ['nobody', 'secret'] }],
      ['a service-account client with a wrong secret', { basic: ['robot-client', 'wrong'] }],
      ['a token that is none', { bearer: 'not-a-token' }],
    ])('to %s, naming the client', async (_case, options) => {
      const answer = await post({ ...webClient, client_id: 'wanted' }, options);
      expectText(answer, 401, /^creation of client wanted failed: \S/);
      const isOfToken = 'bearer' in options || options.headers?.authorization?.startsWith('Bearer') === true;
      expect(answer.headers['www-authenticate']).toMatch(
        isOfToken ? /^Bearer realm="staff".*DPoP/ : /^Basic realm="staff".*Bearer/,
      );
    });

    it('alike for an unknown user and a wrong password', async () => {
      const answers = await Promise.all([
        post({ client_id: 'x' }, { basic: ['nobody@example.com', 'p'] }),
        post({ client_id: 'x' }, { basic: ['idp.admin@example.com', 'p'] }),
      ]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    });

    it('to an ID token and to a revoked, an expired and a changed access token', async () => {
      const { access_token, id_token = '' } = await realm.tokens(webClient, passwordOf('admin'));
      const changed = `${access_token.slice(0, -6)}AAAAAA`;
      for (const bearer of [id_token, changed]) expect((await post(webClient, { bearer })).status).toBe(401);
      expect((await post(webClient, { bearer: access_token })).status).toBe(400);
      await realm.send('/oauth/revoke', { basic: ['web', 'web-secret'], form: { token: access_token } });
      expect((await post(webClient, { bearer: access_token })).status).toBe(401);
      const short = await realm.register({ ...webClient, client_id: freshId(), access_token_validity: 1 });
      const expired = await realm.tokens(short, passwordOf('admin'));
      realm.advance(1_000);
      expect((await post(webClient, { bearer: expired.access_token })).status).toBe(401);
    });
  });

  describe('answers 403', () => {
    it('to a user without either role, by password and by token', async () => {
      const { access_token } = await realm.tokens(webClient, passwordOf('user'));
      for (const options of [
        { basic: ['user@example.com', 'user-password'] as [string, string] },
        { bearer: access_token },
      ]) {
        expectText(
          await post(webClient, options),
          403,
          /^creation of client web failed: .*(SystemAdministrator|IdpAdministrator)/,
        );
      }
    });

    it('to an administrator who is disabled, by password and by token', async () => {
      const user = {
        username: 'second@example.com',
        password: 'second-password',
        userType: 'Person',
        roles: ['SystemAdministrator'],
      };
      await organization.create(user);
      const form = { grant_type: 'password', username: user.username, password: user.password };
      const { access_token } = await realm.tokens(webClient, form);
      expect((await post({ ...webClient, client_id: freshId() }, { bearer: access_token })).status).toBe(200);
      await organization.change(user.username, { enabled: false });
      expect((await post({}, { basic: [user.username, user.password] })).status).toBe(403);
      expect((await post({}, { bearer: access_token })).status).toBe(403);
      await organization.change(user.username, { enabled: true, roles: ['DirectoryReader'] });
      expect((await post({}, { bearer: access_token })).status).toBe(403);
    });

    it('to a client that acts for itself', async () => {
      const machine = {
        ...webClient,
        client_id: freshId(),
        redirect_uri: undefined,
        authorized_grant_types: ['client_credentials'],
      };
      await realm.send('/clients', { basic: administrator, json: machine });
      const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
      expect((await post({}, { bearer: access_token })).status).toBe(403);
    });
  });

  describe('checks who calls before it looks at the body', () => {
    it.each<[string, CallOptions]>([
      ['broken JSON', { body: '{"client_id":', headers: { 'content-type': 'application/json' } }],
      ['an empty object', { json: {} }],
      [
        'another content type',
        { body: 'client_id=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ],
      ['no body', { method: 'POST' }],
      ['a body of 200 KB', { json: { client_id: 'x', client_secret: 'x'.repeat(200_000) } }],
      ['an existing client', { json: webClient }],
    ])('401, then 403, then 400 with %s', async (_case, options) => {
      expect((await realm.send('/clients', options)).status).toBe(401);
      expect((await realm.send('/clients', { ...options, basic: ['user@example.com', 'user-password'] })).status).toBe(
        403,
      );
      expectText(await realm.send('/clients', { ...options, basic: administrator }), 400, /^creation of client /);
    });

    it('and asks nothing about clients for who may not call', async () => {
      const isAsked = interruptNext(realm.deps.database, /clients/, {});
      expect((await post({ ...webClient, client_id: freshId() }, {})).status).toBe(401);
      expect(isAsked()).toBe(false);
    });
  });
});
