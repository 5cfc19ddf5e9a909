import { randomBytes } from 'node:crypto';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, type Credentials, useAccounts, type Visitor } from '../support/account.ts';
import { createPkce, readRedirect } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { type PreviewAnswer, usePreviews } from '../support/previews.ts';
import { administrator, callback, encodeForm, type Realm, type TokenAnswer } from '../support/realm.ts';
import { startReplica } from '../support/replica.ts';
import { administerResources, type RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [password, mfa] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa'] as const;
const everyGrantType = ['authorization_code', 'password', 'refresh_token', 'client_credentials', deviceGrant];
const everyScope = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'roles'];
const details = {
  firstName: 'Ursula',
  lastName: 'User',
  email: 'ursula@example.com',
  phoneNumber: '+41446681800',
  roles: ['DirectoryReader', 'IdpAdministrator'],
};

describe.each(testDialects)('a preview on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let devices: ReturnType<typeof useDevices>;
  let resources: ReturnType<typeof administerResources>;
  let previews: ReturnType<typeof usePreviews>;
  let api: RegisteredResource;
  let visitor: Visitor;
  let username: string;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
    devices = useDevices(realm);
    resources = administerResources(realm);
    previews = usePreviews(realm);
    api = await resources.create();
    visitor = await accounts.signIn(details);
    username = visitor.user.username;
  });
  afterAll(() => realm.close());

  const scopesOfApi = () => api.scopes.map(({ name }) => name);
  const register = (changes: object = {}) =>
    accounts.registerClient({ scope: everyScope, authorized_grant_types: everyGrantType, ...changes });
  const registerForApi = (changes: object = {}) =>
    register({ scope: [...everyScope, ...scopesOfApi()], resources: [realm.orgUrl, api.resource], ...changes });
  /** The real tokens of a sign-in at a browser, with consent where the page asks for it. */
  const signIn = async (
    client: Credentials,
    { resource, ...request }: Record<string, string>,
    { browser }: Visitor = visitor,
  ): Promise<TokenAnswer> => {
    const { verifier, parameters } = createPkce();
    const asked = { response_type: 'code', redirect_uri: callback, ...parameters, ...request };
    const url = `${realm.url}/oauth/authorize?${encodeForm({ client_id: client.client_id, ...asked, ...(resource && { resource }) })}`;
    let answer = await browser.get(url);
    if (answer.status === 200) answer = await browser.submit(answer, url, { decision: 'allow' });
    const { code } = readRedirect(answer).parameters;
    if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
    return realm.tokens(client, { ...form, ...(resource && { resource }) });
  };
  const refresh = (client: Credentials, { refresh_token = '' }: TokenAnswer, form: Record<string, string> = {}) =>
    realm.tokens(client, { grant_type: 'refresh_token', refresh_token, ...form });
  const expectSame = async ({ consent, ...preview }: PreviewAnswer, tokens: TokenAnswer) => {
    expect(consent).toEqual({ asked: expect.any(Array), given: expect.any(Array) });
    expect(preview).toEqual(await previews.describe(tokens));
  };
  const named = (more: object = {}) => ({ grant_type: 'authorization_code', username, ...more });

  describe.each([
    ['a client of the organization', {}],
    ['a client whose ID tokens carry what scopes open', { id_token_scope_claims: true }],
    ['a client with another algorithm', { id_token_signed_response_alg: 'ES256', access_token_validity: 60 }],
    [
      'a client that asks its users',
      { require_consent: true, authorized_grant_types: ['authorization_code', 'refresh_token'] },
    ],
    ['a client with PKCE and a limit of grave acts', { require_pkce: true, administration_max_age: 900 }],
    ['a client with two redirect URIs', { redirect_uris: [`${callback}/more`], default_acr_values: [password] }],
  ])('of %s', (_kind, changes) => {
    it.each([
      ['openid'],
      ['openid profile email'],
      ['openid profile email phone address offline_access roles'],
      ['profile roles'],
      [undefined],
    ])('is what a sign-in with the scope %s gives', async (scope) => {
      const client = await register(changes);
      const request: Record<string, string> = scope === undefined ? {} : { scope };
      const preview = await previews.preview(client, named(request));
      await expectSame(preview, await signIn(client, request));
    });
  });

  it('has what each API opens', async () => {
    const client = await registerForApi();
    const [read = ''] = scopesOfApi();
    const requests: Record<string, string>[] = [
      { resource: api.resource },
      { resource: api.resource, scope: `openid email ${read}` },
      { resource: realm.orgUrl, scope: 'openid roles' },
      { scope: 'openid profile' },
    ];
    for (const request of requests) {
      await expectSame(await previews.preview(client, named(request)), await signIn(client, request));
    }
    const forApi = await previews.preview(client, named({ resource: api.resource, scope: `openid ${read}` }));
    expect(forApi.access_token?.claims).toMatchObject({ aud: api.resource, scope: read, sub_type: 'user' });
    expect(forApi).not.toHaveProperty('userinfo');
    expect(forApi.id_token?.claims).toMatchObject({ aud: client.client_id });
  });

  it('has the ceiling of the client', async () => {
    const idp = await accounts.createPerson({ roles: ['IdpAdministrator'] });
    const client = { client_id: `low-${randomBytes(6).toString('hex')}`, client_secret: 'a secret of the client' };
    const registration = {
      ...client,
      scope: ['openid', 'roles'],
      authorized_grant_types: ['authorization_code'],
      redirect_uri: callback,
    };
    const caller = { basic: [idp.username, idp.password] as [string, string] };
    expect((await realm.send('/clients', { ...caller, json: registration })).status).toBe(200);
    const powerful = await accounts.signIn({ roles: ['SystemAdministrator', 'DirectoryReader'] });
    const request = { grant_type: 'authorization_code', username: powerful.user.username };
    const preview = await previews.preview(client, request);
    expect(preview.access_token?.claims).toMatchObject({ ceiling: ['IdpAdministrator', 'DirectoryReader'] });
    await expectSame(preview, await signIn(client, {}, powerful));
  });

  it('is what a password gives', async () => {
    const client = await registerForApi();
    const { user } = visitor;
    const requests: Record<string, string>[] = [
      {},
      { scope: 'openid profile' },
      { scope: 'openid', resource: api.resource },
    ];
    for (const request of requests) {
      const preview = await previews.preview(client, { grant_type: 'password', username, ...request });
      await expectSame(preview, await realm.tokens(client, { grant_type: 'password', ...user, ...request }));
      expect(preview.consent).toEqual({ asked: [], given: [] });
    }
  });

  it('is what a client gets for itself, and as its Robot', async () => {
    const client = await registerForApi();
    const robot = { client_id: `robot-${randomBytes(6).toString('hex')}`, client_secret: 'a secret of the client' };
    await realm.register({
      ...robot,
      scope: ['openid', 'profile', 'roles'],
      authorized_grant_types: ['service_account'],
      srvc_ac_user_name: 'robot@example.com',
    });
    for (const [sender, form] of [
      [client, { grant_type: 'client_credentials' }],
      [client, { grant_type: 'client_credentials', scope: scopesOfApi()[0] ?? '', resource: api.resource }],
      [robot, { grant_type: 'client_credentials', scope: 'openid' }],
      [robot, { grant_type: 'service_account' }],
    ] as const) {
      const preview = await previews.preview(sender, form);
      await expectSame(preview, await realm.tokens(sender, { ...form }));
      expect(preview).not.toHaveProperty('id_token');
    }
  });

  it.each([{}, { require_consent: true }])('is what a device gets, of a client with %j', async (changes) => {
    const client = await registerForApi({ authorized_grant_types: [deviceGrant, 'refresh_token'], ...changes });
    const requests: Record<string, string>[] = [
      { scope: 'openid profile roles' },
      { scope: 'openid email' },
      { resource: api.resource },
    ];
    for (const request of requests) {
      const preview = await previews.preview(client, { grant_type: deviceGrant, username, ...request });
      const tokens = await devices.connect(client, request, { ...visitor.user });
      await expectSame(preview, tokens);
      const refreshed = await previews.preview(client, { grant_type: 'refresh_token', username, ...request });
      await expectSame(refreshed, await refresh(client, tokens));
    }
  });

  it('is what a refresh gives', async () => {
    const client = await registerForApi();
    const requests: Record<string, string>[] = [
      { scope: 'openid profile' },
      { scope: 'openid offline_access roles' },
      { resource: api.resource },
    ];
    for (const request of requests) {
      const preview = await previews.preview(client, { grant_type: 'refresh_token', username, ...request });
      await expectSame(preview, await refresh(client, await signIn(client, request)));
    }
    const byPassword = await register({ authorized_grant_types: ['password', 'refresh_token'] });
    const preview = await previews.preview(byPassword, {
      grant_type: 'refresh_token',
      username,
      scope: 'openid email',
    });
    const form = { grant_type: 'password', ...visitor.user, scope: 'openid email' };
    await expectSame(preview, await refresh(byPassword, await realm.tokens(byPassword, form)));
  });

  it.each([true, false])('says of an address whether it is verified: %s', async (emailVerified) => {
    const client = await register({ id_token_scope_claims: true });
    const person = await accounts.signIn({ email: 'other@example.com', emailVerified });
    const request = { scope: 'openid profile email' };
    const preview = await previews.preview(client, named({ ...request, username: person.user.username }));
    await expectSame(preview, await signIn(client, request, person));
    expect(preview.userinfo).toMatchObject({ email: 'other@example.com', email_verified: emailVerified });
    expect(preview.id_token?.claims).toMatchObject({ email_verified: emailVerified });
  });

  it('has the level of the sign-in', async () => {
    const client = await register({ required_acr: mfa, authorized_grant_types: ['authorization_code'] });
    const person = await accounts.signIn();
    await accounts.addCodeApp(person);
    const request = named({ username: person.user.username, scope: 'openid' });
    const preview = await previews.preview(client, request);
    await expectSame(preview, await signIn(client, { scope: 'openid' }, person));
    expect(preview.id_token?.claims).toMatchObject({ acr: mfa, amr: ['pwd', 'otp', 'mfa'] });
    const byPasskey = await previews.preview(client, { ...request, acr: 'phr' });
    expect(byPasskey.id_token?.claims).toMatchObject({ acr: mfa, amr: ['pop', 'user', 'mfa'] });
    const usual = await register();
    expect((await previews.preview(usual, request)).id_token?.claims.acr).toBe(mfa);
    const assumed = await previews.preview(usual, { ...request, acr: password });
    expect(assumed.id_token?.claims).toMatchObject({ acr: password, amr: ['pwd'] });
  });

  it('says what the consent page would ask, and what the user gave', async () => {
    const client = await registerForApi({ require_consent: true, authorized_grant_types: ['authorization_code'] });
    const [read = '', write = ''] = scopesOfApi();
    const person = await accounts.signIn();
    const consentOf = async (request: object) =>
      (await previews.preview(client, named({ username: person.user.username, ...request }))).consent;
    const request = { scope: `openid ${read}`, resource: api.resource };
    expect(await consentOf(request)).toEqual({ asked: ['openid', api.resource, read], given: [] });
    await signIn(client, request, person);
    const given = ['openid', api.resource, read];
    expect(await consentOf(request)).toEqual({ asked: [], given });
    const more = { scope: `openid ${read} ${write}`, resource: api.resource };
    expect(await consentOf(more)).toEqual({ asked: ['openid', api.resource, read, write], given });
    expect(await consentOf({ scope: 'email' })).toEqual({ asked: ['email'], given });
    const own = await register();
    expect((await previews.preview(own, named())).consent).toEqual({ asked: [], given: [] });
    const device = { grant_type: deviceGrant, username, scope: 'openid' };
    expect((await previews.preview(own, device)).consent).toEqual({ asked: ['openid'], given: [] });
  });

  it('is bound to a key where the tokens of the client are', async () => {
    const client = await register({ dpop_bound_access_tokens: true });
    const { access_token } = await previews.preview(client, { grant_type: 'client_credentials' });
    expect(access_token?.claims.cnf).toEqual({ jkt: expect.any(String) });
    expect((await previews.preview(await register(), named())).access_token?.claims).not.toHaveProperty('cnf');
  });

  it('is of the console too', async () => {
    const preview = await previews.preview({ client_id: 'gatehouse-console' }, named());
    expect(preview.access_token?.claims).toMatchObject({ client_id: 'gatehouse-console', administration_max_age: 900 });
  });

  it('says nothing of one issue, grant or session', async () => {
    const client = await register();
    const { access_token, id_token } = await previews.preview(client, named({ scope: 'openid' }));
    const absent = ['jti', 'status', 'grant_id', 'sid', 'iat', 'exp', 'nbf', 'auth_time', 'at_hash', 'nonce'];
    for (const name of absent) {
      expect(access_token?.claims).not.toHaveProperty(name);
      expect(id_token?.claims).not.toHaveProperty(name);
    }
  });

  it('leaves no row, no event, no count and no time of use', async () => {
    const client = await registerForApi();
    const asking = await register({ require_consent: true, authorized_grant_types: ['authorization_code'] });
    const person = await accounts.createPerson();
    // It writes what it has counted before it ends.
    const replica = await startReplica(realm, {});
    const tables = ['authorization_codes', 'device_codes', 'refresh_tokens', 'consents', 'browser_sessions'];
    const more = ['session_participants', 'status_blocks', 'grant_statuses', 'clients'];
    const count = async (of: string, values: string[] = []) =>
      (await realm.deps.database.query<{ n: unknown }>(`SELECT COUNT(*) AS n FROM ${of}`, values)).map(({ n }) =>
        Number(n),
      );
    const countRows = () => Promise.all([...tables, ...more].map((table) => count(table)));
    const readCounters = async () =>
      (await replica.send('/metrics')).text
        .split('\n')
        .filter((line) => /^gatehouse_(?!signing_key)\w+_total/.test(line));
    const before = [await countRows(), await readCounters()];
    const address = '203.0.113.77';
    const preview = async ({ client_id }: Credentials, json: object) => {
      const caller = { basic: administrator, headers: { 'x-forwarded-for': address } };
      const answer = await replica.send(`/clients/${client_id}/preview`, { method: 'POST', json, ...caller });
      return answer.json<PreviewAnswer>().issued;
    };
    for (const grant_type of everyGrantType) {
      const isForItself = grant_type === 'client_credentials';
      const request = { grant_type, ...(isForItself ? {} : { username: person.username }) };
      expect(await preview(client, request)).toBe(true);
      expect(await preview(client, { ...request, scope: 'unknown' })).toBe(false);
    }
    expect(await preview(asking, named({ username: person.username }))).toBe(true);
    const after = [await countRows(), await readCounters()];
    await replica.close();
    expect(after).toEqual(before);
    const used = 'client_uses WHERE registration IN (SELECT registration_id FROM clients WHERE client_id IN (?, ?))';
    expect(await count(used, [client.client_id, asking.client_id])).toEqual([0]);
    const events = await realm.send(`/audit-events?address=${address}`, { basic: administrator });
    expect(events.json()).toEqual({ events: [] });
  });
});
