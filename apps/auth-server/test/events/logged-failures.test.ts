import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@gatehouse/service-kit';
import {
  assertionType,
  type CallOptions,
  createClientKey,
  createTestBrowser,
  type LogLine,
  readLog,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { en } from '../../src/pages/messages/en.ts';
import { authorizePath, codeRequest, userForm } from '../support/browser.ts';
import { interruptNext } from '../support/interruption.ts';
import { administerOrganization } from '../support/organization.ts';
import { administrator, passwordOf, type Realm, startRealm, webClient } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';

const assertionOf = (clientId: string): CallOptions => ({
  form: {
    ...passwordOf('user'),
    client_assertion: createClientKey().assertion(clientId, 'https://auth.example.com'),
    client_assertion_type: assertionType,
  },
});

describe('of a request that fails, the log', () => {
  const log = createLogger('test', 'info');
  const read = readLog(log);
  const browser = createTestBrowser();
  let realm: Realm;
  let bearer: string;
  let requests = 0;
  beforeAll(async () => {
    realm = await startRealm({}, { log });
    await realm.register(webClient);
    await realm.register({
      ...{ ...webClient, client_id: 'public', client_secret: undefined },
      authorized_grant_types: ['authorization_code'],
    });
    bearer = (await realm.tokens(webClient, passwordOf('user'))).access_token;
  });
  afterAll(() => realm.close());

  const signInUrl = () => realm.url + authorizePath(codeRequest);
  /** The status, and what the log says of the request, apart from audit events. */
  const tell = async (path: string, options: CallOptions): Promise<[status: number, lines: LogLine[]]> => {
    requests += 1;
    const requestId = `request-${requests}`;
    const { status } = await realm.send(path, { ...options, headers: { 'x-request-id': requestId } });
    const lines = read().filter((line) => line.requestId === requestId);
    return [status, lines.filter(({ msg }) => msg !== 'audit')];
  };

  it.each<[what: string, path: string, options: CallOptions, status: number, why: object]>([
    [
      'a client with a wrong secret',
      '/oauth/token',
      { basic: ['web', 'wrong'], form: passwordOf('user') },
      401,
      { status: 401, detail: expect.stringContaining('failed'), reason: 'no such client, or another secret' },
    ],
    [
      'an assertion of a client without keys',
      '/oauth/token',
      assertionOf('web'),
      401,
      { status: 401, reason: 'web is not registered for private_key_jwt' },
    ],
    [
      'an assertion of a client that nobody registered',
      '/oauth/token',
      assertionOf('stranger'),
      401,
      { status: 401, reason: 'stranger is not registered for private_key_jwt' },
    ],
    [
      'no token',
      '/oauth/userinfo',
      {},
      401,
      { detail: expect.stringContaining('required'), reason: 'no token was sent' },
    ],
    [
      'no credentials',
      '/clients',
      {},
      401,
      { status: 401, detail: expect.stringMatching(/^credentials are required/) },
    ],
    ['a registration without', '/clients', { json: webClient }, 401, { status: 401 }],
    ['a client without its token', '/oauth/register/web', {}, 401, { status: 401, reason: 'no token was sent' }],
    [
      'an unknown client',
      authorizePath({ ...codeRequest, client_id: 'none' }),
      {},
      400,
      { detail: 'No application is registered here under this client_id.' },
    ],
    [
      'a sign-out with a hint that is none',
      '/oauth/logout?id_token_hint=x',
      {},
      400,
      { detail: en.signOut.unknownHint },
    ],
    ['a form of a page that is no form', '/oauth/consents', { json: {} }, 415, { status: 415 }],
    [
      'a request whose fault goes back to the application',
      authorizePath({ ...codeRequest, response_type: 'magic' }),
      {},
      302,
      { status: 400, detail: expect.stringContaining('response_type') },
    ],
  ])('says why it was refused: %s', async (_what, path, options, status, why) => {
    expect(await tell(path, options)).toEqual([
      status,
      [
        expect.objectContaining({ level: 'info', msg: 'request refused', ...why }),
        expect.objectContaining({ level: 'info', msg: 'request', path: path.split('?')[0], status }),
      ],
    ]);
  });

  it.each<[path: string, options: CallOptions, statements: number]>([
    // The client is read to authenticate it, and to check the request.
    ['/oauth/par', { form: { ...codeRequest, client_id: 'public' } }, 2],
    ['/oauth/logout?client_id=web&post_logout_redirect_uri=https://app.example.com/', {}, 1],
  ])('has what failed inside, of which the answer says nothing: %s', async (path, options, statements) => {
    const { database } = realm.deps;
    const lost = { before: () => Promise.reject(new Error('out of reach')) };
    const next = { after: async () => interruptNext(database, /FROM clients WHERE client_id IN/, lost) };
    const isMet = interruptNext(database, /FROM clients WHERE client_id IN/, statements === 1 ? lost : next);
    const [status, lines] = await tell(path, options);
    expect([isMet(), status]).toEqual([true, 500]);
    const cause = expect.objectContaining({ message: 'out of reach' });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', err: expect.objectContaining({ cause }) }));
  });

  it('says why userinfo has nothing for a token: it ended, is of another resource or of no user', async () => {
    const orders = await administerResources(realm).create();
    const scopes = orders.scopes.map(({ name }) => name);
    await realm.register({
      ...{ ...webClient, client_id: 'machine', scope: ['openid', ...scopes] },
      ...{ authorized_grant_types: ['client_credentials'], resources: [realm.orgUrl, orders.resource] },
    });
    const machine = { client_id: 'machine', client_secret: webClient.client_secret };
    const obtain = async (resource: string) =>
      (await realm.tokens(machine, { grant_type: 'client_credentials', resource })).access_token;
    const ended = await obtain(realm.orgUrl);
    await realm.send('/oauth/revoke', { basic: ['machine', webClient.client_secret], form: { token: ended } });
    const whys = [
      [ended, 'revoked'],
      [await obtain(orders.resource), `meant for ${orders.resource}, not for ${realm.orgUrl}`],
      [await obtain(realm.orgUrl), 'stands for no user'],
    ] as const;
    for (const [token, reason] of whys) {
      const [status, [line]] = await tell('/oauth/userinfo', { bearer: token });
      expect([status, line]).toEqual([401, expect.objectContaining({ msg: 'request refused', reason })]);
    }
  });

  it('says nothing of a failure where the user of an event is gone', async () => {
    const organization = await administerOrganization(realm);
    const [username, password] = ['leaving@example.com', 'leaving-password'];
    await organization.create({ username, userType: 'Person', password });
    const { refresh_token = '' } = await realm.tokens(webClient, { grant_type: 'password', username, password });
    await organization.delete(username);
    await tell('/oauth/revoke', { basic: ['web', 'web-secret'], form: { token: refresh_token } });
    const requestId = `request-${requests}`;
    const listLines = () => read().filter((line) => line.requestId === requestId);
    // Its name is looked up once the request is answered.
    const isTold = () => listLines().some(({ msg }) => msg === 'audit');
    for (let turns = 0; !isTold() && turns < 10_000; turns += 1) await setImmediate();
    expect(isTold()).toBe(true);
    expect(listLines().map(({ level }) => level)).not.toContain('error');
  });

  describe('while the organization is away', () => {
    beforeAll(async () => {
      await browser.get(signInUrl());
      await realm.stopOrganization();
    });

    it.each<[path: string, options: () => CallOptions, status: number]>([
      ['/oauth/token', () => ({ basic: ['web', 'web-secret'], form: passwordOf('user') }), 503],
      ['/oauth/userinfo', () => ({ bearer }), 503],
      ['/oauth/introspect', () => ({ basic: ['web', 'web-secret'], form: { token: bearer } }), 503],
      ['/clients', () => ({ basic: administrator }), 500],
      ['/clients', () => ({ basic: administrator, json: { ...webClient, client_id: 'new' } }), 500],
    ])('%s: has the error, and what caused it', async (path, options, status) => {
      const cause = { type: 'OrganizationUnavailableError', message: 'the organization is out of reach' };
      const err = { type: expect.stringMatching(/^(OAuth|Problem)Error$/), cause: expect.objectContaining(cause) };
      expect(await tell(path, options())).toEqual([
        status,
        [
          expect.objectContaining({ level: 'error', msg: 'request failed', err: expect.objectContaining(err) }),
          expect.objectContaining({ level: 'info', msg: 'request', path, status }),
        ],
      ]);
    });

    it('at the sign-in page: has what caused it', async () => {
      const before = read().length;
      const page = await browser.get(signInUrl());
      expect((await browser.submit(page, signInUrl(), userForm)).status).toBe(503);
      const failures = read()
        .slice(before)
        .filter(({ level }) => level !== 'info');
      const cause = expect.objectContaining({ type: 'OrganizationUnavailableError' });
      expect(failures).toEqual([expect.objectContaining({ err: expect.objectContaining({ cause }) })]);
    });
  });

  it('never has the query, a secret, a password or a token', () => {
    const text = JSON.stringify(read());
    for (const hushed of [bearer, 'web-secret', 'user-password', codeRequest.redirect_uri, '"wrong"']) {
      expect(text).not.toContain(hushed);
    }
  });
});
