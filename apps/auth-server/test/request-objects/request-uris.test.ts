import { createClientKey, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { administrator, callback, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)(
  'request objects at an address of the client (OpenID Connect Core 6.2), on %s',
  (dialect) => {
    let realm: Realm;
    let server: KeyServer;
    let clientId: string;
    let requestUri: string;
    const key = createClientKey();
    let count = 0;
    beforeAll(async () => {
      realm = await startRealmOn(dialect);
    });
    afterAll(() => realm.close());
    beforeEach(async () => {
      server = await startKeyServer();
      count += 1;
      clientId = `by-address-${count}`;
      requestUri = `http://localhost:${server.port}/request.jwt#of-this-version`;
      await realm.register({
        ...webClient,
        client_id: clientId,
        ...{ jwks: { keys: [key.jwk] }, request_uris: [requestUri] },
      });
      await publish();
    });
    afterEach(() => server.close());

    const publish = async (claims: object = {}, by = key) => {
      server.published.headers = { 'content-type': 'application/oauth-authz-req+jwt' };
      server.published.body = await new SignJWT({ ...codeRequest, client_id: clientId, ...claims })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(by.privateKey);
    };
    const ask = (more: Record<string, string> = {}) =>
      realm.send(authorizePath({ client_id: clientId, request_uri: requestUri, ...more }));
    /** With an address outside of the object, to which its faults go. */
    const outcomeOf = async (more: Record<string, string> = {}) => {
      const answer = await ask({ redirect_uri: callback, response_type: 'code', ...more });
      return readRedirect(answer).parameters.error;
    };

    it('are read each time, without the fragment, and the page carries what stands in them', async () => {
      await publish({ state: 'inside' });
      const answer = await ask({ state: 'outside' });
      const carried = Object.fromEntries(new URLSearchParams(readHiddenFields(answer.text).request));
      expect(carried).toMatchObject({ client_id: clientId, state: 'inside' });
      expect(carried).not.toHaveProperty('request_uri');
      await ask();
      expect(server.asked.map(({ url }) => url)).toEqual(['/request.jwt', '/request.jwt']);
      expect(server.asked[0]?.headers.accept).toBe('application/oauth-authz-req+jwt, application/jwt');
    });

    it('lead to a code', async () => {
      await publish({ state: 's' });
      const { parameters } = readRedirect(await signIn(realm, { client_id: clientId, request_uri: requestUri }));
      const form = { grant_type: 'authorization_code', code: parameters.code ?? '', redirect_uri: callback };
      expect(parameters.state).toBe('s');
      expect(await realm.tokens({ ...webClient, client_id: clientId }, form)).toHaveProperty('access_token');
    });

    it.each([
      ['without its fragment', (uri: string) => uri.replace(/#.*$/, '')],
      ['with another fragment', (uri: string) => `${uri}s`],
      ['with a query', (uri: string) => uri.replace('#', '?a#')],
      ['elsewhere', () => 'https://elsewhere.example/request'],
    ])('are read at no address but a registered one, byte for byte: %s', async (_what, change) => {
      const request_uri = change(requestUri);
      expect([await outcomeOf({ request_uri }), server.asked.length]).toEqual(['invalid_request_uri', 0]);
    });

    it.each<[string, Partial<KeyServer['published']>]>([
      ['another media type', { headers: { 'content-type': 'application/json' } }],
      ['a redirect', { status: 302 }],
      ['more than 16 KiB', { body: 'x'.repeat(16_385) }],
    ])('fail for %s, as invalid_request_uri', async (_what, answer) => {
      Object.assign(server.published, answer);
      expect(await outcomeOf()).toBe('invalid_request_uri');
    });

    it('fail as objects do where another key signed them', async () => {
      await publish({}, createClientKey());
      expect(await outcomeOf()).toBe('invalid_request_object');
    });

    it('show a page where no registered address stands outside of them, which says what is wrong', async () => {
      server.published.status = 404;
      const answer = await ask();
      expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
      expect(answer.text).toContain('request_uri cannot be read: bad answer');
    });

    it('come instead of the parameter request, not with it', async () => {
      expect([await outcomeOf({ request: 'a.b.c' }), server.asked.length]).toEqual(['invalid_request', 0]);
    });

    it('are read 60 times a minute for a client, at all replicas together', async () => {
      // At the beginning of a minute.
      realm.advance(60_000 - (realm.clock() % 60_000));
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => outcomeOf()));
      for (let turn = 4; turn < 60; turn += 4) {
        outcomes.push(...(await Promise.all(Array.from({ length: 4 }, () => outcomeOf()))));
      }
      expect(new Set(outcomes)).toEqual(new Set([undefined]));
      expect([await outcomeOf(), server.asked.length]).toEqual(['temporarily_unavailable', 60]);
    });

    it('are not taken by pushed requests', async () => {
      const form = { client_id: clientId, request_uri: requestUri };
      const answer = await realm.send('/oauth/par', { basic: [clientId, webClient.client_secret], form });
      expect([answer.status, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_request']);
    });

    it.each([
      ['six', Array.from({ length: 6 }, (_, index) => `https://a.example/${index}`), 'request_uris must be an array'],
      ['none', [], 'request_uris must be an array'],
      ['one by http', ['https://a.example/', 'http://a.example/'], 'request_uris entry 2 must be an https URL'],
      ['one with user information', ['https://me@a.example/'], 'request_uris entry 1 must be an https URL'],
    ])('are not registered as %s', async (_what, uris, detail) => {
      const json = { request_uris: uris };
      const answer = await realm.send(`/clients/${clientId}`, { method: 'PATCH', basic: administrator, json });
      expect([answer.status, answer.json<{ detail: string }>().detail]).toEqual([400, expect.stringContaining(detail)]);
    });
  },
);
