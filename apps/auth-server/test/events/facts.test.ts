import { assertionType, callWithProof, createClientKey, createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn, userForm } from '../support/browser.ts';
import { commandLine, useDevices } from '../support/device.ts';
import { administerOrganization } from '../support/organization.ts';
import {
  administrator,
  encodeBasic,
  encodeForm,
  passwordOf,
  type Realm,
  startAuthServer,
  startRealm,
  webClient,
} from '../support/realm.ts';

interface AuditEvent {
  id: string;
}

/** What a request leaves behind: the counters that it raises, and its audit event, if it has one. */
interface Traces {
  counts: Record<string, number>;
  event: object | undefined;
}

const machine = { client_id: 'machine', client_secret: 'machine-secret-of-sixteen' };
const disabled = { username: 'disabled@example.com', password: 'the-password' };
const anonymous = { kind: 'anonymous' };
const userCalled = (username: string) => ({ kind: 'user', id: expect.any(String), name: username });
const clientCalled = (clientId: string) => ({ kind: 'client', id: expect.any(String), name: clientId });
const plainUser = userCalled('user@example.com');

const tokenRequests = (grantType: string, outcome: string) =>
  `gatehouse_token_requests_total{grant_type="${grantType}",outcome="${outcome}"}`;
const refusals = (kind: string, reason: string) =>
  `gatehouse_authentication_refusals_total{kind="${kind}",reason="${reason}"}`;
const signIns = (outcome: string) => `gatehouse_sign_ins_total{outcome="${outcome}"}`;

describe('what happens is counted, and told in the audit log', () => {
  let realm: Realm;
  let requests = 0;

  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
    await realm.register({ ...machine, scope: ['profile'], authorized_grant_types: ['client_credentials'] });
    await realm.register(commandLine);
    const thirdParty = { ...webClient, client_id: 'third-party', require_consent: true };
    await realm.register({ ...thirdParty, authorized_grant_types: ['authorization_code'] });
    const organization = await administerOrganization(realm);
    await organization.create({ ...disabled, userType: 'Person', roles: ['SystemAdministrator'], enabled: false });
  });
  afterAll(() => realm.close());

  const readCounters = async (): Promise<Map<string, number>> => {
    const { text } = await realm.send('/metrics');
    const lines = text.split('\n').filter((line) => /^gatehouse_(token_req|authentication_ref|sign_ins)/.test(line));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  };
  const readEvents = async (): Promise<AuditEvent[]> =>
    (await realm.send('/audit-events?limit=200', { basic: administrator })).json<{ events: AuditEvent[] }>().events;
  /** A name for a request, and an address that nobody used before. */
  const nameRequest = () => {
    requests += 1;
    return { 'x-request-id': `request-${requests}`, 'x-forwarded-for': `203.0.113.${requests}` };
  };
  /** Does what leaves traces, and gives them. */
  async function trace(act: (headers: Record<string, string>) => Promise<unknown>): Promise<Traces> {
    const [counters, known] = [await readCounters(), new Set((await readEvents()).map(({ id }) => id))];
    await act(nameRequest());
    const raised = [...(await readCounters())].filter(([name, value]) => value !== (counters.get(name) ?? 0));
    const events = (await readEvents()).filter(({ id }) => !known.has(id));
    expect(events.length).toBeLessThanOrEqual(1);
    return {
      counts: Object.fromEntries(raised.map(([name, value]) => [name, value - (counters.get(name) ?? 0)])),
      event: events[0],
    };
  }
  const expectTraces = async (
    act: (headers: Record<string, string>) => Promise<unknown>,
    counts: Traces['counts'],
    fields: object | undefined,
  ): Promise<void> => {
    const number = requests + 1;
    const common = { id: expect.any(String), time: expect.any(String), outcome: 'refused', details: {} };
    const cause = { request: `request-${number}`, address: `203.0.113.${number}` };
    expect(await trace(act)).toEqual({ counts, event: fields && { ...common, ...cause, ...fields } });
  };

  describe('of a client', () => {
    const form = { grant_type: 'client_credentials' };
    const failed = tokenRequests('client_credentials', 'invalid_client');
    const refused = (reason: string, method: string, client?: string) => ({
      type: 'client_authentication.refused',
      reason,
      actor: anonymous,
      ...(client === undefined ? {} : { subject: clientCalled(client), client }),
      details: { method },
    });

    it('that gets a token: no event', () =>
      expectTraces(
        (headers) => realm.tokenRequest(machine, form, headers),
        { [tokenRequests('client_credentials', 'issued')]: 1 },
        undefined,
      ));

    it.each([
      ['client_secret_basic', { basic: [machine.client_id, 'wrong'] as [string, string], form }],
      ['client_secret_post', { form: { ...form, client_id: machine.client_id, client_secret: 'wrong' } }],
    ])('with a wrong secret, by %s', (method, request) =>
      expectTraces(
        (headers) => realm.send('/oauth/token', { ...request, headers }),
        { [failed]: 1, [refusals('client', 'secret')]: 1 },
        refused('wrong_credentials', method, machine.client_id),
      ),
    );

    it('that nobody registered: its name is not repeated', () =>
      expectTraces(
        (headers) => realm.send('/oauth/token', { basic: ['stranger', 'wrong'], form, headers }),
        { [failed]: 1, [refusals('client', 'secret')]: 1 },
        refused('unknown_client', 'client_secret_basic'),
      ));

    it('that proves nothing', () =>
      expectTraces(
        (headers) => realm.send('/oauth/token', { form: { ...form, client_id: machine.client_id }, headers }),
        { [failed]: 1, [refusals('client', 'no_credentials')]: 1 },
        refused('wrong_credentials', 'none', machine.client_id),
      ));

    it('with an assertion by a key that it has not registered', () => {
      const assertion = {
        client_id: machine.client_id,
        client_assertion: createClientKey().assertion(machine.client_id, realm.authUrl),
        client_assertion_type: assertionType,
      };
      return expectTraces(
        (headers) => realm.send('/oauth/token', { form: { ...form, ...assertion }, headers }),
        { [failed]: 1, [refusals('client', 'assertion')]: 1 },
        refused('wrong_credentials', 'private_key_jwt', machine.client_id),
      );
    });

    it('with an assertion that has ended, by a key that it has registered', async () => {
      const key = createClientKey();
      const byKey = { client_id: 'by-key', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
      await realm.register({ ...byKey, scope: ['profile'], authorized_grant_types: ['client_credentials'] });
      const assertion = {
        client_assertion: key.assertion(byKey.client_id, realm.authUrl, { exp: 1 }),
        client_assertion_type: assertionType,
      };
      await expectTraces(
        (headers) => realm.send('/oauth/token', { form: { ...form, ...assertion }, headers }),
        { [failed]: 1, [refusals('client', 'assertion')]: 1 },
        refused('wrong_credentials', 'private_key_jwt', byKey.client_id),
      );
    });

    it('with an assertion of a client that nobody registered', () => {
      const assertion = {
        client_assertion: createClientKey().assertion('stranger', realm.authUrl),
        client_assertion_type: assertionType,
      };
      return expectTraces(
        (headers) => realm.send('/oauth/token', { form: { ...form, ...assertion }, headers }),
        { [failed]: 1, [refusals('client', 'assertion')]: 1 },
        refused('unknown_client', 'private_key_jwt'),
      );
    });

    it('that guesses too often: a count, and no event more', async () => {
      const guess = (headers: Record<string, string>) =>
        realm.send('/oauth/token', { basic: [machine.client_id, 'wrong'], form, headers });
      const { 'x-forwarded-for': address } = nameRequest();
      for (let turn = 0; turn < 10; turn += 1) await guess({ 'x-forwarded-for': address });
      const { counts, event } = await trace((headers) => guess({ ...headers, 'x-forwarded-for': address }));
      expect([counts, event]).toEqual([
        {
          [refusals('client', 'rate_limited')]: 1,
          [tokenRequests('client_credentials', 'temporarily_unavailable')]: 1,
        },
        undefined,
      ]);
    });
  });

  describe('of a person at the password grant', () => {
    const invalid = tokenRequests('password', 'invalid_grant');
    const details = { by: 'password_grant' };
    const common = { client: 'web', details };

    it('with the right password', () =>
      expectTraces(
        (headers) => realm.tokenRequest(webClient, passwordOf('user'), headers),
        { [tokenRequests('password', 'issued')]: 1 },
        {
          ...common,
          outcome: 'succeeded',
          type: 'sign_in.succeeded',
          actor: plainUser,
          subject: plainUser,
          details: { ...details, acr: 'urn:gatehouse:acr:password' },
        },
      ));

    it('with a wrong password', () =>
      expectTraces(
        (headers) => realm.tokenRequest(webClient, { ...passwordOf('user'), password: 'wrong' }, headers),
        { [invalid]: 1, [refusals('password', 'wrong')]: 1 },
        { ...common, type: 'sign_in.refused', reason: 'wrong_credentials', actor: anonymous, subject: plainUser },
      ));

    it.each([
      ['may be a password', 'my very own password'],
      ['is longer than any', `${'x'.repeat(250)}@example.com`],
    ])('whose username %s: it is not repeated', (_why, username) =>
      expectTraces(
        (headers) => realm.tokenRequest(webClient, { ...passwordOf('user'), username }, headers),
        { [invalid]: 1, [refusals('password', 'wrong')]: 1 },
        {
          ...common,
          ...{ type: 'sign_in.refused', reason: 'wrong_credentials', actor: anonymous, subject: { kind: 'user' } },
        },
      ),
    );

    it('who is disabled', () =>
      expectTraces(
        (headers) => realm.tokenRequest(webClient, { grant_type: 'password', ...disabled }, headers),
        { [invalid]: 1, [refusals('password', 'disabled')]: 1 },
        {
          ...common,
          type: 'sign_in.refused',
          reason: 'user_disabled',
          actor: anonymous,
          subject: userCalled(disabled.username),
        },
      ));
  });

  describe('of a person at the sign-in page', () => {
    const common = { client: 'web', details: { by: 'sign_in_page' } };

    it('who signs in, and comes again', async () => {
      const browser = createTestBrowser();
      expect(await trace(() => signIn(realm, codeRequest, { browser }))).toEqual({
        counts: { [signIns('signed_in')]: 1 },
        event: expect.objectContaining({
          ...common,
          type: 'sign_in.succeeded',
          actor: plainUser,
          subject: plainUser,
          details: { by: 'sign_in_page', acr: 'urn:gatehouse:acr:password' },
        }),
      });
      const again = await trace(() => browser.get(realm.url + authorizePath(codeRequest)));
      expect(again).toEqual({ counts: { [signIns('session')]: 1 }, event: undefined });
    });

    it('with a wrong password', async () => {
      const user = { ...userForm, password: 'wrong' };
      expect(await trace(() => signIn(realm, codeRequest, { user }))).toEqual({
        counts: { [signIns('refused')]: 1, [refusals('password', 'wrong')]: 1 },
        event: expect.objectContaining({ ...common, type: 'sign_in.refused', reason: 'wrong_credentials' }),
      });
    });
  });

  describe('of an administrator', () => {
    const list = (basic: [string, string]) => (headers: Record<string, string>) =>
      realm.send('/clients', { basic, headers });
    const notAuthenticated = { [refusals('administrator', 'not_authenticated')]: 1 };
    const refused = (reason: string, parties: object) => ({ type: 'administrator.refused', reason, ...parties });

    it('who may', () => expectTraces(list([...administrator]), {}, undefined));

    it('with a wrong password', () =>
      expectTraces(
        list([administrator[0], 'wrong']),
        { ...notAuthenticated, [refusals('password', 'wrong')]: 1 },
        refused('wrong_credentials', { actor: anonymous, subject: userCalled(administrator[0]) }),
      ));

    it('with the wrong secret of a client', () =>
      expectTraces(
        list([machine.client_id, 'wrong']),
        { ...notAuthenticated, [refusals('client', 'secret')]: 1 },
        refused('wrong_credentials', { actor: anonymous, subject: clientCalled(machine.client_id) }),
      ));

    it('who lacks the role', () =>
      expectTraces(
        list(['user@example.com', 'user-password']),
        { [refusals('administrator', 'not_allowed')]: 1 },
        refused('role_missing', { actor: plainUser }),
      ));

    it('who lacks a role that the client is worth: the client is kept, and named', async () => {
      const basic: [string, string] = ['idp.admin@example.com', 'idp-password'];
      const path = `/clients/${machine.client_id}`;
      const { counts, event } = await trace(async (headers) => {
        expect((await realm.send(path, { method: 'DELETE', basic, headers })).status).toBe(403);
      });
      expect([counts, event]).toEqual([
        {},
        expect.objectContaining({
          ...refused('role_missing', { actor: userCalled(basic[0]) }),
          subject: expect.objectContaining({ kind: 'client', name: machine.client_id }),
        }),
      ]);
    });

    it('who is disabled', () =>
      expectTraces(
        list([disabled.username, disabled.password]),
        { [refusals('administrator', 'not_allowed')]: 1, [refusals('password', 'disabled')]: 1 },
        refused('user_disabled', { actor: userCalled(disabled.username) }),
      ));

    it('whose token is that of an application to which the scope roles was not given', async () => {
      const administratorForm = { username: administrator[0], password: administrator[1] };
      const asked = { ...codeRequest, client_id: 'third-party', scope: 'openid' };
      const browser = createTestBrowser();
      const page = await signIn(realm, asked, { browser, user: administratorForm });
      const allowed = await browser.submit(page, `${realm.url}/oauth/consent`, { decision: 'allow' });
      const { code = '' } = readRedirect(allowed).parameters;
      const form = { grant_type: 'authorization_code', code, redirect_uri: codeRequest.redirect_uri };
      const { access_token: bearer } = await realm.tokens({ ...webClient, client_id: 'third-party' }, form);
      expect((await realm.send('/clients', { bearer })).json()).toMatchObject({
        status: 403,
        detail: expect.stringContaining('has not allowed this application the scope roles'),
      });
      await expectTraces(
        (headers) => realm.send('/clients', { bearer, headers }),
        { [refusals('administrator', 'not_allowed')]: 1 },
        refused('role_missing', { actor: anonymous }),
      );
    });

    it('whose first proof has no nonce yet: no refusal (RFC 9449 9)', async () => {
      const key = createClientKey();
      const basic: [string, string] = [webClient.client_id, webClient.client_secret];
      const issued = await callWithProof(`${realm.url}/oauth/token`, key, { basic, form: passwordOf('admin') });
      const { access_token: accessToken } = issued.json<{ access_token: string }>();
      const traces = await trace(async () => {
        expect((await callWithProof(`${realm.url}/clients`, key, { accessToken })).status).toBe(200);
      });
      expect(traces).toEqual({ counts: {}, event: undefined });
    });

    it('who sends no credentials: no guess, and no event', () =>
      expectTraces((headers) => realm.send('/clients', { headers }), notAuthenticated, undefined));

    it('whose credentials cannot be read', () =>
      expectTraces(
        (headers) => realm.send('/clients', { headers: { ...headers, authorization: 'Basic !!!' } }),
        notAuthenticated,
        refused('wrong_credentials', { actor: anonymous }),
      ));

    it('who guesses too often: a count, and no event more', async () => {
      const guess = list([administrator[0], 'wrong']);
      const { 'x-forwarded-for': address } = nameRequest();
      for (let turn = 0; turn < 10; turn += 1) await guess({ 'x-forwarded-for': address });
      const { counts, event } = await trace((headers) => guess({ ...headers, 'x-forwarded-for': address }));
      expect([counts, event]).toEqual([
        { [refusals('administrator', 'rate_limited')]: 1, [refusals('password', 'rate_limited')]: 1 },
        undefined,
      ]);
    });
  });

  describe('of what a person decides for an application', () => {
    const parties = { actor: plainUser, subject: clientCalled('third-party') };

    it.each([
      ['allow', 'consent.given', { outcome: 'succeeded' }],
      ['deny', 'consent.denied', { outcome: 'refused', reason: 'denied_by_user' }],
    ])('%s: what was asked', async (decision, type, ended) => {
      const scope = ['openid', decision === 'allow' ? 'email' : 'profile'];
      const browser = createTestBrowser();
      const asked = { ...codeRequest, client_id: 'third-party', scope: scope.join(' ') };
      const page = await signIn(realm, asked, { browser });
      const { event } = await trace(() => browser.submit(page, `${realm.url}/oauth/consent`, { decision }));
      expect(event).toMatchObject({ type, ...ended, ...parties });
      expect((event as { details: object }).details).toEqual({ scope });
    });

    it('the withdrawal, and nothing where the form comes again', async () => {
      const browser = createTestBrowser();
      const page = await signIn(realm, { ...codeRequest, client_id: 'third-party', prompt: 'consent' }, { browser });
      await browser.submit(page, `${realm.url}/oauth/consent`, { decision: 'allow' });
      const url = `${realm.url}/oauth/consents`;
      const list = await browser.get(url);
      const { event } = await trace(() => browser.submit(list, url));
      expect(event).toMatchObject({ type: 'consent.withdrawn', outcome: 'succeeded', ...parties });
      expect(await trace(() => browser.submit(list, url))).toEqual({ counts: {}, event: undefined });
    });
  });

  describe('at the end', () => {
    const succeeded = { id: expect.any(String), time: expect.any(String), outcome: 'succeeded' };
    const cause = { request: expect.any(String), address: expect.any(String) };

    it('of a session: who signed out', async () => {
      const browser = createTestBrowser();
      const { code = '' } = readRedirect(await signIn(realm, codeRequest, { browser })).parameters;
      const form = { grant_type: 'authorization_code', code, redirect_uri: webClient.redirect_uri };
      const { id_token = '' } = await realm.tokens(webClient, form);
      const traces = await trace(() => browser.get(`${realm.url}/oauth/logout?id_token_hint=${id_token}`));
      const parties = { actor: plainUser, subject: plainUser };
      expect(traces).toEqual({
        counts: {},
        event: { ...succeeded, ...cause, type: 'sign_out', ...parties, details: {} },
      });
    });

    it('of a token, by its client: whose it was, and of which grant', async () => {
      const basic: [string, string] = [webClient.client_id, webClient.client_secret];
      const revoke = (token = '') => trace(() => realm.send('/oauth/revoke', { basic, form: { token } }));
      const tokens = await realm.tokens(webClient, { ...passwordOf('user'), scope: 'openid offline_access' });
      const parties = { actor: clientCalled('web'), subject: plainUser, client: 'web' };
      const event = { ...succeeded, ...cause, type: 'token.revoked', ...parties };
      expect(await revoke(tokens.access_token)).toEqual({
        counts: {},
        event: { ...event, details: { token: 'access_token', grant: expect.any(String) } },
      });
      expect(await revoke(tokens.refresh_token)).toEqual({
        counts: {},
        event: { ...event, details: { token: 'refresh_token', grant: expect.any(String) } },
      });
    });

    it('of a grant, by a code that is used twice: whose it was', async () => {
      const { code = '' } = readRedirect(await signIn(realm, codeRequest)).parameters;
      const form = { grant_type: 'authorization_code', code, redirect_uri: webClient.redirect_uri };
      await realm.tokens(webClient, form);
      const { counts, event } = await trace((headers) => realm.tokenRequest(webClient, form, headers));
      expect(counts).toEqual({ [tokenRequests('authorization_code', 'invalid_grant')]: 1 });
      expect(event).toMatchObject({ type: 'grant.ended', reason: 'code_replayed', subject: plainUser, client: 'web' });
    });

    it('of a token that is none: nothing', async () => {
      const form = { token: 'nonsense' };
      const traces = await trace(() =>
        realm.send('/oauth/revoke', { basic: [webClient.client_id, webClient.client_secret], form }),
      );
      expect(traces).toEqual({ counts: {}, event: undefined });
    });

    it('of a token of a client that acts for itself: the client', async () => {
      const { access_token } = await realm.tokens(machine, { grant_type: 'client_credentials' });
      const basic: [string, string] = [machine.client_id, machine.client_secret];
      const { event } = await trace(() => realm.send('/oauth/revoke', { basic, form: { token: access_token } }));
      const itself = clientCalled('machine');
      expect(event).toMatchObject({ type: 'token.revoked', actor: itself, subject: itself });
    });
  });

  it('is read page by page, each event once, and nothing more on the last page', async () => {
    interface Page {
      events: AuditEvent[];
      next_cursor?: string;
    }
    const to = new Date(realm.clock()).toISOString();
    const read = async (query: string) =>
      (await realm.send(`/audit-events?to=${to}&${query}`, { basic: administrator })).json<Page>();
    const whole = await read('limit=200');
    expect(Object.keys(whole)).toEqual(['events']);
    const seen: string[] = [];
    let page = await read('limit=3');
    for (; page.next_cursor !== undefined; page = await read(`limit=3&cursor=${page.next_cursor}`)) {
      expect(page.events).toHaveLength(3);
      seen.push(...page.events.map(({ id }) => id));
    }
    seen.push(...page.events.map(({ id }) => id));
    expect(seen).toEqual(whole.events.map(({ id }) => id));
    expect(Object.keys(await read(`limit=${seen.length}`))).toEqual(['events']);
    expect(Object.keys(await read(`limit=${seen.length - 1}`)).sort()).toEqual(['events', 'next_cursor']);
  });

  it('is found by each filter, and by several together', async () => {
    const tokenForm = { grant_type: 'client_credentials' };
    const refuse = (headers: Record<string, string>) =>
      realm.send('/oauth/token', { basic: [machine.client_id, 'wrong'], form: tokenForm, headers });
    const { event } = await trace(refuse);
    const { id, request, address } = event as AuditEvent & { request: string; address: string };
    const find = async (query: Record<string, string>) => {
      const answer = await realm.send(`/audit-events?${new URLSearchParams(query)}`, { basic: administrator });
      return answer.json<{ events: (AuditEvent & Record<string, unknown>)[] }>().events;
    };
    const idsOf = async (query: Record<string, string>) => (await find(query)).map((found) => found.id);
    const type = 'client_authentication.refused';
    expect(await idsOf({ request })).toEqual([id]);
    expect(await idsOf({ address })).toEqual([id]);
    expect(
      await idsOf({ request, address, type, client: 'machine', outcome: 'refused', reason: 'wrong_credentials' }),
    ).toEqual([id]);
    const others: Record<string, string>[] = [
      { client: 'web' },
      { outcome: 'succeeded' },
      { reason: 'unknown_client' },
      { type: 'sign_out' },
    ];
    for (const other of others) {
      expect(await idsOf({ request, ...other })).toEqual([]);
    }
    const whole = await find({ limit: '200' });
    const expectAll = async (query: Record<string, string>, isMeant: (found: Record<string, unknown>) => boolean) => {
      const meant = whole.filter(isMeant);
      expect(meant.length).toBeGreaterThan(1);
      expect(await idsOf({ limit: '200', ...query })).toEqual(meant.map((found) => found.id));
    };
    await expectAll({ client: 'machine' }, ({ client }) => client === 'machine');
    await expectAll({ outcome: 'refused' }, ({ outcome }) => outcome === 'refused');
    await expectAll({ outcome: 'succeeded' }, ({ outcome }) => outcome === 'succeeded');
    await expectAll({ reason: 'wrong_credentials' }, ({ reason }) => reason === 'wrong_credentials');
    const types = [type, 'client.registered', 'sign_out'];
    await expectAll({ type: types.join() }, (found) => types.includes(String(found.type)));
    const newest = whole.filter((found) => types.includes(String(found.type))).slice(0, 2);
    expect(await idsOf({ type: types.join(), limit: '2' })).toEqual(newest.map((found) => found.id));
  });

  const badQueries = [
    ...['other=1', 'limit=0', 'limit=201', 'cursor=x', 'type=x', 'outcome=x', 'from=today', 'limit=1&limit=2'],
    ...['type=sign_out,x', 'type=sign_out&type=sign_out', 'client=a%20b', 'request=x', 'reason=x', 'address=x'],
  ];
  it.each(badQueries)('is not read by the query %s', async (query) =>
    expect((await realm.send(`/audit-events?${query}`, { basic: administrator })).status).toBe(400),
  );

  it('of a token that is none: a count alone', () =>
    expectTraces(
      (headers) => realm.send('/oauth/userinfo', { bearer: 'no-token', headers }),
      { [refusals('bearer_token', 'not_active')]: 1 },
      undefined,
    ));

  it('of a code that no device has: a count alone', async () => {
    const devices = useDevices(realm);
    const browser = await devices.signIn();
    const traces = await trace(() => devices.open(browser, 'BCDF-GHJK'));
    expect(traces).toEqual({ counts: { [refusals('user_code', 'wrong')]: 1 }, event: undefined });
  });

  it('of one wrong code too many: a count alone', async () => {
    const devices = useDevices(realm);
    const browser = await devices.signIn({ username: administrator[0], password: administrator[1] });
    for (let turn = 0; turn < 10; turn += 1) await devices.open(browser, 'BCDF-GHJK');
    const traces = await trace(() => devices.open(browser, 'BCDF-GHJK'));
    expect(traces).toEqual({ counts: { [refusals('user_code', 'rate_limited')]: 1 }, event: undefined });
  });

  it('while the organization is away: a sign-in is neither right nor wrong, and no administrator is refused', async () => {
    const before = await readCounters();
    await realm.stopOrganization();
    try {
      await signIn(realm, codeRequest);
      expect((await realm.send('/clients', { basic: administrator })).status).toBe(500);
    } finally {
      await realm.startOrganization();
    }
    const raised = [...(await readCounters())].filter(([name, value]) => value !== before.get(name));
    expect(raised).toEqual([[signIns('unavailable'), (before.get(signIns('unavailable')) ?? 0) + 1]]);
  });

  it('is stored also where the server stops right afterwards', async () => {
    const replica = await startAuthServer(0, realm.env, realm.clock);
    const headers = nameRequest();
    const form = 'application/x-www-form-urlencoded';
    const { statusCode } = await replica.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { ...headers, 'content-type': form, authorization: encodeBasic(machine.client_id, 'wrong') },
      payload: encodeForm({ grant_type: 'client_credentials' }),
    });
    await replica.stop();
    const event = { type: 'client_authentication.refused', request: headers['x-request-id'] };
    expect([statusCode, await readEvents()]).toEqual([401, expect.arrayContaining([expect.objectContaining(event)])]);
  });

  it('says to a caller whose credentials cannot be read how to send them', async () => {
    for (const authorization of ['Basic !!!', 'Bearer', 'DPoP a b', encodeBasic('', '').replace('Basic', 'Basic ?')]) {
      const { text } = await realm.send('/clients', { headers: { authorization } });
      expect(text).toContain('the Authorization header must hold Basic, Bearer or DPoP credentials');
    }
    expect((await realm.send('/clients')).text).toContain(
      'credentials are required; send them by Basic, Bearer or DPoP',
    );
  });
});
