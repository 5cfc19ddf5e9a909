import { randomBytes } from 'node:crypto';
import { createTestBrowser, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, createPkce, readRedirect, signIn } from '../support/browser.ts';
import {
  administrator,
  callback,
  passwordOf,
  type Realm,
  type Registration,
  readClaims,
  type TokenAnswer,
} from '../support/realm.ts';
import { administerResources, type RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

type Claims = { aud: string; scope: string; exp: number; iat: number; sub: string } & Record<string, unknown>;
type Form = Record<string, string> | [string, string][];

describe.each(testDialects)('tokens for resources, on %s', (dialect) => {
  let realm: Realm;
  let resources: ReturnType<typeof administerResources>;
  let orders: RegisteredResource;
  let bills: RegisteredResource;
  let read: string;
  let write: string;
  let pay: string;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, { EXTRA_SCOPES: 'reports:read' });
    resources = administerResources(realm);
  });
  afterAll(() => realm.close());
  beforeEach(async () => {
    [orders, bills] = [await resources.create(), await resources.create()];
    [read = '', write = ''] = orders.scopes.map(({ name }) => name);
    [pay = ''] = bills.scopes.map(({ name }) => name);
  });

  const register = (changes: object = {}) =>
    realm.register({
      client_id: `client-${randomBytes(6).toString('hex')}`,
      client_secret: 'a secret of the client',
      scope: ['openid', 'profile', 'email', 'offline_access', 'roles', 'reports:read', read, write, pay],
      authorized_grant_types: ['authorization_code', 'password', 'refresh_token', 'client_credentials', 'implicit'],
      redirect_uri: callback,
      access_token_validity: 900,
      resources: [realm.orgUrl, orders.resource, bills.resource],
      ...changes,
    } as Registration & { client_secret: string });
  const machine = { grant_type: 'client_credentials' };
  const tokensOf = (client: Registration, form: Record<string, string>) => realm.tokens(client, form);
  const claimsOf = ({ access_token }: TokenAnswer) => readClaims<Claims>(access_token);
  const errorOf = async (client: { client_id: string; client_secret?: string | undefined }, form: Form) => {
    const answer = await realm.send('/oauth/token', { basic: [client.client_id, client.client_secret ?? ''], form });
    return [answer.status, answer.json<{ error: string }>().error];
  };
  const invalidTarget = [400, 'invalid_target'];
  const invalidScope = [400, 'invalid_scope'];
  const change = async (client: Registration, json: object) => {
    const answer = await realm.send(`/clients/${client.client_id}`, { method: 'PATCH', basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  };
  /** Signs the user in and gives the tokens of the code. */
  const tokensByCode = async (client: Registration, parameters: Form = {}, form: Record<string, string> = {}) => {
    const { verifier, parameters: pkce } = createPkce();
    const request = { ...codeRequest, scope: 'openid', client_id: client.client_id, ...pkce };
    const asked = [...Object.entries(request).filter(([name]) => !hasName(parameters, name)), ...entriesOf(parameters)];
    const { code } = readRedirect(await signIn(realm, asked)).parameters;
    return tokensOf(client, codeForm(code, verifier, form));
  };
  const codeForm = (code: string | undefined, verifier: string, form: Record<string, string> = {}) => ({
    grant_type: 'authorization_code',
    code: code ?? '',
    redirect_uri: callback,
    code_verifier: verifier,
    ...form,
  });
  const entriesOf = (form: Form): [string, string][] => (Array.isArray(form) ? form : Object.entries(form));
  const hasName = (form: Form, name: string) => entriesOf(form).some(([one]) => one === name);
  const refresh = (token: TokenAnswer, form: Record<string, string> = {}) => ({
    grant_type: 'refresh_token',
    refresh_token: token.refresh_token ?? '',
    ...form,
  });

  describe('of a client for itself', () => {
    it('are for org-api where the client names none', async () => {
      const claims = claimsOf(await tokensOf(await register(), machine));
      expect(claims).toMatchObject({ aud: realm.orgUrl });
      expect(claims.scope.split(' ')).toEqual(
        expect.arrayContaining(['openid', 'profile', 'email', 'offline_access', 'roles', 'reports:read']),
      );
      expect(claims.scope).not.toContain(read);
    });

    it('are for the one that it names, with the scopes of that one alone', async () => {
      const tokens = await tokensOf(await register(), { ...machine, resource: orders.resource });
      expect(claimsOf(tokens)).toMatchObject({ aud: orders.resource, scope: `${read} ${write}` });
      expect(tokens.scope).toBe(`${read} ${write}`);
    });

    it('have the part of the scope that is asked for', async () => {
      const tokens = await tokensOf(await register(), { ...machine, resource: orders.resource, scope: write });
      expect(claimsOf(tokens).scope).toBe(write);
    });

    it.each(['openid', 'roles', 'reports:read', 'nothing'])(
      'have no scope %s of org-api or of nobody',
      async (scope) => {
        expect(await errorOf(await register(), { ...machine, resource: orders.resource, scope })).toEqual(invalidScope);
      },
    );

    it('have no scope of another resource', async () => {
      const client = await register();
      expect(await errorOf(client, { ...machine, resource: orders.resource, scope: pay })).toEqual(invalidScope);
      expect(await errorOf(client, { ...machine, scope: read })).toEqual(invalidScope);
    });

    it('are for default_resource where it has one', async () => {
      const client = await register({ default_resource: orders.resource });
      expect(claimsOf(await tokensOf(client, machine)).aud).toBe(orders.resource);
      expect(claimsOf(await tokensOf(client, { ...machine, resource: realm.orgUrl })).aud).toBe(realm.orgUrl);
    });

    it('spell the resource as it was registered', async () => {
      const { resource } = await resources.create({
        resource: `https://${randomBytes(6).toString('hex')}.example.com`,
      });
      const client = await register({
        resources: [`${resource}/`],
        default_resource: `${resource}/`,
        scope: ['openid'],
      });
      expect(claimsOf(await tokensOf(client, { ...machine, resource: `${resource}/` })).aud).toBe(resource);
      const orgApi = await register({ resources: undefined, scope: ['openid'] });
      expect(claimsOf(await tokensOf(orgApi, { ...machine, resource: `${realm.orgUrl}/` })).aud).toBe(realm.orgUrl);
    });

    it('may be without a scope', async () => {
      const { resource } = await resources.create({ scopes: [] });
      const client = await register({ resources: [resource], default_resource: resource, scope: ['openid'] });
      const tokens = await tokensOf(client, machine);
      expect(claimsOf(tokens)).toMatchObject({ aud: resource, scope: '' });
      expect(tokens).not.toHaveProperty('scope');
    });

    it('carry no ceiling, and live for the smaller of both settings', async () => {
      const short = await resources.create({ access_token_validity: 60 });
      const client = await register({
        resources: [realm.orgUrl, orders.resource, short.resource],
        scope: ['openid', read],
      });
      const lifetimes = async (resource: string) => {
        const tokens = await tokensOf(client, { ...machine, resource });
        const { exp, iat } = claimsOf(tokens);
        return [tokens.expires_in, exp - iat];
      };
      expect(await lifetimes(short.resource)).toEqual([60, 60]);
      expect(await lifetimes(orders.resource)).toEqual([900, 900]);
      await resources.change(orders.id, { access_token_validity: 86_400 });
      expect(await lifetimes(orders.resource)).toEqual([900, 900]);
      const orgApi = await resources.findOrgApi();
      await resources.change(orgApi.id, { access_token_validity: 120 });
      expect(await lifetimes(realm.orgUrl)).toEqual([120, 120]);
      await resources.change(orgApi.id, { access_token_validity: null });
      expect(await lifetimes(realm.orgUrl)).toEqual([900, 900]);
    });
  });

  describe('RFC 8707 2: a resource is refused', () => {
    const asks: [string, () => Form][] = [
      ['that nobody registered', () => ({ resource: 'https://unknown.example.com/' })],
      ['with a fragment', () => ({ resource: `${orders.resource}#x` })],
      ['that is no URI', () => ({ resource: 'orders' })],
      ['in another case', () => ({ resource: orders.resource.replace('https', 'HTTPS') })],
      ['with a longer path', () => ({ resource: `${orders.resource}x` })],
      [
        'of several',
        () => [
          ['resource', orders.resource],
          ['resource', bills.resource],
        ],
      ],
      ['of several in one parameter', () => ({ resource: `${orders.resource} ${bills.resource}` })],
      ['that is hostile', () => ({ resource: `${'x'.repeat(60_000)}` })],
      ['of 500', () => Array.from({ length: 500 }, (_, index) => ['resource', `https://a${index}.example/`])],
    ];
    it.each(asks)('%s', async (_what, ask) => {
      const form: Form = [...Object.entries(machine), ...entriesOf(ask())];
      expect(await errorOf(await register(), form)).toEqual(invalidTarget);
    });

    it('that is not one of the client', async () => {
      const client = await register({ resources: [realm.orgUrl, bills.resource], scope: ['openid', pay] });
      for (const form of [machine, passwordOf('user')]) {
        expect(await errorOf(client, { ...form, resource: orders.resource })).toEqual(invalidTarget);
      }
      const other = await register({ resources: [bills.resource], default_resource: bills.resource, scope: [pay] });
      expect(await errorOf(other, { ...machine, resource: realm.orgUrl })).toEqual(invalidTarget);
      const plain = await register({ resources: undefined, scope: ['openid'] });
      expect(await errorOf(plain, { ...machine, resource: orders.resource })).toEqual(invalidTarget);
    });

    it('that is gone, from the next token on; a default that is gone means the next', async () => {
      const client = await register({
        resources: [bills.resource, orders.resource, realm.orgUrl],
        default_resource: bills.resource,
      });
      const form = { ...machine, resource: orders.resource };
      await tokensOf(client, form);
      await resources.delete(orders.id);
      expect(await errorOf(client, form)).toEqual(invalidTarget);
      // As a deletion at another primary of a cluster might leave it.
      await realm.deps.database.execute('DELETE FROM resources WHERE resource = ?', [bills.resource]);
      expect(claimsOf(await tokensOf(client, machine)).aud).toBe(realm.orgUrl);
      const lost = await register({
        resources: [orders.resource],
        default_resource: orders.resource,
        scope: ['openid'],
      }).catch((error: Error) => error.message);
      expect(lost).toMatch(/resources entry 1 must be the URI of a registered resource/);
    });

    it('that is gone is taken by no other resource of the same URI with other scopes', async () => {
      const client = await register();
      await resources.delete(orders.id);
      const again = await resources.create({ resource: orders.resource, scopes: [{ name: write }] });
      const tokens = await tokensOf(client, { ...machine, resource: again.resource });
      expect(claimsOf(tokens).scope).toBe(write);
    });

    it('with a scope that was taken away, from the next token on', async () => {
      const client = await register();
      const form = { ...machine, resource: orders.resource };
      await resources.change(orders.id, { scopes: [{ name: read }] });
      expect(claimsOf(await tokensOf(client, form)).scope).toBe(read);
      expect(await errorOf(client, { ...form, scope: write })).toEqual(invalidScope);
    });
  });

  describe('of a user by the password grant', () => {
    it('are for one resource; the ID token and the refresh token are not affected', async () => {
      const client = await register();
      const tokens = await tokensOf(client, { ...passwordOf('admin'), resource: orders.resource });
      const claims = claimsOf(tokens);
      expect(claims).toMatchObject({ aud: orders.resource, scope: `${read} ${write}`, sub_type: 'user' });
      for (const name of ['roles', 'ceiling', 'userinfo_claims']) expect(claims).not.toHaveProperty(name);
      expect(readClaims(tokens.id_token ?? '')).toMatchObject({ aud: client.client_id, sub: claims.sub });
      const next = await tokensOf(client, refresh(tokens));
      expect(claimsOf(next)).toMatchObject({ aud: orders.resource, scope: `${read} ${write}` });
      expect(await errorOf(client, refresh(next, { resource: realm.orgUrl }))).toEqual(invalidTarget);
    });
  });

  describe('of a user who signed in', () => {
    it('are for the resource of the request', async () => {
      const client = await register();
      const tokens = await tokensByCode(client, { resource: orders.resource, scope: `openid roles ${read}` });
      expect(claimsOf(tokens)).toMatchObject({ aud: orders.resource, scope: read });
      expect(claimsOf(tokens)).not.toHaveProperty('roles');
      expect(tokens.scope).toBe(read);
      expect(tokens.id_token).toBeDefined();
    });

    it('of a request without scope have all of the resource, beside the scopes about the person', async () => {
      const client = await register();
      const { verifier, parameters } = createPkce();
      const { scope: _scope, ...request } = { ...codeRequest, ...parameters };
      const asked = { ...request, client_id: client.client_id, resource: orders.resource };
      const { code } = readRedirect(await signIn(realm, asked)).parameters;
      const tokens = await tokensOf(client, codeForm(code, verifier));
      expect(tokens.scope).toBe(`${read} ${write}`);
      expect(tokens.id_token).toBeDefined();
    });

    it('may be for several, one at a time: the default, the one that is named, another at the refresh', async () => {
      const client = await register();
      const both: [string, string][] = [
        ['resource', orders.resource],
        ['resource', bills.resource],
        ['resource', realm.orgUrl],
        ['scope', `openid offline_access roles ${read} ${pay}`],
      ];
      const first = await tokensByCode(client, both);
      expect(claimsOf(first)).toMatchObject({ aud: realm.orgUrl, scope: 'openid offline_access roles', roles: [] });
      const second = await tokensOf(client, refresh(first, { resource: bills.resource }));
      expect(claimsOf(second)).toMatchObject({ aud: bills.resource, scope: pay });
      const third = await tokensOf(client, refresh(second, { resource: orders.resource, scope: read }));
      expect(claimsOf(third)).toMatchObject({ aud: orders.resource, scope: read });
      const fourth = await tokensOf(client, refresh(third));
      expect(claimsOf(fourth)).toMatchObject({ aud: realm.orgUrl, scope: 'openid offline_access roles' });
      expect(claimsOf(await tokensByCode(client, both, { resource: orders.resource })).aud).toBe(orders.resource);
    });

    it('are for the first where the default is not among several', async () => {
      const client = await register();
      const both: [string, string][] = [
        ['resource', bills.resource],
        ['resource', orders.resource],
        ['scope', `openid ${read} ${pay}`],
      ];
      const tokens = await tokensByCode(client, both);
      expect(claimsOf(tokens).aud).toBe(bills.resource);
      // The first is gone: the next that exists.
      await resources.delete(bills.id);
      const next = await tokensOf(client, refresh(tokens));
      expect(claimsOf(next).aud).toBe(orders.resource);
      expect(await errorOf(client, refresh(next, { resource: bills.resource }))).toEqual(invalidTarget);
      const foreign = await realm.tokenRequest(client, refresh(next, { resource: 'https://other.example.com' }));
      expect(foreign.json().error_description).toBe(
        `send one of the resources ${bills.resource}, ${orders.resource}, or none`,
      );
      await resources.delete(orders.id);
      expect(await errorOf(client, refresh(next))).toEqual(invalidTarget);
    });

    it('are refused for a resource that was not granted, and the code still works', async () => {
      const client = await register();
      const { verifier, parameters } = createPkce();
      const asked = {
        ...codeRequest,
        ...parameters,
        client_id: client.client_id,
        resource: orders.resource,
        scope: read,
      };
      const { code } = readRedirect(await signIn(realm, asked)).parameters;
      expect(await errorOf(client, codeForm(code, verifier, { resource: bills.resource }))).toEqual(invalidTarget);
      expect(claimsOf(await tokensOf(client, codeForm(code, verifier))).aud).toBe(orders.resource);
    });

    it('give nothing of a resource made again, nor of a scope taken away and added again', async () => {
      const client = await register();
      const tokens = await tokensByCode(client, { resource: orders.resource, scope: `${read} ${write}` });
      await resources.change(orders.id, { scopes: [{ name: read }] });
      await resources.change(orders.id, { scopes: [{ name: read }, { name: write }] });
      const next = await tokensOf(client, refresh(tokens));
      expect(claimsOf(next).scope).toBe(read);
      expect(await errorOf(client, refresh(next, { scope: write }))).toEqual(invalidScope);
      await resources.delete(orders.id);
      await resources.create({ resource: orders.resource, scopes: [{ name: read }] });
      expect(await errorOf(client, refresh(next))).toEqual(invalidTarget);
    });

    it('give nothing of a resource that the client lost', async () => {
      const client = await register();
      const tokens = await tokensByCode(client, { resource: orders.resource, scope: read });
      await change(client, { resources: [realm.orgUrl, bills.resource] });
      expect(await errorOf(client, refresh(tokens))).toEqual(invalidTarget);
      await change(client, { resources: [realm.orgUrl, orders.resource], scope: ['openid', write] });
      const next = await tokensOf(client, refresh(tokens));
      expect(claimsOf(next)).toMatchObject({ aud: orders.resource, scope: '' });
    });

    it('give nothing of org-api to a client that lost it', async () => {
      const client = await register();
      const tokens = await tokensByCode(client, { scope: 'openid' });
      await change(client, { resources: [orders.resource], default_resource: orders.resource });
      expect(await errorOf(client, refresh(tokens))).toEqual(invalidTarget);
      expect(await errorOf(client, refresh(tokens, { resource: realm.orgUrl }))).toEqual(invalidTarget);
    });

    it('of the implicit flow are for the resource of the request', async () => {
      const client = await register();
      const asked = {
        ...codeRequest,
        client_id: client.client_id,
        response_type: 'id_token token',
        nonce: 'n',
        resource: orders.resource,
        scope: `openid ${read}`,
      };
      const { parameters } = readRedirect(await signIn(realm, asked));
      expect(parameters).toMatchObject({ scope: read, expires_in: '900', id_token: expect.any(String) });
      expect(readClaims(parameters.access_token ?? '')).toMatchObject({ aud: orders.resource, scope: read });
    });

    it('of the implicit flow name no scope where the resource has none', async () => {
      const { resource } = await resources.create({ scopes: [] });
      const { client_id } = await register({
        ...{ scope: [read], resources: [orders.resource, resource], default_resource: resource },
      });
      const asked = { ...codeRequest, client_id, response_type: 'token', scope: '' };
      const { parameters } = readRedirect(await signIn(realm, asked));
      expect(readClaims(parameters.access_token ?? '')).toMatchObject({ aud: resource, scope: '' });
      expect(parameters).not.toHaveProperty('scope');
    });
  });

  describe('at the authorization endpoint and for pushed requests', () => {
    const asks: [string, () => Form, string][] = [
      ['unknown', () => ({ resource: 'https://unknown.example.com/' }), 'invalid_target'],
      [
        'one known, one unknown',
        () => [
          ['resource', orders.resource],
          ['resource', 'x:y'],
        ],
        'invalid_target',
      ],
      ['of a fragment', () => ({ resource: `${orders.resource}#x` }), 'invalid_target'],
      [
        '101',
        () => Array.from({ length: 101 }, (_, index) => ['resource', `https://a${index}.example/`]),
        'invalid_target',
      ],
      ['with a scope of another', () => ({ resource: orders.resource, scope: `openid ${pay}` }), 'invalid_scope'],
      ['with a scope of org-api', () => ({ resource: orders.resource, scope: 'reports:read' }), 'invalid_scope'],
      ['none, with a scope of another', () => ({ scope: `openid ${read}` }), 'invalid_scope'],
    ];
    it.each(asks)('a resource is refused that is %s', async (_what, ask, error) => {
      const client = await register();
      const request = { ...codeRequest, client_id: client.client_id, state: 's' };
      const own = entriesOf(ask());
      const asked = [...Object.entries(request).filter(([name]) => !hasName(own, name)), ...own];
      const answer = await realm.send(authorizePath(asked));
      expect(readRedirect(answer).parameters).toMatchObject({ error, state: 's' });
      const basic: [string, string] = [client.client_id, client.client_secret];
      const pushed = await realm.send('/oauth/par', { basic, form: asked.filter(([name]) => name !== 'client_id') });
      expect([pushed.status, pushed.json<{ error: string }>().error]).toEqual([400, error]);
    });

    it('a pushed request brings its resources', async () => {
      const client = await register();
      const { verifier, parameters } = createPkce();
      const { client_id: _id, ...request } = { ...codeRequest, ...parameters, scope: `openid ${read} ${pay}` };
      const form: [string, string][] = [
        ...Object.entries(request),
        ['resource', orders.resource],
        ['resource', bills.resource],
      ];
      const pushed = await realm.send('/oauth/par', { basic: [client.client_id, client.client_secret], form });
      const { request_uri = '' } = pushed.json<{ request_uri: string }>();
      const { code } = readRedirect(await signIn(realm, { client_id: client.client_id, request_uri })).parameters;
      const tokens = await tokensOf(client, codeForm(code, verifier, { resource: bills.resource }));
      expect(claimsOf(tokens)).toMatchObject({ aud: bills.resource, scope: pay });
    });
  });

  describe('are meant for nobody else', () => {
    it('userinfo, client administration and org-api refuse them', async () => {
      const client = await register();
      const tokens = await tokensOf(client, { ...passwordOf('admin'), resource: orders.resource });
      const bearer = tokens.access_token;
      const userinfo = await realm.send('/oauth/userinfo', { bearer });
      expect([userinfo.status, userinfo.json<{ error: string }>().error]).toEqual([401, 'invalid_token']);
      const clients = await realm.send('/clients', { bearer });
      expect([clients.status, clients.headers['www-authenticate']]).toEqual([
        401,
        expect.stringMatching(/invalid_token/),
      ]);
      const details = await fetch(`${realm.orgUrl}/organization/api/organization/user`, {
        headers: { authorization: `Bearer ${bearer}` },
      });
      expect(details.status).toBe(401);
    });

    it('introspection shows their audience, and revocation ends them', async () => {
      const client = await register();
      const tokens = await tokensOf(client, { ...machine, resource: orders.resource });
      const ask = (path: string) =>
        realm.send(path, { basic: [client.client_id, client.client_secret], form: { token: tokens.access_token } });
      expect((await ask('/oauth/introspect')).json()).toMatchObject({ active: true, aud: orders.resource });
      expect((await ask('/oauth/revoke')).status).toBe(200);
      expect((await ask('/oauth/introspect')).json()).toEqual({ active: false });
    });
  });

  describe('of a third-party client', () => {
    const thirdParty = () =>
      register({ require_consent: true, authorized_grant_types: ['authorization_code', 'refresh_token'] });
    const consentUrl = () => `${realm.url}/oauth/consent`;

    it('are issued after a page that names the resource and describes its scopes', async () => {
      const client = await thirdParty();
      await resources.change(orders.id, {
        name: 'Orders & <b>',
        scopes: [{ name: read, description: 'see "your" orders' }, { name: write }],
      });
      const browser = createTestBrowser();
      const { verifier, parameters } = createPkce();
      const asked = {
        ...codeRequest,
        ...parameters,
        client_id: client.client_id,
        scope: `openid ${read} ${write}`,
        resource: orders.resource,
      };
      const page = await signIn(realm, asked, { browser });
      expect(page.text).toContain('Orders &amp; &lt;b&gt;');
      expect(page.text).toContain(orders.resource);
      expect(page.text).toContain('see &quot;your&quot; orders');
      expect(page.text).toContain(`<li>${write}</li>`);
      const { code } = readRedirect(await browser.submit(page, consentUrl(), { decision: 'allow' })).parameters;
      const tokens = await tokensOf(client, codeForm(code, verifier));
      expect(claimsOf(tokens)).toMatchObject({ aud: orders.resource, scope: `${read} ${write}`, third_party: true });
      expect(claimsOf(tokens)).not.toHaveProperty('username');
      const list = await browser.get(`${realm.url}/oauth/consents`);
      expect(list.text).toContain('use Orders &amp; &lt;b&gt;: see &quot;your&quot; orders');

      // The consent stays, and a scope that was taken away and added again is asked for again.
      const isAsked = async () => (await browser.get(realm.url + authorizePath(asked))).text.includes('Allow access?');
      expect(await isAsked()).toBe(false);
      await resources.change(orders.id, { scopes: [{ name: read }] });
      await resources.change(orders.id, { scopes: [{ name: read }, { name: write }] });
      expect(await isAsked()).toBe(true);
      expect(claimsOf(await tokensOf(client, refresh(tokens))).scope).toBe(read);
    });

    it('are asked for without an empty list where nothing but the resource is asked for', async () => {
      const { client_id } = await thirdParty();
      const asked = { ...codeRequest, client_id, scope: read, resource: orders.resource };
      const { text } = await signIn(realm, asked);
      expect(text).toContain(orders.resource);
      expect(text).not.toMatch(/<ul>\s*<\/ul>/);
    });

    it('are asked for again for a resource that was made again, also while the page is open', async () => {
      const client = await thirdParty();
      const browser = createTestBrowser();
      const asked = { ...codeRequest, client_id: client.client_id, scope: `openid ${read}`, resource: orders.resource };
      const page = await signIn(realm, asked, { browser });
      await resources.delete(orders.id);
      await resources.create({ resource: orders.resource, name: 'Another', scopes: [{ name: read }] });
      const again = await browser.submit(page, consentUrl(), { decision: 'allow' });
      expect([again.status, again.text]).toEqual([200, expect.stringContaining('Another')]);
      expect(readRedirect(await browser.submit(again, consentUrl(), { decision: 'allow' })).parameters).toHaveProperty(
        'code',
      );
    });

    it('take no form that says another thing was shown', async () => {
      const client = await thirdParty();
      const browser = createTestBrowser();
      const asked = { ...codeRequest, client_id: client.client_id, scope: `openid ${read}`, resource: orders.resource };
      const fields = readHiddenFields((await signIn(realm, asked, { browser })).text);
      const forged = await browser.post(consentUrl(), { ...fields, shown: 'x', decision: 'allow' });
      expect([forged.status, forged.headers.location]).toEqual([403, undefined]);
    });

    it('are refused for a resource that the user did not allow, though its scope is that of another', async () => {
      const client = await thirdParty();
      const browser = createTestBrowser();
      const ask = (resource: string, scope: string) =>
        signIn(realm, { ...codeRequest, client_id: client.client_id, scope, resource, prompt: 'login' }, { browser });
      await browser.submit(await ask(orders.resource, `openid ${read}`), consentUrl(), { decision: 'allow' });
      const page = await ask(bills.resource, 'openid');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(bills.name)]);
      expect(page.text).toContain('use it for you');
    });

    it('write the resource of a consent into the audit trail', async () => {
      const client = await thirdParty();
      const browser = createTestBrowser();
      const asked = { ...codeRequest, client_id: client.client_id, scope: `openid ${read}`, resource: orders.resource };
      await browser.submit(await signIn(realm, asked, { browser }), consentUrl(), { decision: 'deny' });
      const path = `/audit-events?type=consent.denied&subject=${client.client_id}`;
      const { events } = (await realm.send(path, { basic: administrator })).json<{ events: { details: object }[] }>();
      expect(events[0]?.details).toEqual({ scope: ['openid', read], resources: [orders.resource] });
    });
  });
});
