import { callWithProof, createClientKey, createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeRequest, createPkce, readRedirect, signIn } from '../support/browser.ts';
import { administrator, callback, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';

const clientsUrl = '/clients';

describe('administration by a token', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  const tokenOf = async (client: typeof webClient, user: 'user' | 'admin' | 'idp.admin', form = {}) =>
    (await realm.tokens(client, { ...passwordOf(user), ...form })).access_token;
  const outcomeOf = async (bearer: string) => {
    const answer = await realm.send(clientsUrl, { bearer });
    return answer.status === 200 ? 200 : [answer.status, answer.json<{ detail: string }>().detail];
  };

  it('is for the roles of its user, and no more than the client may use of them', async () => {
    const narrow = { ...webClient, client_id: 'narrow' };
    const [username, password] = ['idp.admin@example.com', 'idp-password'];
    const answer = await realm.send('/clients', { basic: [username, password], json: narrow });
    expect(answer.status).toBe(200);
    expect(await outcomeOf(await tokenOf(webClient, 'admin'))).toBe(200);
    expect(await outcomeOf(await tokenOf(narrow, 'idp.admin'))).toBe(200);
    expect(await outcomeOf(await tokenOf(narrow, 'admin'))).toEqual([
      403,
      'the client may not use the role SystemAdministrator or IdpAdministrator of its user',
    ]);
    expect(await outcomeOf(await tokenOf(webClient, 'user'))).toEqual([
      403,
      'the role SystemAdministrator or IdpAdministrator is required in the organization',
    ]);
  });

  it('names the client of the token in the audit trail, whatever was done', async () => {
    const bearer = await tokenOf(webClient, 'admin');
    const send = async (method: string, path: string, json?: object) => {
      const answer = await realm.send(path, { method, bearer, ...(json && { json }) });
      expect(answer.status).toBeLessThan(300);
      return answer;
    };
    const since = new Date(realm.clock()).toISOString();
    await send('POST', '/clients', { ...webClient, client_id: 'by-token' });
    await send('PATCH', '/clients/by-token', { access_token_validity: 60 });
    await send('POST', '/clients/by-token/secret', {});
    await send('DELETE', '/clients/by-token');
    const resource = { resource: 'https://by-token.example.com/', name: 'By token', scopes: [] };
    const { id } = (await send('POST', '/resources', resource)).json<{ id: string }>();
    await send('PATCH', `/resources/${id}`, { name: 'Other' });
    await send('DELETE', `/resources/${id}`);
    const token = (await send('POST', '/registration-tokens', {})).json<{ id: string }>();
    await send('DELETE', `/registration-tokens/${token.id}`);
    await signIn(realm, codeRequest);
    await send('DELETE', '/sessions?user=user@example.com');
    const refused = await realm.send('/audit-events', { bearer: await tokenOf(webClient, 'user') });
    expect(refused.status).toBe(403);
    const answer = await send('GET', `/audit-events?client=web&from=${since}&limit=200`);
    const { events } = answer.json<{ events: { type: string; actor: { name: string } }[] }>();
    expect(events.map(({ type, actor }) => [type, actor.name]).reverse()).toEqual(
      expect.arrayContaining([
        ...['client.registered', 'client.changed', 'client.secret_replaced', 'client.deleted'].map((type) => [
          type,
          'admin@example.com',
        ]),
        ...['resource.created', 'resource.changed', 'resource.deleted'].map((type) => [type, 'admin@example.com']),
        ...['initial_token.created', 'initial_token.deleted', 'session.ended'].map((type) => [
          type,
          'admin@example.com',
        ]),
        ['administrator.refused', 'user@example.com'],
      ]),
    );
  });

  it('names it where the administrator lacks a role of the client, too', async () => {
    await realm.register({ ...webClient, client_id: 'powerful' });
    const bearer = await tokenOf(webClient, 'idp.admin');
    expect((await realm.send('/clients/powerful', { method: 'DELETE', bearer })).status).toBe(403);
    const answer = await realm.send('/audit-events?subject=powerful&type=administrator.refused', {
      basic: administrator,
    });
    expect(answer.json()).toMatchObject({ events: [{ client: 'web', actor: { name: 'idp.admin@example.com' } }] });
  });

  it('is of a user, for org-api, and in force', async () => {
    const machine = { ...webClient, client_id: 'machine', authorized_grant_types: ['client_credentials'] };
    await realm.register(machine);
    const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
    expect(await outcomeOf(access_token)).toEqual([403, 'the access token stands for no user']);

    const orders = await administerResources(realm).create();
    const scope = ['openid', ...orders.scopes.map(({ name }) => name)];
    const app = { ...webClient, client_id: 'of-orders', scope, resources: [realm.orgUrl, orders.resource] };
    await realm.register(app);
    const meant = await tokenOf(app, 'admin', { resource: orders.resource, scope: scope.slice(1).join(' ') });
    expect(await outcomeOf(meant)).toEqual([401, 'the access token is meant for another resource server']);
    expect(await outcomeOf('nonsense')).toEqual([401, 'the access token is malformed, expired or revoked']);
  });

  it('uses the roles of a user at a third party only where the user allowed that', async () => {
    const authorized_grant_types = ['authorization_code'];
    const thirdParty = { ...webClient, client_id: 'third-party', authorized_grant_types, require_consent: true };
    await realm.register(thirdParty);
    const tokenFor = async (scope: string) => {
      const { verifier, parameters } = createPkce();
      const [username, password] = administrator;
      const browser = createTestBrowser();
      const request = { response_type: 'code', client_id: 'third-party', redirect_uri: callback, scope, ...parameters };
      const page = await signIn(realm, request, { browser, user: { username, password } });
      const answer = await browser.submit(page, `${realm.url}/oauth/consent`, { decision: 'allow' });
      const { code = '' } = readRedirect(answer).parameters;
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
      return (await realm.tokens(thirdParty, form)).access_token;
    };
    expect(await outcomeOf(await tokenFor('openid roles'))).toBe(200);
    expect(await outcomeOf(await tokenFor('openid profile'))).toEqual([
      403,
      expect.stringMatching(/^the user has not allowed this application the scope roles/),
    ]);
  });

  it('is shown with a proof where it is bound to a key (RFC 9449 7.1), and a challenge to a token names the ways of tokens alone', async () => {
    const key = createClientKey();
    const basic: [string, string] = [webClient.client_id, webClient.client_secret];
    const issued = await callWithProof(`${realm.url}/oauth/token`, key, { basic, form: passwordOf('admin') });
    const { access_token: accessToken } = issued.json<{ access_token: string }>();
    const url = realm.url + clientsUrl;
    expect((await callWithProof(url, key, { accessToken })).status).toBe(200);

    const ways = 'Bearer realm="main", DPoP realm="main", algs="[^"]+"';
    const challengeOf = async (headers: Record<string, string>) => {
      const answer = await realm.send(clientsUrl, { headers });
      expect(answer.status).toBe(401);
      return [String(answer.headers['www-authenticate']), answer.headers['dpop-nonce']] as const;
    };
    const show = (dpop?: string) =>
      challengeOf({ authorization: `DPoP ${accessToken}`, ...(dpop === undefined ? {} : { dpop }) });
    const everyWay = new RegExp(`^Basic realm="main", charset="UTF-8", ${ways}$`);
    for (const authorization of [undefined, 'Basic', `Basic ${Buffer.from('x@example.com:x').toString('base64')}`]) {
      expect((await challengeOf(authorization === undefined ? {} : { authorization }))[0]).toMatch(everyWay);
    }
    for (const authorization of ['Bearer', 'DPoP', 'Bearer two words']) {
      expect((await challengeOf({ authorization }))[0]).toMatch(new RegExp(`^${ways}$`));
    }
    const [unnonced, nonce] = await show(key.proof({ htm: 'GET', htu: url, accessToken }));
    expect(unnonced).toMatch(new RegExp(`^${ways}, error="use_dpop_nonce", error_description="`));
    const [foreign] = await show(createClientKey().proof({ htm: 'GET', htu: url, accessToken, nonce }));
    for (const challenge of [foreign, (await show())[0]]) {
      expect(challenge).toMatch(new RegExp(`^${ways}, error="invalid_dpop_proof", error_description="`));
    }
    const [stolen] = await challengeOf({ authorization: `Bearer ${accessToken}` });
    expect(stolen).toMatch(/^Bearer realm="main", error="invalid_token", error_description="[^"]+", DPoP realm="main"/);
  });
});
