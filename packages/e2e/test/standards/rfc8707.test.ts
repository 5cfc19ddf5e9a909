import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildAuthorizeUrl } from '../support/authorization.ts';
import type { Credentials } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { type ResourceView, registerResource } from '../support/resources.ts';
import { getTokens, postToken, readClaims } from '../support/tokens.ts';
import { codeRequest, isSignInPage, obtainTokens, open, readRedirect } from './authorization-request.ts';
import { describeStandard, register } from './realm.ts';

describeStandard('RFC 8707, resource indicators', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  const [username, password] = plainUser;
  const login = { grant_type: 'password', username, password };

  beforeAll(async () => {
    gatehouse = getGatehouse();
    app = await register(gatehouse);
  });
  const tokenErrorOf = async (resource: string) => {
    const { status, json } = await postToken(gatehouse, { basic: app, form: { ...login, resource } });
    return { status, error: json().error };
  };
  const authorizationErrorOf = async (resource: string) =>
    readRedirect(await open(gatehouse, codeRequest(app[0], { resource }).parameters)).query;
  const invalidTarget = { status: 400, error: 'invalid_target' };

  it('RFC 8707 2: a resource that is not an absolute URI is invalid_target', async () => {
    for (const resource of ['org-api', '/organization', '//localhost']) {
      expect(await tokenErrorOf(resource)).toEqual(invalidTarget);
    }
  });

  it('RFC 8707 2: a resource with a fragment is invalid_target', async () => {
    expect(await tokenErrorOf(`${gatehouse.baseUrl}#part`)).toEqual(invalidTarget);
  });

  it('RFC 8707 2: an unknown resource is invalid_target', async () => {
    expect(await tokenErrorOf('https://another.example')).toEqual(invalidTarget);
  });

  it('RFC 8707 2.1: the authorization endpoint takes a known resource', async () => {
    const { parameters } = codeRequest(app[0], { resource: gatehouse.baseUrl });
    expect(isSignInPage(await open(gatehouse, parameters))).toBe(true);
  });

  it('RFC 8707 2.1: the authorization endpoint answers invalid_target with the state', async () => {
    const { error, state } = await authorizationErrorOf('https://another.example');
    expect({ error, state }).toEqual({ error: 'invalid_target', state: 'the-state' });
  });

  it('RFC 8707 2: resource may be sent several times, unlike every other parameter', async () => {
    const { baseUrl } = gatehouse;
    const form: [string, string][] = [...Object.entries(login), ['resource', baseUrl], ['resource', baseUrl]];
    expect((await postToken(gatehouse, { basic: app, form })).status).toBe(200);
    const url = `${buildAuthorizeUrl(gatehouse, codeRequest(app[0]).parameters)}&resource=${baseUrl}&resource=${baseUrl}`;
    expect(isSignInPage(await call(url))).toBe(true);
  });

  it('RFC 8707 2: of several resources each must be known', async () => {
    const resources: [string, string][] = [
      ['resource', gatehouse.baseUrl],
      ['resource', 'https://another.example'],
    ];
    const { status, json } = await postToken(gatehouse, { basic: app, form: [...Object.entries(login), ...resources] });
    expect({ status, error: json().error }).toEqual(invalidTarget);
  });

  it('RFC 8707 2.2: the token is for the resource that was asked for', async () => {
    const tokens = await getTokens(gatehouse, app, { ...login, resource: gatehouse.baseUrl });
    expect(readClaims(tokens.access_token).aud).toBe(gatehouse.baseUrl);
  });

  describe('with APIs of the organization', () => {
    let client: Credentials;
    let orders: ResourceView;
    let bills: ResourceView;
    beforeAll(async () => {
      [orders, bills] = [await registerResource(gatehouse), await registerResource(gatehouse)];
      const scope = [
        'openid',
        'offline_access',
        ...[orders, bills].flatMap(({ scopes }) => scopes.map(({ name }) => name)),
      ];
      const resources = [gatehouse.baseUrl, orders.resource, bills.resource];
      client = await register(gatehouse, { scope, ...{ resources } });
    });
    const scopeOf = ({ scopes }: ResourceView) => scopes.map(({ name }) => name).join(' ');

    it('RFC 8707 2.2: the audience of a token is the one resource that was asked for, with its scope alone', async () => {
      for (const api of [orders, bills]) {
        const tokens = await getTokens(gatehouse, client, { ...login, resource: api.resource });
        expect(readClaims(tokens.access_token)).toMatchObject({ aud: api.resource, scope: scopeOf(api) });
      }
    });

    it('RFC 8707 2.2: one token request names at most one resource', async () => {
      const form: [string, string][] = [
        ...Object.entries(login),
        ['resource', orders.resource],
        ['resource', bills.resource],
      ];
      const { status, json } = await postToken(gatehouse, { basic: client, form });
      expect({ status, error: json().error }).toEqual(invalidTarget);
    });

    it('RFC 8707 2.1: a scope of a resource that is not asked for is invalid_scope', async () => {
      const { parameters } = codeRequest(client[0], { resource: orders.resource, scope: scopeOf(bills) });
      expect(readRedirect(await open(gatehouse, parameters)).query.error).toBe('invalid_scope');
    });

    it('RFC 8707 3: a token for one resource is refused by another, so that it cannot be passed on', async () => {
      const tokens = await getTokens(gatehouse, client, { ...login, resource: orders.resource });
      const answer = await call(
        `${gatehouse.baseUrl}/organization/api/organization/user/allDetails/userId/${username}`,
        {
          bearer: tokens.access_token,
        },
      );
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringContaining('invalid_token'),
      ]);
      const userinfo = await call(`${gatehouse.authUrl}/oauth/userinfo`, { bearer: tokens.access_token });
      expect([userinfo.status, userinfo.json().error]).toEqual([401, 'invalid_token']);
    });

    it('RFC 8707 3: a client learns nothing of resources that are not its own', async () => {
      const answers = await Promise.all(
        [orders.resource, 'https://nobody.example.com/'].map((resource) =>
          postToken(gatehouse, { basic: app, form: { ...login, resource } }),
        ),
      );
      expect(answers[0]?.text).toBe(answers[1]?.text);
    });
  });

  it('RFC 8707 2.2: a refresh may name the resource, and no other than was granted', async () => {
    const { refresh_token = '' } = await obtainTokens(gatehouse, app, { resource: gatehouse.baseUrl });
    const form = { grant_type: 'refresh_token', refresh_token };
    const refused = await postToken(gatehouse, { basic: app, form: { ...form, resource: 'https://another.example' } });
    expect({ status: refused.status, error: refused.json().error }).toEqual(invalidTarget);
    const tokens = await getTokens(gatehouse, app, { ...form, resource: gatehouse.baseUrl });
    expect(readClaims(tokens.access_token).aud).toBe(gatehouse.baseUrl);
  });
});
