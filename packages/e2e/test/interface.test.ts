import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, createPkce, getLocation, obtainCode, signIn } from './support/authorization.ts';
import {
  type Credentials,
  passwordKind,
  postClient,
  redirectUri,
  registerClient,
  serviceAccountKind,
} from './support/clients.ts';
import { administrator, idpAdministrator, plainUser, robotUsername } from './support/people.ts';
import { describeGatehouse } from './support/suite.ts';
import {
  getAdministratorToken,
  getTokens,
  getUserTokens,
  isActive,
  postToken,
  readClaims,
  readHeader,
  type TokenResponse,
} from './support/tokens.ts';
import { uniqueName } from './support/unique.ts';
import { createUserAdministration, getUserDetails, userDetailsUrl } from './support/users.ts';
import { atOnce, waitFor } from './support/wait.ts';

describeGatehouse('the interface', (getGatehouse) => {
  let gatehouse: Gatehouse;
  /** A client of the first kind, to obtain tokens with. */
  let app: Credentials;
  let users: ReturnType<typeof createUserAdministration>;
  let administratorToken: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    app = await registerClient(gatehouse, passwordKind());
    administratorToken = await getAdministratorToken(gatehouse, app);
    users = createUserAdministration(gatehouse, administratorToken);
  });

  const createPerson = async (fields: Record<string, unknown> = {}): Promise<[string, string]> => {
    const username = `${uniqueName('person')}@example.com`;
    await users.create({ username, userType: 'Person', password: 'person-password', ...fields });
    return [username, 'person-password'];
  };

  describe('POST /clients answers 200', () => {
    test('for the password and authorization-code kind, with the text that names client and realm', async () => {
      const fields = passwordKind();
      const { status, headers, text } = await postClient(gatehouse, fields);
      expect({ status, text }).toEqual({
        status: 200,
        text: `client ${fields.client_id} created successfully under realm main`,
      });
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    });

    test('for the service-account kind, with the text that names client and realm', async () => {
      const fields = serviceAccountKind();
      const { status, headers, text } = await postClient(gatehouse, fields);
      expect({ status, text }).toEqual({
        status: 200,
        text: `client ${fields.client_id} created successfully under realm main`,
      });
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    });

    test.each(['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'roles'])(
      'for the scope %s',
      async (scope) => {
        const { status } = await postClient(gatehouse, passwordKind({ scope: [scope] }));
        expect(status).toBe(200);
      },
    );

    test.each(['authorization_code', 'client_credentials', 'password', 'refresh_token', 'implicit'])(
      'for the grant type %s',
      async (grantType) => {
        const { status } = await postClient(gatehouse, passwordKind({ authorized_grant_types: [grantType] }));
        expect(status).toBe(200);
      },
    );

    test('for service_account beside client_credentials', async () => {
      const grants = ['service_account', 'client_credentials'];
      const { status } = await postClient(gatehouse, serviceAccountKind({ authorized_grant_types: grants }));
      expect(status).toBe(200);
    });

    test.each([1, 1800, 86_400])('for an access_token_validity of %d seconds', async (validity) => {
      const { status } = await postClient(gatehouse, passwordKind({ access_token_validity: validity }));
      expect(status).toBe(200);
    });

    test.each([
      'https://app.example.com/callback?tenant=1',
      'http://localhost:8080/callback',
      'http://127.0.0.1/callback',
      'http://[::1]:3000/callback',
      'com.example.app:/callback',
    ])('for the redirect_uri %s', async (uri) => {
      const { status } = await postClient(gatehouse, passwordKind({ redirect_uri: uri }));
      expect(status).toBe(200);
    });

    test('for a client whose client_id differs from another in case alone', async () => {
      const clientId = uniqueName('case');
      const first = await postClient(gatehouse, passwordKind({ client_id: clientId }));
      const second = await postClient(gatehouse, passwordKind({ client_id: clientId.toUpperCase() }));
      expect([first.status, second.status]).toEqual([200, 200]);
    });

    test('for a client without access_token_validity, whose tokens then live 1800 seconds', async () => {
      const { access_token_validity: _left, ...fields } = passwordKind();
      expect((await postClient(gatehouse, fields)).status).toBe(200);
      const tokens = await getUserTokens(gatehouse, [fields.client_id, 'app-secret']);
      expect(tokens.expires_in).toBe(1800);
    });
  });

  describe('POST /clients takes as credentials', () => {
    test.each([
      ['a SystemAdministrator', administrator],
      ['an IdpAdministrator', idpAdministrator],
    ])('username and password of %s by Basic', async (_who, basic) => {
      const { status } = await postClient(gatehouse, passwordKind(), { basic });
      expect(status).toBe(200);
    });

    test.each([
      ['a SystemAdministrator', administrator],
      ['an IdpAdministrator', idpAdministrator],
    ])('an access token of %s by Bearer', async (_who, person) => {
      const { access_token: bearer } = await getUserTokens(gatehouse, app, person);
      const { status } = await postClient(gatehouse, passwordKind(), { bearer });
      expect(status).toBe(200);
    });

    test('a service-account client, by Basic and by Bearer, when its Robot holds a role', async () => {
      const username = `${uniqueName('robot')}@example.com`;
      await users.create({ username, userType: 'Robot', roles: ['IdpAdministrator'] });
      const machine = await registerClient(gatehouse, serviceAccountKind({ srvc_ac_user_name: username }));
      const { access_token: bearer } = await getTokens(gatehouse, machine, { grant_type: 'client_credentials' });
      const byBasic = await postClient(gatehouse, passwordKind(), { basic: machine });
      const byBearer = await postClient(gatehouse, passwordKind(), { bearer });
      expect([byBasic.status, byBearer.status]).toEqual([200, 200]);
    });
  });

  describe('POST /clients answers 400', () => {
    const expectRefused = async (fields: Record<string, unknown>, field: string) => {
      const { status, headers, text } = await postClient(gatehouse, fields);
      expect(status).toBe(400);
      expect(text.startsWith(`creation of client ${fields.client_id} failed: `)).toBe(true);
      expect(text).toContain(field);
      expect(text).not.toContain('\n');
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    };

    test('for a client_id that exists, and leaves the first client as it was', async () => {
      const fields = passwordKind();
      await registerClient(gatehouse, fields);
      await expectRefused({ ...fields, client_secret: 'another-secret' }, 'client_id');
      const tokens = await getUserTokens(gatehouse, [fields.client_id, 'app-secret']);
      expect(tokens.token_type).toBe('Bearer');
    });

    test('for service_account without srvc_ac_user_name', async () => {
      const { srvc_ac_user_name: _left, ...fields } = serviceAccountKind();
      await expectRefused(fields, 'srvc_ac_user_name');
    });

    test('for a srvc_ac_user_name that does not exist', async () => {
      await expectRefused({ ...serviceAccountKind({ srvc_ac_user_name: 'nobody@example.com' }) }, 'srvc_ac_user_name');
    });

    test('for a srvc_ac_user_name that is not a Robot', async () => {
      await expectRefused({ ...serviceAccountKind({ srvc_ac_user_name: plainUser[0] }) }, 'srvc_ac_user_name');
    });

    test('for a srvc_ac_user_name that is a disabled Robot', async () => {
      const username = `${uniqueName('robot')}@example.com`;
      await users.create({ username, userType: 'Robot', enabled: false });
      await expectRefused({ ...serviceAccountKind({ srvc_ac_user_name: username }) }, 'srvc_ac_user_name');
    });

    test.each<[string, string, Record<string, unknown>]>([
      ['access_token_validity above a day', 'access_token_validity', { access_token_validity: 86_401 }],
      ['access_token_validity 0', 'access_token_validity', { access_token_validity: 0 }],
      ['negative access_token_validity', 'access_token_validity', { access_token_validity: -1 }],
      ['access_token_validity as text', 'access_token_validity', { access_token_validity: '1800' }],
      ['fractional access_token_validity', 'access_token_validity', { access_token_validity: 1.5 }],
      ['scope missing', 'scope', { scope: undefined }],
      ['scope empty', 'scope', { scope: [] }],
      ['scope as text', 'scope', { scope: 'openid' }],
      ['scope unknown', 'scope', { scope: ['openid', 'everything'] }],
      ['scope repeated', 'scope', { scope: ['openid', 'openid'] }],
      ['grant types missing', 'authorized_grant_types', { authorized_grant_types: undefined }],
      ['grant types empty', 'authorized_grant_types', { authorized_grant_types: [] }],
      ['grant type unknown', 'authorized_grant_types', { authorized_grant_types: ['device_code'] }],
      ['grant type repeated', 'authorized_grant_types', { authorized_grant_types: ['password', 'password'] }],
      ['client_secret missing for a confidential client', 'client_secret', { client_secret: undefined }],
      ['client_secret empty', 'client_secret', { client_secret: '' }],
      ['client_secret not ASCII', 'client_secret', { client_secret: 'gehëim' }],
      ['client_secret too long', 'client_secret', { client_secret: 's'.repeat(1025) }],
      ['redirect_uri missing', 'redirect_uri', { redirect_uri: undefined }],
      ['redirect_uri relative', 'redirect_uri', { redirect_uri: '/callback' }],
      ['redirect_uri with a fragment', 'redirect_uri', { redirect_uri: 'https://app.example.com/#there' }],
      ['redirect_uri of plain http', 'redirect_uri', { redirect_uri: 'http://app.example.com/callback' }],
      ['redirect_uri of javascript', 'redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
      ['redirect_uri with a private scheme without a dot', 'redirect_uri', { redirect_uri: 'myapp:/callback' }],
      ['redirect_uri as a list', 'redirect_uri', { redirect_uri: ['https://app.example.com/callback'] }],
      ['srvc_ac_user_name without service_account', 'srvc_ac_user_name', { srvc_ac_user_name: robotUsername }],
      ['an unknown field', 'surprise', { surprise: true }],
    ])('for %s, naming %s', async (_case, field, changes) => {
      await expectRefused({ ...passwordKind(), ...changes }, field);
    });

    test.each<[string, string, Record<string, unknown>]>([
      ['a redirect_uri', 'redirect_uri', { redirect_uri: redirectUri }],
      ['password beside it', 'authorized_grant_types', { authorized_grant_types: ['service_account', 'password'] }],
    ])('for service_account with %s', async (_case, field, changes) => {
      await expectRefused({ ...serviceAccountKind(), ...changes }, field);
    });

    test.each(['', 'has space', 'user@example.com', 'a:b', 'x'.repeat(256), 'ümlaut', 42, null])(
      'for the client_id %j, and calls the client unknown',
      async (clientId) => {
        const { status, text } = await postClient(gatehouse, { ...passwordKind(), client_id: clientId });
        expect(status).toBe(400);
        expect(text).toMatch(/^creation of client \(unknown\) failed: .*client_id/);
      },
    );

    test('with every faulty field in an RFC 9457 document where the caller accepts one', async () => {
      const fields = { ...passwordKind(), scope: [], access_token_validity: 86_401 };
      const answer = await postClient(gatehouse, fields, { headers: { accept: 'application/problem+json' } });
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(answer.json()).toMatchObject({
        status: 400,
        errors: [{ field: 'scope' }, { field: 'access_token_validity' }],
      });
    });
  });

  describe('POST /clients answers 401 with a challenge, whatever the body,', () => {
    const expectUnauthenticated = async (options: CallOptions) => {
      const { status, headers, text } = await call(`${gatehouse.authUrl}/clients`, {
        json: { client_id: 'wanted', surprise: true },
        ...options,
      });
      expect(status).toBe(401);
      // A token is challenged by the ways of tokens alone.
      const ways = options.bearer === undefined ? /^Basic realm="main".*Bearer/ : /^Bearer realm="main".*DPoP/;
      expect(headers['www-authenticate']).toMatch(ways);
      expect(text).toMatch(/^creation of client wanted failed: \S/);
    };

    test('without credentials', () => expectUnauthenticated({}));
    test('for a wrong password', () => expectUnauthenticated({ basic: [administrator[0], 'not-it'] }));
    test('for an unknown user', () => expectUnauthenticated({ basic: ['nobody@example.com', 'not-it'] }));
    test('for a wrong client secret', async () => {
      const [clientId] = await registerClient(gatehouse, serviceAccountKind());
      await expectUnauthenticated({ basic: [clientId, 'not-it'] });
    });
    test('for a client that is not of the service-account kind', () => expectUnauthenticated({ basic: app }));
    test('for a Robot by name', () => expectUnauthenticated({ basic: [robotUsername, 'robot-password'] }));
    test('for a Bearer that is no token', () => expectUnauthenticated({ bearer: 'nonsense' }));
    test('for another scheme', () => expectUnauthenticated({ headers: { authorization: 'Digest username="a"' } }));
    test('for a token that was revoked', async () => {
      const token = await getAdministratorToken(gatehouse, app);
      await call(`${gatehouse.authUrl}/oauth/revoke`, { basic: app, form: { token } });
      await expectUnauthenticated({ bearer: token });
    });
    test('for a token that has expired', async () => {
      const client = await registerClient(gatehouse, passwordKind({ access_token_validity: 1 }));
      const token = await getAdministratorToken(gatehouse, client);
      await sleep(2100);
      await expectUnauthenticated({ bearer: token });
    });
  });

  describe('POST /clients answers 403, whatever the body,', () => {
    const expectForbidden = async (options: Parameters<typeof postClient>[2]) => {
      const { status, text } = await postClient(gatehouse, { client_id: 'wanted', surprise: true }, options);
      expect(status).toBe(403);
      expect(text).toMatch(/^creation of client wanted failed: \S/);
    };

    test('for a user without a role, by Basic', () => expectForbidden({ basic: plainUser }));
    test('for a user without a role, by Bearer', async () => {
      const { access_token: bearer } = await getUserTokens(gatehouse, app);
      await expectForbidden({ bearer });
    });
    test('for a DirectoryReader', async () => {
      await expectForbidden({ basic: await createPerson({ roles: ['DirectoryReader'] }) });
    });
    test('for a service-account client whose Robot holds no role', async () => {
      await expectForbidden({ basic: await registerClient(gatehouse, serviceAccountKind()) });
    });
    test('for a client that stands for no user', async () => {
      const grants = ['client_credentials'];
      const fields = passwordKind({ authorized_grant_types: grants });
      const client = await registerClient(gatehouse, fields);
      const { access_token: bearer } = await getTokens(gatehouse, client, { grant_type: 'client_credentials' });
      await expectForbidden({ bearer });
    });
    test('for an administrator who is disabled, by Basic and by a token of before', async () => {
      const person = await createPerson({ roles: ['SystemAdministrator'] });
      const { access_token: bearer } = await getUserTokens(gatehouse, app, person);
      await users.change(person[0], { enabled: false });
      await expectForbidden({ basic: person });
      await expectForbidden({ bearer });
    });
  });

  test('POST /clients reads roles live: given and taken, they count with the same token at the next call', async () => {
    const person = await createPerson();
    const { access_token: bearer } = await getUserTokens(gatehouse, app, person);
    const statuses: number[] = [];
    for (const roles of [[], ['IdpAdministrator'], [], ['SystemAdministrator'], ['DirectoryReader']]) {
      await users.change(person[0], { roles });
      statuses.push((await postClient(gatehouse, passwordKind(), { bearer })).status);
    }
    expect(statuses).toEqual([403, 200, 403, 200, 403]);
  });

  test('of 16 creations of one client_id at the same moment exactly one answers 200, and its secret is the one', async () => {
    const clientId = uniqueName('contested');
    const answers = await atOnce(16, (index) =>
      postClient(gatehouse, passwordKind({ client_id: clientId, client_secret: `secret-${index}` })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(15).fill(400)]);
    for (const { status, text } of answers) {
      if (status === 400) expect(text).toMatch(`creation of client ${clientId} failed: client_id`);
    }
    const winner = answers.findIndex(({ status }) => status === 200);
    const tokens = await getUserTokens(gatehouse, [clientId, `secret-${winner}`]);
    expect(tokens.token_type).toBe('Bearer');
  });

  describe('POST /oauth/token, password grant,', () => {
    test('gives an access token as JSON that no cache keeps', async () => {
      const [username, password] = plainUser;
      const answer = await postToken(gatehouse, { basic: app, form: { grant_type: 'password', username, password } });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.json()).toMatchObject({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'Bearer',
        expires_in: 1800,
        scope: 'openid profile email roles',
        refresh_token: expect.any(String),
        id_token: expect.any(String),
      });
    });

    test('answers 400 with one text for a wrong password, an unknown user, a disabled user and a Robot', async () => {
      const disabled = await createPerson({ enabled: false });
      const people = [[plainUser[0], 'not-it'], ['nobody@example.com', 'not-it'], disabled, [robotUsername, 'not-it']];
      const answers = await Promise.all(
        people.map(([username = '', password = '']) =>
          postToken(gatehouse, { basic: app, form: { grant_type: 'password', username, password } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.json()).toEqual({ error: 'invalid_grant', error_description: expect.any(String) });
    });

    test('compares usernames without regard to case', async () => {
      const tokens = await getUserTokens(gatehouse, app, ['USER@Example.COM', plainUser[1]]);
      expect(readClaims(tokens.access_token)).toMatchObject({ username: plainUser[0] });
    });

    test('answers 401 invalid_client with a Basic challenge where the client secret is wrong', async () => {
      const [username, password] = plainUser;
      const form = { grant_type: 'password', username, password };
      const answer = await postToken(gatehouse, { basic: [app[0], 'not-it'], form });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
      expect(answer.json()).toMatchObject({ error: 'invalid_client' });
    });

    test.each([
      ['grant_type is missing', {}, 'invalid_request'],
      ['grant_type is unknown', { grant_type: 'magic' }, 'unsupported_grant_type'],
      ['username is missing', { grant_type: 'password', password: 'x' }, 'invalid_request'],
      ['password is missing', { grant_type: 'password', username: 'x@example.com' }, 'invalid_request'],
      [
        'scope is beyond the client',
        { grant_type: 'password', username: 'a', password: 'b', scope: 'offline_access' },
        'invalid_scope',
      ],
      ['the client is not registered for the grant', { grant_type: 'client_credentials' }, 'unauthorized_client'],
    ])('answers 400 where %s', async (_case, form, error) => {
      const answer = await postToken(gatehouse, { basic: app, form });
      expect([answer.status, answer.json().error]).toEqual([400, error]);
    });

    test('answers 400 where a parameter is sent twice', async () => {
      const form: [string, string][] = [
        ['grant_type', 'password'],
        ['username', 'a'],
        ['username', 'b'],
        ['password', 'c'],
      ];
      const answer = await postToken(gatehouse, { basic: app, form });
      expect([answer.status, answer.json().error]).toEqual([400, 'invalid_request']);
    });

    test('takes the client secret in the body as well, but not both ways at once', async () => {
      const [username, password] = plainUser;
      const form = { grant_type: 'password', username, password, client_id: app[0], client_secret: app[1] };
      const inBody = await postToken(gatehouse, { form });
      const twice = await postToken(gatehouse, { form, basic: app });
      expect([inBody.status, twice.status, twice.json().error]).toEqual([200, 400, 'invalid_request']);
    });
  });

  describe('access tokens', () => {
    test('are RFC 9068 JWTs with the claims of the user, live as long as the client says', async () => {
      const client = await registerClient(gatehouse, passwordKind({ access_token_validity: 86_400 }));
      const { access_token: token, expires_in: expiresIn } = await getUserTokens(gatehouse, client, administrator);
      expect(readHeader(token)).toEqual({ typ: 'at+jwt', alg: 'ES256', kid: expect.any(String) });
      const claims = readClaims(token);
      expect(claims).toMatchObject({
        iss: gatehouse.authUrl,
        aud: gatehouse.baseUrl,
        sub: expect.stringMatching(/^[0-9a-f-]{36}$/),
        username: administrator[0],
        client_id: client[0],
        scope: 'openid profile email roles',
        roles: ['SystemAdministrator'],
        jti: expect.any(String),
        auth_time: expect.any(Number),
      });
      expect([expiresIn, Number(claims.exp) - Number(claims.iat)]).toEqual([86_400, 86_400]);
    });

    test('name roles only where the scope roles was granted', async () => {
      const [username, password] = administrator;
      const form = { grant_type: 'password', username, password, scope: 'openid profile' };
      const tokens = await getTokens(gatehouse, app, form);
      expect([tokens.scope, readClaims(tokens.access_token).roles]).toEqual(['openid profile', undefined]);
    });

    test('are refused at org-api when their time is over', async () => {
      const client = await registerClient(gatehouse, passwordKind({ access_token_validity: 1 }));
      const { access_token: token } = await getUserTokens(gatehouse, client);
      await sleep(2100);
      const answer = await getUserDetails(gatehouse, plainUser[0], token);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    });
  });

  describe('the authorization endpoint', () => {
    test('shows a sign-in page and sends the user back with a code, which Basic redeems', async () => {
      const { verifier, challenge } = createPkce();
      const url = buildAuthorizeUrl(gatehouse, {
        response_type: 'code',
        client_id: app[0],
        redirect_uri: redirectUri,
        state: 'st/ate=1&2',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      const browser = createTestBrowser();
      const page = await browser.get(url);
      expect(page.text).toMatch(/<input[^>]* name="username"[\s\S]*<input[^>]* name="password"/);
      expect(page.text.match(/<button type="submit">/g)).toHaveLength(1);

      const answer = await browser.submit(page, url, { username: plainUser[0], password: plainUser[1] });
      expect(answer.status).toBe(303);
      const location = getLocation(answer);
      expect(location.href.startsWith(`${redirectUri}?`)).toBe(true);
      const { code = '', ...rest } = Object.fromEntries(location.searchParams);
      expect(rest).toEqual({ state: 'st/ate=1&2', iss: gatehouse.authUrl });

      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
      const tokens = await getTokens(gatehouse, app, form);
      expect(readClaims(tokens.access_token)).toMatchObject({ username: plainUser[0], client_id: app[0] });
    });

    test('takes the settings of a desktop API tool: empty scope and state, no PKCE', async () => {
      const url = buildAuthorizeUrl(gatehouse, {
        response_type: 'code',
        client_id: app[0],
        redirect_uri: redirectUri,
        scope: '',
        state: '',
      });
      const code = getLocation(await signIn(url)).searchParams.get('code') ?? '';
      const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
      const tokens = await getTokens(gatehouse, app, form);
      expect(tokens.scope).toBe('openid profile email roles');
    });

    test.each([
      'https://app.example.com/callback/',
      'https://app.example.com/callback?x=1',
      'https://app.example.com:443/callback',
      'https://APP.example.com/callback',
      'https://app.example.com/Callback',
      'https://app.example.com/callback#x',
      'https://evil.example.com/callback',
    ])('shows a page instead of redirecting to %s, which is not the registered value', async (uri) => {
      const answer = await call(
        buildAuthorizeUrl(gatehouse, { response_type: 'code', client_id: app[0], redirect_uri: uri }),
      );
      expect(answer.status).toBe(400);
      expect(answer.headers.location).toBeUndefined();
      expect(answer.headers['content-type']).toMatch(/^text\/html/);
    });

    test('shows a page for a client_id that is not registered', async () => {
      const answer = await call(
        buildAuthorizeUrl(gatehouse, { response_type: 'code', client_id: 'no-such', redirect_uri: redirectUri }),
      );
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    });

    test('sends any other fault back to the client', async () => {
      const parameters = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri, state: 's' };
      const url = buildAuthorizeUrl(gatehouse, { ...parameters, scope: 'beyond' });
      const location = getLocation(await call(url));
      expect(location.href.startsWith(redirectUri)).toBe(true);
      expect(Object.fromEntries(location.searchParams)).toMatchObject({ error: 'invalid_scope', state: 's' });
    });

    test('keeps the user on the page, with a reason, where the password is wrong', async () => {
      const parameters = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri };
      const answer = await signIn(buildAuthorizeUrl(gatehouse, parameters), [plainUser[0], 'not-it']);
      expect(answer.status).toBe(400);
      expect(answer.text).toMatch(/role="alert"[^>]*>[^<]+/);
      expect(answer.text).not.toContain('not-it');
    });

    test('gives a code that works once, for its own client, redirect_uri and verifier alone', async () => {
      const other = await registerClient(gatehouse, passwordKind());
      const { redemption } = await obtainCode(gatehouse, app);
      const tries: [Credentials, Record<string, string>][] = [
        [other, redemption],
        [app, { ...redemption, redirect_uri: 'https://app.example.com/other' }],
        [app, { ...redemption, code_verifier: createPkce().verifier }],
        [app, redemption],
        [app, redemption],
      ];
      const statuses: number[] = [];
      for (const [basic, form] of tries) statuses.push((await postToken(gatehouse, { basic, form })).status);
      expect(statuses).toEqual([400, 400, 400, 200, 400]);
    });

    test('gives tokens in the fragment to a client of the implicit grant, and to no other', async () => {
      const grants = ['implicit'];
      const [clientId] = await registerClient(gatehouse, passwordKind({ authorized_grant_types: grants }));
      const parameters = { response_type: 'id_token token', redirect_uri: redirectUri, nonce: 'the-nonce' };
      const location = getLocation(
        await signIn(buildAuthorizeUrl(gatehouse, { ...parameters, client_id: clientId, scope: 'openid' })),
      );
      const fields = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      expect(location.search).toBe('');
      expect(fields).toMatchObject({ token_type: 'Bearer', expires_in: '1800' });
      expect(readClaims(fields.id_token ?? '')).toMatchObject({ nonce: 'the-nonce', aud: clientId });
      const details = await getUserDetails(gatehouse, plainUser[0], fields.access_token ?? '');
      expect(details.status).toBe(200);

      const refused = getLocation(await call(buildAuthorizeUrl(gatehouse, { ...parameters, client_id: app[0] })));
      expect(refused.hash).toContain('error=unauthorized_client');
    });
  });

  describe('the other grants', () => {
    test('refresh_token: gives a new access token and a new refresh token, and again from that one', async () => {
      let tokens = await getUserTokens(gatehouse, app);
      const seen = new Set([tokens.refresh_token]);
      for (let round = 0; round < 3; round += 1) {
        const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
        tokens = await getTokens(gatehouse, app, form);
        seen.add(tokens.refresh_token);
      }
      expect(seen.size).toBe(4);
      expect((await getUserDetails(gatehouse, plainUser[0], tokens.access_token)).status).toBe(200);
    });

    test('refresh_token: is given for scope offline_access, and not to a client without either', async () => {
      const grants = ['password'];
      const scope = ['profile', 'offline_access'];
      const offline = await registerClient(gatehouse, passwordKind({ authorized_grant_types: grants, scope }));
      const without = await registerClient(gatehouse, passwordKind({ authorized_grant_types: grants }));
      const { refresh_token: offlineToken } = await getUserTokens(gatehouse, offline);
      const { refresh_token: none } = await getUserTokens(gatehouse, without);
      expect([typeof offlineToken, typeof none]).toEqual(['string', 'undefined']);
    });

    test.each(['client_credentials', 'service_account'])(
      '%s: gives a service-account client a token of its Robot',
      async (grantType) => {
        const machine = await registerClient(gatehouse, serviceAccountKind());
        const tokens = await getTokens(gatehouse, machine, { grant_type: grantType });
        expect(tokens).toEqual({
          access_token: expect.any(String),
          token_type: 'Bearer',
          expires_in: 600,
          scope: 'profile roles',
        } satisfies Record<keyof Omit<TokenResponse, 'refresh_token' | 'id_token'>, unknown>);
        expect(readClaims(tokens.access_token)).toMatchObject({ username: robotUsername, client_id: machine[0] });
        const details = await getUserDetails(gatehouse, robotUsername, tokens.access_token);
        expect(details.json()).toMatchObject({ username: robotUsername, userType: 'Robot' });
      },
    );

    test('client_credentials: gives a plain client a token of its own, which reads nobody', async () => {
      const grants = ['client_credentials'];
      const client = await registerClient(gatehouse, passwordKind({ authorized_grant_types: grants }));
      const { access_token: token } = await getTokens(gatehouse, client, { grant_type: 'client_credentials' });
      expect(readClaims(token)).toMatchObject({ sub: client[0], client_id: client[0] });
      expect(readClaims(token)).not.toHaveProperty('username');
      expect((await getUserDetails(gatehouse, plainUser[0], token)).status).toBe(403);
    });
  });

  describe('GET user details', () => {
    let userToken: string;
    beforeAll(async () => {
      userToken = (await getUserTokens(gatehouse, app)).access_token;
    });

    test('answers the record of the user as JSON, and never a password hash', async () => {
      const answer = await getUserDetails(gatehouse, plainUser[0], userToken);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(answer.json()).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        username: 'user@example.com',
        userType: 'Person',
        firstName: 'Ursula',
        lastName: 'User',
        email: 'user@example.com',
        emailVerified: true,
        enabled: true,
        roles: [],
        organization: 'Example',
        locale: 'en',
        timezone: 'UTC',
        createdAt: instant,
        updatedAt: instant,
        middleName: 'Maria',
        nickname: 'Uschi',
        profile: 'https://people.example.com/ursula',
        picture: 'https://people.example.com/ursula.png',
        website: 'https://ursula.example.com',
        gender: 'female',
        birthdate: '1985-02-28',
        phoneNumber: '+41446681800',
        phoneNumberVerified: true,
        address: expect.objectContaining({ streetAddress: '1 Example Way', locality: 'Zurich' }),
      });
    });

    test('takes the @ of the username unescaped, and the username in any case', async () => {
      const base = userDetailsUrl(gatehouse, '');
      const plain = await call(`${base}user@example.com`, { bearer: userToken });
      const upper = await call(`${base}USER%40EXAMPLE.COM`, { bearer: userToken });
      expect([plain.status, upper.status]).toEqual([200, 200]);
    });

    test('answers 401 with a Bearer challenge and no error code where there is no token', async () => {
      const answer = await call(userDetailsUrl(gatehouse, plainUser[0]));
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      expect(answer.headers['www-authenticate']).not.toContain('error');
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    });

    test('answers 401 invalid_token where the token is not valid', async () => {
      const answer = await getUserDetails(gatehouse, plainUser[0], 'nonsense');
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    });

    test('answers 403 to a user without a role for others, whether or not they exist', async () => {
      const existing = await getUserDetails(gatehouse, administrator[0], userToken);
      const missing = await getUserDetails(gatehouse, 'nobody@example.com', userToken);
      expect([existing.status, missing.status]).toEqual([403, 403]);
      expect(existing.json().detail).toBe(missing.json().detail);
    });

    test.each(['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'])(
      'answers others to a %s, and 404 where there is no such user',
      async (role) => {
        const person = await createPerson({ roles: [role] });
        const { access_token: token } = await getUserTokens(gatehouse, app, person);
        const existing = await getUserDetails(gatehouse, plainUser[0], token);
        const missing = await getUserDetails(gatehouse, 'nobody@example.com', token);
        expect([existing.status, missing.status]).toEqual([200, 404]);
      },
    );

    test('answers 401 to a token whose user was disabled, deleted or has a new password', async () => {
      const statuses: number[] = [];
      for (const end of [
        (username: string) => users.change(username, { enabled: false }),
        (username: string) => users.delete(username),
        (username: string) => users.setPassword(username, 'another-password'),
      ]) {
        const person = await createPerson();
        const { access_token: token, refresh_token: refreshToken = '' } = await getUserTokens(gatehouse, app, person);
        statuses.push((await getUserDetails(gatehouse, person[0], token)).status);
        await end(person[0]);
        statuses.push((await getUserDetails(gatehouse, person[0], token)).status);
        expect(await isActive(gatehouse, app, token)).toBe(false);
        const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
        expect((await postToken(gatehouse, { basic: app, form })).json()).toMatchObject({ error: 'invalid_grant' });
      }
      expect(statuses).toEqual([200, 401, 200, 401, 200, 401]);
    });
  });
});

describeGatehouse(
  'POST /clients without its organization',
  (getGatehouse) => {
    test('answers 500 with the failure text, and says nothing of the inside but the request id', async () => {
      const { status, headers, text } = await postClient(getGatehouse(), passwordKind({ client_id: 'wanted' }));
      const requestId = String(headers['x-request-id']);
      expect({ status, text }).toEqual({
        status: 500,
        text: `creation of client wanted failed: internal server error, request id ${requestId}`,
      });
      const readLog = async () => getGatehouse().authServer.output();
      expect(await waitFor(readLog, (log) => log.includes(requestId), 5000)).toContain(requestId);
    });
  },
  { 'auth-server': { ORG_API_URL: 'http://127.0.0.1:1' } },
);
