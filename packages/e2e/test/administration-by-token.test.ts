import {
  type Answer,
  type CallOptions,
  type ClientKey,
  call,
  callWithProof,
  createClientKey,
  findFreePort,
  type Gatehouse,
  type ServiceProcess,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Credentials, passwordKind, registerClient, serviceAccountKind } from './support/clients.ts';
import { administrator, plainUser } from './support/people.ts';
import { describeGatehouseOnce } from './support/suite.ts';
import { getTokens, getUserTokens, isActive, readClaims } from './support/tokens.ts';
import { getUserDetails } from './support/users.ts';

/** The requests of client administration, each with what it answers to an administrator. */
const requests: [path: (id: string) => string, status: number, options: () => CallOptions][] = [
  [() => '/clients', 200, () => ({ method: 'POST', json: passwordKind() })],
  [() => '/clients', 200, () => ({ method: 'GET' })],
  [(id) => `/clients/${id}`, 200, () => ({ method: 'GET' })],
  [(id) => `/clients/${id}`, 200, () => ({ method: 'PATCH', json: { access_token_validity: 60 } })],
  [(id) => `/clients/${id}/secret`, 200, () => ({ method: 'POST', json: { grace_seconds: 60 } })],
  [() => '/audit-events', 200, () => ({ method: 'GET' })],
  [(id) => `/clients/${id}`, 204, () => ({ method: 'DELETE' })],
];

const expectInvalidToken = ({ status, headers }: Answer) =>
  expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('error="invalid_token"')]);

describeGatehouseOnce('administration by tokens', (getGatehouse) => {
  describe('client administration by a token that is bound to a key (RFC 9449 7.1)', () => {
    let gatehouse: Gatehouse;
    let key: ClientKey;
    let token: string;
    beforeAll(async () => {
      gatehouse = getGatehouse();
      key = createClientKey();
      const [username, password] = administrator;
      const client = await registerClient(gatehouse, passwordKind());
      const form = { grant_type: 'password', username, password };
      const answer = await callWithProof(`${gatehouse.authUrl}/oauth/token`, key, { basic: client, form });
      token = answer.json<{ access_token: string }>().access_token;
    });
    const prove = (path: string, options: CallOptions, by = key) =>
      callWithProof(gatehouse.authUrl + path, by, { ...options, accessToken: token });

    it('is taken with a proof, by every request', async () => {
      const [id] = await registerClient(gatehouse, passwordKind());
      for (const [path, status, options] of requests) {
        const answer = await prove(path(id), options());
        expect([path(id), answer.status, answer.headers['cache-control']]).toEqual([path(id), status, 'no-store']);
      }
    });

    it('is refused as a bearer token, without a proof, with another key’s, and with a proof of another request', async () => {
      const url = `${gatehouse.authUrl}/clients`;
      expectInvalidToken(await call(url, { bearer: token }));
      const bare = await call(url, { headers: { authorization: `DPoP ${token}` } });
      expect([bare.status, bare.headers['www-authenticate']]).toEqual([
        401,
        expect.stringMatching(/^Bearer .*, DPoP .*algs="[^"]+", error="invalid_dpop_proof"/),
      ]);
      expect((await prove('/clients', { method: 'GET' }, createClientKey())).status).toBe(401);
      const nonce = String(bare.headers['dpop-nonce'] ?? (await prove('/clients', {})).headers['dpop-nonce']);
      const proofs = [
        key.proof({ htm: 'POST', htu: url, nonce, accessToken: token }),
        key.proof({ htm: 'GET', htu: `${url}/other`, nonce, accessToken: token }),
        key.proof({ htm: 'GET', htu: url, nonce, accessToken: 'another token' }),
        key.proof({ htm: 'GET', htu: url, nonce }),
      ];
      for (const dpop of proofs) {
        const answer = await call(url, { headers: { authorization: `DPoP ${token}`, dpop } });
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([
          401,
          expect.stringContaining('error="invalid_dpop_proof"'),
        ]);
      }
    });

    it('is told the nonce to use, which is no refusal in the audit trail', async () => {
      const url = `${gatehouse.authUrl}/clients`;
      const dpop = key.proof({ htm: 'GET', htu: url, accessToken: token });
      const answer = await call(url, {
        headers: { authorization: `DPoP ${token}`, dpop, 'x-request-id': 'first-proof' },
      });
      expect([answer.status, answer.headers['www-authenticate'], answer.headers['dpop-nonce']]).toEqual([
        401,
        expect.stringContaining('error="use_dpop_nonce"'),
        expect.any(String),
      ]);
      const { text } = await prove('/audit-events?type=administrator.refused&limit=200', {});
      expect(text).not.toContain('first-proof');
    });

    it('is named beside Basic where no credentials came, and by POST /clients', async () => {
      for (const options of [{}, { json: {} }] as CallOptions[]) {
        const { status, headers } = await call(`${gatehouse.authUrl}/clients`, options);
        expect([status, headers['www-authenticate']]).toEqual([
          401,
          expect.stringMatching(/^Basic realm="main", charset="UTF-8", Bearer realm="main", DPoP realm="main", algs="/),
        ]);
      }
    });

    it('is no way around for a token that is not bound', async () => {
      const plain = await registerClient(gatehouse, passwordKind());
      const { access_token: bearer } = await getUserTokens(gatehouse, plain, administrator);
      expectInvalidToken(await call(`${gatehouse.authUrl}/clients`, { headers: { authorization: `DPoP ${bearer}` } }));
      expect((await call(`${gatehouse.authUrl}/clients`, { bearer })).status).toBe(200);
    });
  });

  describe('a token that is meant for another resource server', () => {
    let gatehouse: Gatehouse;
    let client: Credentials;
    let token: string;
    const others: ServiceProcess[] = [];

    // A second pair of services on the same databases, with another BASE_URL: its tokens have another `aud`.
    beforeAll(async () => {
      gatehouse = getGatehouse();
      client = await registerClient(gatehouse, passwordKind());
      const [orgPort, authPort] = [await findFreePort(), await findFreePort()];
      const urls = { BASE_URL: `http://localhost:${orgPort}`, JWKS_URL: `${gatehouse.authUrl}/oauth/jwks` };
      const { env } = gatehouse;
      others.push(await startServiceProcess({ name: 'org-api', port: orgPort, env: { ...env['org-api'], ...urls } }));
      const authEnv = { ...env['auth-server'], ...urls };
      others.push(await startServiceProcess({ name: 'auth-server', port: authPort, env: authEnv }));
      const elsewhere = { ...gatehouse, authUrl: `http://localhost:${authPort}` };
      token = (await getUserTokens(elsewhere, client, administrator)).access_token;
      expect(readClaims(token)).toMatchObject({ iss: gatehouse.authUrl, aud: urls.BASE_URL });
    });
    afterAll(() => Promise.all(others.map((service) => service.stop())));

    it('is in force', async () => {
      expect(await isActive(gatehouse, client, token)).toBe(true);
    });

    it('opens no client administration', async () => {
      for (const [path, , options] of requests)
        expectInvalidToken(await call(gatehouse.authUrl + path(client[0]), { bearer: token, ...options() }));
    });

    it('opens neither userinfo nor org-api', async () => {
      for (const method of ['GET', 'POST'])
        expectInvalidToken(await call(`${gatehouse.authUrl}/oauth/userinfo`, { method, bearer: token }));
      expectInvalidToken(await getUserDetails(gatehouse, plainUser[0], token));
    });

    it('can be revoked', async () => {
      const revoke = { basic: client, form: { token } };
      expect((await call(`${gatehouse.authUrl}/oauth/revoke`, revoke)).status).toBe(200);
      expect(await isActive(gatehouse, client, token)).toBe(false);
    });
  });

  describe('answers about clients and people', () => {
    it('are stored by nobody, also where they are refusals', async () => {
      const gatehouse = getGatehouse();
      const { authUrl, baseUrl } = gatehouse;
      const client = await registerClient(gatehouse, passwordKind());
      const machine = await registerClient(gatehouse, serviceAccountKind());
      const { access_token: bearer } = await getUserTokens(gatehouse, client, administrator);
      const { access_token: own } = await getTokens(gatehouse, machine, { grant_type: 'client_credentials' });
      const users = `${baseUrl}/organization/api/organization/user`;
      const username = 'stored.by.nobody@example.com';
      const member = `${users}/userId/${encodeURIComponent(username)}`;
      const calls: [string, CallOptions, number][] = [
        [`${authUrl}/clients`, { basic: administrator }, 200],
        [`${authUrl}/clients`, {}, 401],
        [`${authUrl}/clients/nobody`, { basic: administrator }, 404],
        [`${authUrl}/clients`, { basic: plainUser }, 403],
        [`${authUrl}/clients`, { basic: administrator, json: passwordKind() }, 200],
        [`${authUrl}/clients`, { basic: administrator, json: {} }, 400],
        [`${authUrl}/clients/${client[0]}`, { basic: administrator }, 200],
        [`${authUrl}/clients/${client[0]}`, { basic: administrator, method: 'PATCH', json: { scope: [] } }, 400],
        [`${authUrl}/clients/${machine[0]}/secret`, { basic: administrator, json: {} }, 200],
        [`${authUrl}/audit-events`, { basic: administrator }, 200],
        [`${authUrl}/oauth/userinfo`, { bearer }, 200],
        [`${authUrl}/oauth/userinfo`, {}, 401],
        [`${authUrl}/oauth/introspect`, { basic: client, form: { token: bearer } }, 200],
        [`${authUrl}/oauth/introspect`, { form: { token: bearer } }, 401],
        [users, { bearer, json: { username, userType: 'Robot' } }, 201],
        [users, { bearer, json: { username, userType: 'Robot' } }, 409],
        [users, { bearer }, 200],
        [users, { bearer: own }, 403],
        [users, {}, 401],
        [member, { bearer, method: 'PATCH', json: { firstName: 'Nobody' } }, 200],
        [`${users}/allDetails/userId/${encodeURIComponent(username)}`, { bearer }, 200],
        [`${users}/allDetails/userId/nobody`, { bearer }, 404],
        [`${baseUrl}/organization/api/organization/audit-events`, { bearer }, 200],
      ];
      for (const [url, options, status] of calls) {
        const answer = await call(url, options);
        const described = `${options.method ?? ''} ${url}`;
        expect([described, answer.status, answer.headers['cache-control']]).toEqual([described, status, 'no-store']);
      }
    });
  });
});
