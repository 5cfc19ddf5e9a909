import { verifier } from '@gatehouse/resource-server';
import { createMetrics } from '@gatehouse/service-kit/metrics';
import { directoryPaths } from '@gatehouse/shared';
import {
  assertionType,
  call,
  callWithProof,
  createClientKey,
  createTestBrowser,
  type TestBrowser,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { createKeys } from '../../src/keys/room.ts';
import { createServiceTokenIssuer } from '../../src/organization/service-token.ts';
import { type BackChannel, listenAtBackChannel } from '../support/back-channel.ts';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { createExchanges } from '../support/exchanges.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { administrator, passwordOf, type Realm, readClaims } from '../support/realm.ts';
import { buildSignedClient } from '../support/signed-answers.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

/** Each kind of JWT that this server signs, or takes; with the `typ` in its header. */
const kinds = {
  'ID token': 'JWT',
  'ID token of the front channel': 'JWT',
  'access token': 'at+jwt',
  'logout token': 'logout+jwt',
  'signed userinfo': undefined,
  'signed authorization answer': undefined,
  'signed introspection': 'token-introspection+jwt',
  'status list': 'statuslist+jwt',
  'service token': 'gatehouse-service+jwt',
  'client assertion': undefined,
  'token of an issuer': undefined,
  'JWT-SVID': 'JWT',
  'request object': undefined,
  'DPoP proof': 'dpop+jwt',
  'client assertion at an upstream': 'client-authentication+jwt',
  'ID token of an upstream': undefined,
} as const;
type Kind = keyof typeof kinds;
const allKinds = Object.keys(kinds) as Kind[];

/** Each place that takes a JWT, and the kinds that are right there. */
const places = {
  'Bearer at userinfo': ['access token'],
  'Bearer at administration': ['access token'],
  'Bearer at org-api': ['access token'],
  'Bearer at an API that uses the package': ['access token'],
  'token at introspection': ['access token'],
  'token at revocation': ['access token'],
  'subject_token of an exchange': ['access token'],
  'id_token_hint at the authorization endpoint': ['ID token', 'ID token of the front channel'],
  'id_token_hint at sign-out': ['ID token', 'ID token of the front channel'],
  'client_assertion with private_key_jwt': ['client assertion'],
  'client_assertion with federated_jwt': ['token of an issuer'],
  'client_assertion that is a JWT-SVID': ['JWT-SVID'],
  'request at the authorization endpoint': ['request object'],
  'request, pushed': ['request object'],
  'request_uri, behind the address': ['request object'],
  'DPoP at the token endpoint': ['DPoP proof'],
  'DPoP of a pushed request': ['DPoP proof'],
  'DPoP at userinfo': ['DPoP proof'],
  'DPoP at org-api': ['DPoP proof'],
  'ID token in the answer of an upstream': ['ID token of an upstream'],
  'status list of an API that uses the package': ['status list'],
  'Bearer at the internal endpoints of org-api': ['service token'],
} as const satisfies Record<string, readonly Kind[]>;
type Place = keyof typeof places;

const scope = 'openid roles';
const asAdministrator = { username: administrator[0], password: administrator[1] };
const issuer = 'https://ci.example.com';
const trustDomain = 'spiffe://example.org';
const workload = `${trustDomain}/ns/shop/sa/default`;
const svidType = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';

describe.each(testDialects)('JWTs of every kind, on %s', (dialect) => {
  let realm: Realm;
  let server: KeyServer;
  let backChannel: BackChannel;
  let browser: TestBrowser;
  let upstream: UpstreamServer;
  let play: UpstreamPlay;
  /** A browser on its way back from the upstream; its ID token has the nonce of it. */
  let wayBack: { browser: TestBrowser; address: string } | undefined;
  /** What proofs are for: the method and URL of a request, and the token that it presents. */
  let proven: { htm: string; htu: string; accessToken?: string };
  let client: ReturnType<typeof buildSignedClient>;
  /** The access token that came last: of the grant that a JWT is about which was made of one. */
  let lastIssued = '';
  // One key signs all of them, so that no refusal comes from the key.
  const key = createClientKey('ES256', 'the-only-one');
  const jwks = { keys: [key.jwk] };

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    server = await startKeyServer();
    server.published.headers = { 'content-type': 'application/jwt' };
    backChannel = await listenAtBackChannel();
    client = await realm.register(
      buildSignedClient(realm, {
        ...{ jwks, request_uris: [`${server.url}.jwt`], userinfo_signed_response_alg: 'RS256' },
        backchannel_logout_uri: backChannel.uri,
      }),
    );
    for (const json of [
      { issuer, name: 'CI', jwks },
      { issuer: trustDomain, name: 'Pods', kind: 'spiffe', jwks },
    ]) {
      expect((await realm.send('/issuers', { basic: administrator, json })).status).toBe(201);
    }
    await registerRobot('by-key', { token_endpoint_auth_method: 'private_key_jwt', jwks });
    await registerRobot('by-issuer', federated({ issuer, subject: 'by-key' }));
    await registerRobot('by-svid', federated({ issuer: trustDomain, subject: workload }));
    browser = await signInAgain();
    upstream = await startUpstreamServer(key);
    play = await playUpstream(realm, upstream);
    await play.register({ client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' });
    play.account();
  });
  afterAll(async () => {
    await realm.close();
    backChannel.close();
    upstream.close();
    server.close();
  });

  const federated = (credential: object) => ({
    token_endpoint_auth_method: 'federated_jwt',
    federated_credentials: [credential],
  });
  const registerRobot = (client_id: string, fields: object) =>
    realm.register({
      ...{ client_id, scope: ['roles'], authorized_grant_types: ['client_credentials', 'service_account'] },
      ...{ srvc_ac_user_name: 'robot@example.com', ...fields },
    });
  const request = () => ({ ...codeRequest, client_id: client.client_id, scope, nonce: 'n' });
  const signInAgain = async () => {
    const fresh = createTestBrowser();
    expect((await signIn(realm, request(), { browser: fresh, user: asAdministrator })).status).toBe(303);
    return fresh;
  };
  const authorize = async (changes: Record<string, string>) =>
    readRedirect(await browser.get(realm.url + authorizePath({ ...request(), ...changes }))).parameters;
  const issue = async () => {
    const tokens = await realm.tokens(client, { ...passwordOf('admin'), scope });
    lastIssued = tokens.access_token;
    return tokens;
  };
  const basic = (): [string, string] => [client.client_id, client.client_secret];
  const atTokenEndpoint = () => ({ htm: 'POST', htu: `${realm.authUrl}/oauth/token` });
  const orgUsers = () => `${realm.orgUrl}/organization/api/organization/user`;
  /** A token that is bound to the key, with what a proof of it is for. */
  const proveTokenAt = async (htu: string) => {
    const url = `${realm.url}/oauth/token`;
    const issued = await callWithProof(url, key, { basic: basic(), form: { ...passwordOf('admin'), scope } });
    return { htm: 'GET', htu, accessToken: issued.json<{ access_token: string }>().access_token };
  };
  const presentProof = (dpop: string) =>
    call(proven.htu, { headers: { dpop, authorization: `DPoP ${proven.accessToken}` } });
  const now = () => Math.floor(realm.clock() / 1000);
  const dated = () => ({ aud: realm.authUrl, iat: now(), exp: now() + 300 });

  const make: Record<Kind, () => Promise<string | undefined> | string> = {
    'ID token': async () => (await issue()).id_token,
    'ID token of the front channel': async () => (await authorize({ response_type: 'id_token' })).id_token,
    'access token': async () => (await issue()).access_token,
    'logout token': async () => {
      const other = await signInAgain();
      const answer = await other.get(realm.url + authorizePath({ ...request(), response_type: 'id_token' }));
      const hint = readRedirect(answer).parameters.id_token ?? '';
      await other.get(`${realm.url}/oauth/logout?${new URLSearchParams({ id_token_hint: hint })}`);
      await backChannel.tellOf(readClaims<{ sid: string }>(hint).sid, 1);
      return backChannel.received.at(-1);
    },
    'signed userinfo': async () => (await realm.send('/oauth/userinfo', { bearer: (await issue()).access_token })).text,
    'signed authorization answer': async () => (await authorize({ response_mode: 'jwt' })).response,
    'signed introspection': async () => {
      const form = { token: (await issue()).access_token };
      const headers = { accept: 'application/token-introspection+jwt' };
      return (await realm.send('/oauth/introspect', { basic: basic(), form, headers })).text;
    },
    'status list': async () => {
      const { access_token } = await issue();
      const { status } = readClaims<{ status: { status_list: { uri: string } } }>(access_token);
      return (await realm.send(new URL(status.status_list.uri).pathname)).text;
    },
    'service token': () => issueServiceToken(),
    'client assertion': () => key.assertion('by-key', realm.authUrl, dated()),
    'token of an issuer': () => key.assertion('', '', { ...dated(), iss: issuer, sub: 'by-key' }),
    'JWT-SVID': () => key.assertion('', '', { ...dated(), iss: undefined, sub: workload }, { typ: 'JWT' }),
    'request object': () => {
      const parties = { iss: client.client_id, sub: undefined };
      return key.assertion('', '', { ...dated(), ...parties, ...request() });
    },
    'DPoP proof': async () => {
      const first =
        proven.accessToken === undefined
          ? await realm.tokenRequest(client, passwordOf('admin'), { dpop: key.proof(atTokenEndpoint()) })
          : await presentProof(key.proof(proven));
      return key.proof({ ...proven, nonce: first.headers['dpop-nonce'] });
    },
    'client assertion at an upstream': async () => {
      await play.goThere(createTestBrowser());
      return upstream.tokenRequests.at(-1)?.form.get('client_assertion') ?? undefined;
    },
    'ID token of an upstream': async () => {
      wayBack = await goToUpstream();
      const asked = upstream.begun.get(new URL(wayBack.address).searchParams.get('code') ?? '');
      const { sub } = upstream.said.userinfo;
      const claims = { iss: upstream.issuer, aud: asked?.get('client_id'), nonce: asked?.get('nonce'), sub };
      return key.assertion('', '', { ...dated(), ...claims, jti: undefined });
    },
  };
  const goToUpstream = async () => {
    const fresh = createTestBrowser();
    return { browser: fresh, address: await play.signInThere(await play.leave(fresh)) };
  };
  const question = JSON.stringify({ ids: [] });
  /** As of another replica: the requests of this one to org-api are seen by org-api alone. */
  const issueServiceToken = async () => {
    const keys = createKeys({ ...realm.deps, metrics: createMetrics() });
    await keys.signingKeys.load();
    const needs = { ...keys, issuer: realm.authUrl, baseUrl: realm.orgUrl, clock: realm.clock };
    const path = directoryPaths.userQueries;
    const token = createServiceTokenIssuer(needs)({ method: 'POST', path, body: question });
    keys.close();
    return token;
  };
  const makeOne = async (kind: Kind) => {
    const jwt = await make[kind]();
    expect([kind, jwt]).toEqual([kind, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)]);
    return jwt ?? '';
  };

  const isActive = async (token: string) =>
    (await realm.send('/oauth/introspect', { basic: basic(), form: { token } })).json().active as boolean;
  const proves = async (client_id: string, client_assertion: string, client_assertion_type = assertionType) => {
    const form = { grant_type: 'client_credentials', client_id, client_assertion, client_assertion_type };
    return (await realm.send('/oauth/token', { form })).status === 200;
  };
  /** Whether an API of the organization's audience takes a token, with `list` in place of the status list of the server. */
  const passesApi = async (token: string, list?: string) => {
    const fetchList: typeof fetch = async (url, init) =>
      list !== undefined && String(url).includes('/oauth/status-lists/') ? new Response(list) : fetch(url, init);
    const api = verifier({ issuer: realm.authUrl, audience: realm.orgUrl, fetch: fetchList, clock: realm.clock });
    const presented = { method: 'GET', url: '/', headers: { authorization: `Bearer ${token}` } };
    const isGood = await api.verify(presented).then(
      () => true,
      () => false,
    );
    api.close();
    return isGood;
  };
  const askInternally = (token: string) =>
    fetch(realm.orgUrl + directoryPaths.userQueries, {
      ...{ method: 'POST', body: question },
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    });

  /** Whether the place takes the JWT. */
  const takes: Record<Place, (jwt: string) => Promise<boolean>> = {
    'Bearer at userinfo': async (bearer) => (await realm.send('/oauth/userinfo', { bearer })).status === 200,
    'Bearer at administration': async (bearer) => (await realm.send('/clients', { bearer })).status === 200,
    'Bearer at org-api': async (jwt) => (await createExchanges(realm).askOrgApi('user', jwt)).status === 200,
    'Bearer at an API that uses the package': (jwt) => passesApi(jwt),
    'token at introspection': isActive,
    'token at revocation': async (jwt) => {
      if (!(await isActive(lastIssued))) await issue();
      expect((await realm.send('/oauth/revoke', { basic: basic(), form: { token: jwt } })).status).toBe(200);
      return !(await isActive(lastIssued));
    },
    'subject_token of an exchange': async (jwt) => (await createExchanges(realm).request(client, jwt)).status === 200,
    'id_token_hint at the authorization endpoint': async (jwt) =>
      'code' in (await authorize({ prompt: 'none', id_token_hint: jwt })),
    'id_token_hint at sign-out': async (jwt) =>
      (await realm.send(`/oauth/logout?${new URLSearchParams({ id_token_hint: jwt })}`)).status === 200,
    'client_assertion with private_key_jwt': (jwt) => proves('by-key', jwt),
    'client_assertion with federated_jwt': (jwt) => proves('by-issuer', jwt),
    'client_assertion that is a JWT-SVID': (jwt) => proves('by-svid', jwt, svidType),
    'request at the authorization endpoint': async (jwt) =>
      (await realm.send(authorizePath({ client_id: client.client_id, request: jwt }))).status === 200,
    'request, pushed': async (jwt) =>
      (await realm.send('/oauth/par', { basic: basic(), form: { request: jwt } })).status === 201,
    'request_uri, behind the address': async (jwt) => {
      server.published.body = jwt;
      const asked = { client_id: client.client_id, request_uri: `${server.url}.jwt` };
      return (await realm.send(authorizePath(asked))).status === 200;
    },
    'DPoP at the token endpoint': async (dpop) =>
      (await realm.tokenRequest(client, passwordOf('admin'), { dpop })).status === 200,
    'DPoP of a pushed request': async (dpop) =>
      (await realm.send('/oauth/par', { basic: basic(), form: request(), headers: { dpop } })).status === 201,
    'DPoP at userinfo': async (dpop) => (await presentProof(dpop)).status === 200,
    'DPoP at org-api': async (dpop) => (await presentProof(dpop)).status === 200,
    'ID token in the answer of an upstream': async (jwt) => {
      const { browser: back, address } = wayBack ?? (await goToUpstream());
      wayBack = undefined;
      upstream.said.jwt = jwt;
      const { status } = await play.comeBack(back, address);
      upstream.said.jwt = undefined;
      return status < 400;
    },
    'status list of an API that uses the package': async (jwt) => passesApi((await issue()).access_token, jwt),
    'Bearer at the internal endpoints of org-api': async (jwt) => (await askInternally(jwt)).status === 200,
  };

  const whatToProve = async (place: Place) => {
    if (place === 'DPoP of a pushed request') return { htm: 'POST', htu: `${realm.authUrl}/oauth/par` };
    if (place === 'DPoP at userinfo') return proveTokenAt(`${realm.authUrl}/oauth/userinfo`);
    if (place === 'DPoP at org-api') return proveTokenAt(orgUsers());
    return atTokenEndpoint();
  };

  it.each(allKinds)('%s: has the type of its kind', async (kind) => {
    proven = atTokenEndpoint();
    expect(decodeProtectedHeader(await makeOne(kind)).typ).toBe(kinds[kind]);
  });

  it.each(Object.keys(places) as Place[])('%s: takes its own kind, and refuses every other', async (place) => {
    const taken: Kind[] = [];
    proven = await whatToProve(place);
    for (const kind of allKinds) {
      if (await takes[place](await makeOne(kind))) taken.push(kind);
    }
    expect(taken).toEqual(places[place]);
  });
});
