import { createServer, type Server } from 'node:http';
import { type Answer, createTestBrowser, readHiddenFields, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, obtainCode, readRedirect, signIn } from '../support/browser.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, callback, passwordOf, type Realm, type TokenAnswer, webClient } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const machine = {
  client_id: 'machine',
  client_secret: 'machine-secret',
  scope: ['profile'],
  authorized_grant_types: ['client_credentials'],
};
const thirdParty = {
  ...webClient,
  client_id: 'third-party',
  authorized_grant_types: ['authorization_code', 'refresh_token'],
};

/** Receives logout tokens. */
async function startLogoutReceiver() {
  let received = 0;
  let notify = () => {};
  const first = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const server: Server = createServer((request, response) => {
    received += 1;
    notify();
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/logout`, received: () => received, first, close: () => server.close() };
}

describe.each(testDialects)('what another request does between two statements of one, on %s', (dialect) => {
  let realm: Realm;
  let receiver: Awaited<ReturnType<typeof startLogoutReceiver>>;
  beforeAll(async () => {
    receiver = await startLogoutReceiver();
    realm = await startRealmOn(dialect);
    const told = { ...webClient, client_id: 'told', ...{ backchannel_logout_uri: receiver.url } };
    for (const client of [webClient, { ...thirdParty, ...{ require_consent: true } }, told])
      await realm.register(client);
  });
  afterAll(async () => {
    await realm?.close();
    receiver?.close();
  });

  const interrupt = (pattern: RegExp, side: Parameters<typeof interruptNext>[2]) =>
    interruptNext(realm.deps.database, pattern, side);
  const exchangeOf = (code: string, client: { client_id: string; client_secret: string } = webClient) =>
    realm.tokenRequest(client, { grant_type: 'authorization_code', code, redirect_uri: callback });
  const refresh = (refresh_token = '') => realm.tokenRequest(webClient, { grant_type: 'refresh_token', refresh_token });
  const basic: [string, string] = [webClient.client_id, webClient.client_secret];
  const revoke = (token = '') => realm.send('/oauth/revoke', { basic, form: { token } });
  const isActive = async (token = '') =>
    (await realm.send('/oauth/introspect', { basic, form: { token } })).json<{ active: boolean }>().active;
  const countOf = async (table: string) => (await realm.deps.database.query(`SELECT expires_at FROM ${table}`)).length;
  const faultOf = (answer: Answer): unknown[] => [answer.status, answer.json().error];
  const expectDead = async ({ access_token, refresh_token }: TokenAnswer) => {
    expect([await isActive(access_token), await isActive(refresh_token)]).toEqual([false, false]);
    expect(faultOf(await refresh(refresh_token))).toEqual([400, 'invalid_grant']);
  };

  describe('of the exchange of a code', () => {
    it('a second use of the code ends the tokens, also before there is a refresh token to end', async () => {
      const code = await obtainCode(realm, { scope: 'openid offline_access' });
      let second: unknown[] = [];
      const isMet = interrupt(/^INSERT INTO refresh_tokens/, {
        before: async () => {
          second = faultOf(await exchangeOf(code));
        },
      });
      const tokens = (await exchangeOf(code)).json<TokenAnswer>();
      expect([isMet(), second]).toEqual([true, [400, 'invalid_grant']]);
      await expectDead(tokens);
    });

    it('a second use that found no refresh token to end, and has yet to answer, ends the tokens too', async () => {
      const code = await obtainCode(realm, { scope: 'openid offline_access' });
      let first: Promise<Answer> | undefined;
      let second: Promise<Answer> | undefined;
      // The first use waits until the second has deleted what there is; then the second waits for the first.
      const isInserting = interrupt(/^INSERT INTO refresh_tokens/, {
        before: () =>
          new Promise<void>((goOn) => {
            const isDeleting = interrupt(/^DELETE FROM refresh_tokens/, {
              after: async () => {
                isDeleting();
                goOn();
                await first;
              },
            });
            second = exchangeOf(code);
          }),
      });
      first = exchangeOf(code);
      const tokens = (await first).json<TokenAnswer>();
      expect(faultOf((await second) as Answer)).toEqual([400, 'invalid_grant']);
      expect(isInserting()).toBe(true);
      await expectDead(tokens);
    });

    it('a use that comes first leaves one without tokens, and is ended by it', async () => {
      const code = await obtainCode(realm);
      let first: TokenAnswer | undefined;
      const isMet = interrupt(/^UPDATE authorization_codes/, {
        before: async () => {
          first = (await exchangeOf(code)).json<TokenAnswer>();
        },
      });
      expect(faultOf(await exchangeOf(code))).toEqual([400, 'invalid_grant']);
      expect([isMet(), first?.token_type]).toEqual([true, 'Bearer']);
      await expectDead(first as TokenAnswer);
    });
  });

  describe('of a refresh', () => {
    const startGrant = () => realm.tokens(webClient, passwordOf('user'));

    it.each(['before', 'after'] as const)(
      'an end of the grant %s the token is replaced leaves it without tokens',
      async (moment) => {
        const tokens = await startGrant();
        const isMet = interrupt(/^UPDATE refresh_tokens/, { [moment]: () => revoke(tokens.refresh_token) });
        expect(faultOf(await refresh(tokens.refresh_token))).toEqual([400, 'invalid_grant']);
        expect(isMet()).toBe(true);
        await expectDead(tokens);
      },
    );

    it('the end of the grant that does not see the new status leaves it to the refresh to revoke it', async () => {
      const tokens = await startGrant();
      const before = await countOf('status_revocations');
      let refreshing: Promise<Answer> | undefined;
      let ending: Promise<Answer> | undefined;
      // The revocation reads the statuses; the refresh replaces the token; the revocation goes on to its end; the refresh too.
      const isRead = interrupt(/^SELECT statuses FROM refresh_tokens/, {
        after: () =>
          new Promise<void>((goOn) => {
            const isMet = interrupt(/^UPDATE refresh_tokens/, {
              after: async () => {
                isMet();
                goOn();
                await ending;
              },
            });
            refreshing = refresh(tokens.refresh_token);
          }),
      });
      ending = revoke(tokens.refresh_token);
      expect((await ending).status).toBe(200);
      expect(isRead()).toBe(true);
      expect(faultOf((await refreshing) as Answer)).toEqual([400, 'invalid_grant']);
      expect((await countOf('status_revocations')) - before).toBe(2);
    });
  });

  describe('of a revocation', () => {
    it('a failure leaves what is needed to repeat it', async () => {
      const tokens = await realm.tokens(webClient, passwordOf('user'));
      const before = await countOf('status_revocations');
      const isMet = interrupt(/^INSERT INTO status_revocations/, { before: () => Promise.reject(new Error('gone')) });
      expect((await revoke(tokens.refresh_token)).status).toBe(500);
      expect(isMet()).toBe(true);
      expect((await revoke(tokens.refresh_token)).status).toBe(200);
      expect((await countOf('status_revocations')) - before).toBe(1);
    });
  });

  /** A browser with a session, and an ID token that names it. */
  const startSession = async (client: { client_id: string; client_secret: string } = webClient) => {
    const browser = createTestBrowser();
    const { client_id } = client;
    const { code = '' } = readRedirect(await signIn(realm, { ...codeRequest, client_id }, { browser })).parameters;
    const tokens = (await exchangeOf(code, client)).json<TokenAnswer>();
    return { browser, tokens };
  };
  const authorize = async (browser: TestBrowser, client_id = 'web') => {
    const parameters = { ...codeRequest, client_id, prompt: 'none' };
    return readRedirect(await browser.get(realm.url + authorizePath(parameters))).parameters;
  };
  type Session = Awaited<ReturnType<typeof startSession>>;
  const signOut = async ({ browser, tokens }: Session) => {
    const hint = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' });
    return (await browser.get(`${realm.url}/oauth/logout?${hint}`)).status;
  };

  describe('of an authorization', () => {
    it('a sign-out leaves it without a code, and its grant is ended', async () => {
      const session = await startSession();
      const before = await countOf('revocations');
      const isMet = interrupt(/^INSERT INTO authorization_codes/, { before: () => signOut(session) });
      const answer = await authorize(session.browser);
      expect([isMet(), answer.error, answer.code]).toEqual([true, 'login_required', undefined]);
      // The sign-out ended the other grant of the session.
      expect((await countOf('revocations')) - before).toBe(2);
    });

    it('a sign-out that did not see that the client takes part leaves it to the authorization to tell it', async () => {
      const session = await startSession();
      const isMet = interrupt(/^INSERT INTO session_participants/, { before: () => signOut(session) });
      expect(await authorize(session.browser, 'told')).toMatchObject({ error: 'login_required' });
      expect(isMet()).toBe(true);
      await receiver.first;
      expect(receiver.received()).toBe(1);
    }, 10_000);

    it('a consent that is withdrawn leaves it without a code, and no client is told of the end of a session', async () => {
      const { browser, withdraw } = await startThirdParty();
      expect(await authorize(browser, 'told')).toHaveProperty('code');
      const isMet = interrupt(/^INSERT INTO authorization_codes/, { before: withdraw });
      const answer = await authorize(browser, 'third-party');
      expect([isMet(), answer.error, answer.code]).toEqual([true, 'login_required', undefined]);
      expect(await countOf("session_participants WHERE tell_at IS NULL AND client_id = 'third-party'")).toBe(1);
    });
  });

  describe('of a sign-out', () => {
    it('an authorization gets a code that is worth nothing afterwards', async () => {
      const session = await startSession();
      let code = '';
      const isMet = interrupt(/^DELETE FROM browser_sessions/, {
        before: async () => {
          ({ code = '' } = await authorize(session.browser));
        },
      });
      expect(await signOut(session)).toBe(200);
      expect([isMet(), code]).toEqual([true, expect.stringMatching(/./)]);
      expect(faultOf(await exchangeOf(code))).toEqual([400, 'invalid_grant']);
    });

    it('a failure comes after the end of the grants, so that nothing is left where nobody tries again', async () => {
      const session = await startSession();
      const isMet = interrupt(/^DELETE FROM browser_sessions/, { before: () => Promise.reject(new Error('gone')) });
      expect(await signOut(session)).toBe(500);
      expect(isMet()).toBe(true);
      await expectDead(session.tokens);
      expect(await signOut(session)).toBe(200);
    });
  });

  const startThirdParty = async () => {
    const browser = createTestBrowser();
    const url = realm.url + authorizePath({ ...codeRequest, client_id: 'third-party' });
    const page = await signIn(realm, { ...codeRequest, client_id: 'third-party' }, { browser });
    const isAsked = page.text.includes('Allow access?');
    const answer = isAsked ? await browser.submit(page, url, { decision: 'allow' }) : page;
    const { code = '' } = readRedirect(answer).parameters;
    const tokens = (await exchangeOf(code, thirdParty)).json<TokenAnswer>();
    const withdraw = async () => {
      const listUrl = `${realm.url}/oauth/consents`;
      return (await browser.post(listUrl, readHiddenFields((await browser.get(listUrl)).text))).status;
    };
    return { browser, tokens, withdraw };
  };

  describe('of the withdrawal of a consent', () => {
    it('an authorization gets a code that is worth nothing afterwards', async () => {
      const { browser, withdraw } = await startThirdParty();
      let code = '';
      const isMet = interrupt(/^DELETE FROM consents/, {
        before: async () => {
          ({ code = '' } = await authorize(browser, 'third-party'));
        },
      });
      expect(await withdraw()).toBe(303);
      expect([isMet(), code]).toEqual([true, expect.stringMatching(/./)]);
      // The user allows it again, which does not bring back what was issued before.
      await startThirdParty();
      expect(faultOf(await exchangeOf(code, thirdParty))).toEqual([400, 'invalid_grant']);
    });

    it('a failure comes after the end of the grants', async () => {
      const { tokens, withdraw } = await startThirdParty();
      const isMet = interrupt(/^DELETE FROM consents/, { before: () => Promise.reject(new Error('gone')) });
      expect(await withdraw()).toBe(500);
      expect(isMet()).toBe(true);
      expect(await isActive(tokens.access_token)).toBe(false);
      expect(await withdraw()).toBe(303);
    });
  });

  const manage = (method: string, path: string, json?: object) =>
    realm.send(path, { method, basic: administrator, ...(json === undefined ? {} : { json }) });
  const administer = (method: string, path = '', json?: object) => manage(method, `/clients/machine${path}`, json);

  describe('of a client that is changed', () => {
    beforeEach(async () => {
      await realm.register(machine);
    });
    afterEach(() => administer('DELETE'));
    const change = (access_token_validity: number) => administer('PATCH', '', { access_token_validity });
    const validity = async () =>
      (await administer('GET')).json<{ access_token_validity: number }>().access_token_validity;

    it('another change stays, and this one is a conflict', async () => {
      const isMet = interrupt(/^UPDATE clients/, { before: () => change(60) });
      expect((await change(61)).status).toBe(409);
      expect([isMet(), await validity()]).toEqual([true, 60]);
    });

    it('another change stays, and a new secret is a conflict', async () => {
      const isMet = interrupt(/^UPDATE clients/, { before: () => change(60) });
      expect((await administer('POST', '/secret', {})).status).toBe(409);
      expect([isMet(), await validity()]).toEqual([true, 60]);
      expect((await realm.tokenRequest(machine, { grant_type: 'client_credentials' })).status).toBe(200);
    });

    it('a change does not keep it from being deleted', async () => {
      const isMet = interrupt(/^DELETE FROM clients/, { before: () => change(60) });
      expect((await administer('DELETE')).status).toBe(204);
      expect([isMet(), (await administer('GET')).status]).toEqual([true, 404]);
    });
  });

  describe('of a client that is deleted', () => {
    const ask = () => realm.tokenRequest(machine, { grant_type: 'client_credentials' });
    const countRevoked = () => countOf('status_revocations');

    it('a token that is just being issued is not given out', async () => {
      await realm.register(machine);
      const isMet = interrupt(/^INSERT INTO status_blocks/, { before: () => administer('DELETE') });
      expect(faultOf(await ask())).toEqual([401, 'invalid_client']);
      expect(isMet()).toBe(true);
    });

    it('a token that is issued before it is gone is revoked', async () => {
      await realm.register(machine);
      const before = await countRevoked();
      let issued: Answer | undefined;
      const isMet = interrupt(/^DELETE FROM clients/, {
        before: async () => {
          issued = await ask();
        },
      });
      expect((await administer('DELETE')).status).toBe(204);
      expect([isMet(), issued?.status]).toEqual([true, 200]);
      expect((await countRevoked()) - before).toBe(1);
    });

    it('a failure comes after the end of its tokens', async () => {
      await realm.register(machine);
      expect((await ask()).status).toBe(200);
      const before = await countRevoked();
      const isMet = interrupt(/^DELETE FROM clients/, { before: () => Promise.reject(new Error('gone')) });
      expect((await administer('DELETE')).status).toBe(500);
      expect([isMet(), (await countRevoked()) - before]).toEqual([true, 1]);
      expect((await administer('DELETE')).status).toBe(204);
    });
  });

  describe('of a resource', () => {
    let resources: ReturnType<typeof administerResources>;
    beforeAll(() => {
      resources = administerResources(realm);
    });
    const detailOf = (answer: Answer): unknown[] => [answer.status, answer.json().detail];

    it('another that gets its URI first stays, and this one keeps no scope name', async () => {
      const fields = { resource: 'https://raced.example.com/', name: 'Raced' };
      const scopes = [{ name: 'raced:read' }];
      const isMet = interrupt(/^INSERT INTO resources/, { before: () => resources.create(fields) });
      const answer = await manage('POST', '/resources', { ...fields, scopes });
      const detail = 'must be unique in the realm; this resource exists already';
      expect([isMet(), answer.status, answer.json().errors]).toEqual([true, 409, [{ field: 'resource', detail }]]);
      await resources.create({ scopes });
    });

    it('another change stays, and this one is a conflict and keeps no scope name', async () => {
      const { id } = await resources.create();
      const scopes = [{ name: 'late:read' }];
      const isMet = interrupt(/^UPDATE resources/, { before: () => resources.change(id, { name: 'First' }) });
      expect(detailOf(await manage('PATCH', `/resources/${id}`, { scopes }))).toEqual([
        409,
        'another administrator changed the resource at the same time; read the resource and repeat the change',
      ]);
      const { name } = (await manage('GET', `/resources/${id}`)).json<{ name: string }>();
      expect([isMet(), name]).toEqual([true, 'First']);
      await resources.create({ scopes });
    });

    it('its deletion leaves another deletion with nothing to delete', async () => {
      const { id } = await resources.create();
      const isMet = interrupt(/^DELETE FROM resources/, { before: () => resources.delete(id) });
      expect(detailOf(await manage('DELETE', `/resources/${id}`))).toEqual([404, 'no resource has this id']);
      expect(isMet()).toBe(true);
    });

    it('its deletion leaves no client that has it as default', async () => {
      const { id, resource } = await resources.create();
      const isMet = interrupt(/^INSERT INTO clients/, { before: () => resources.delete(id) });
      const answer = await manage('POST', '/clients', {
        ...machine,
        resources: [resource],
        default_resource: resource,
      });
      expect([isMet(), answer.status, answer.text]).toEqual([
        true,
        400,
        'creation of client machine failed: default_resource must be the URI of a registered resource',
      ]);
    });

    it('a client that had it as default a moment ago keeps it until its deletion is repeated', async () => {
      const { id, resource } = await resources.create();
      await realm.register({ ...machine, ...{ resources: [realm.orgUrl, resource], default_resource: resource } });
      const isMet = interrupt(/default_resource_hash = \?/, {
        before: () => administer('PATCH', '', { default_resource: null }),
      });
      expect(detailOf(await manage('DELETE', `/resources/${id}`))).toEqual([
        409,
        'a client with this default_resource was just changed; repeat the request',
      ]);
      expect(isMet()).toBe(true);
      expect((await manage('DELETE', `/resources/${id}`)).status).toBe(204);
      await administer('DELETE');
    });
  });
});
