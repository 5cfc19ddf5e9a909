import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { buildAuthorizeUrl } from '../support/authorization.ts';
import type { Credentials } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
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

  it('RFC 8707 2.2: a refresh may name the resource, and no other than was granted', async () => {
    const { refresh_token = '' } = await obtainTokens(gatehouse, app, { resource: gatehouse.baseUrl });
    const form = { grant_type: 'refresh_token', refresh_token };
    const refused = await postToken(gatehouse, { basic: app, form: { ...form, resource: 'https://another.example' } });
    expect({ status: refused.status, error: refused.json().error }).toEqual(invalidTarget);
    const tokens = await getTokens(gatehouse, app, { ...form, resource: gatehouse.baseUrl });
    expect(readClaims(tokens.access_token).aud).toBe(gatehouse.baseUrl);
  });
});
