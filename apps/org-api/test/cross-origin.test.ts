import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, type Organization, startOrganization } from './support/organization.ts';

const details = '/organization/api/organization/user/allDetails/userId/';

describe.each(testDialects)('pages of other origins (CORS) at org-api, on %s', (dialect) => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await startOrganization(dialect);
  });
  afterAll(() => organization.close());

  it.each(['https://spa.example.com', 'http://localhost:3000', 'null'])('may read user details: %s', async (origin) => {
    const { app } = organization;
    const url = `${details}nobody@example.com`;
    const preflight = await app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,dpop',
      },
    });
    expect([preflight.statusCode, preflight.body]).toEqual([204, '']);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': expect.stringMatching(/^Authorization, Content-Type, DPoP, /),
    });
    const refused = await app.inject({ url, headers: { origin, ...bearer('nonsense') } });
    const method = await app.inject({ method: 'DELETE', url, headers: { origin } });
    expect([refused.statusCode, method.statusCode, method.headers.allow]).toEqual([401, 405, 'GET, HEAD']);
    for (const { headers } of [preflight, refused, method]) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers['access-control-expose-headers']).toMatch(/DPoP-Nonce.*Retry-After.*WWW-Authenticate/);
    }
  });

  it('may ask for its metadata with any header that clients send', async () => {
    const url = '/.well-known/oauth-protected-resource';
    const preflight = await organization.app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://a.example' },
    });
    expect(preflight.headers['access-control-allow-headers']).toContain('MCP-Protocol-Version');
    const answer = await organization.app.inject({ url, headers: { origin: 'https://a.example' } });
    for (const { headers } of [preflight, answer]) expect(headers['access-control-allow-origin']).toBe('*');
  });

  it('may read nothing else', async () => {
    for (const url of ['/organization/api/organization/user', '/audit-events', '/internal/directory/user-queries']) {
      const headers = { origin: 'https://spa.example.com', 'access-control-request-method': 'POST' };
      const preflight = await organization.app.inject({ method: 'OPTIONS', url, headers });
      expect([400, 404, 405]).toContain(preflight.statusCode);
      const answer = await organization.app.inject({ url, headers });
      for (const sent of [preflight, answer]) expect(sent.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  describe('of the console', () => {
    const usersPath = '/organization/api/organization/user';
    const operations = [
      ['GET', usersPath, 401],
      ['POST', usersPath, 401],
      ['GET', `${usersPath}/userId/nobody@example.com`, 401],
      ['PATCH', `${usersPath}/userId/nobody@example.com`, 401],
      ['DELETE', `${usersPath}/userId/nobody@example.com`, 401],
      ['PUT', `${usersPath}/userId/nobody@example.com/password`, 401],
      ['GET', `${usersPath}/userId/nobody@example.com/methods`, 401],
      ['POST', `${usersPath}/userId/nobody@example.com/methods/reset`, 401],
      ['POST', `${usersPath}/userId/nobody@example.com/invitations`, 401],
      ['POST', '/organization/api/organization/user-imports', 401],
      ['GET', '/organization/api/organization/erasures', 401],
      ['GET', '/organization/api/organization/group', 401],
      ['GET', '/organization/api/organization/audit-events', 401],
      ['GET', '/organization/api/organization/refusals', 401],
      ['GET', '/organization/api/organization/configuration', 401],
      ['GET', '/health/ready', 200],
      ['GET', '/openapi.json', 200],
    ] as const;
    const ask = async (method: string, url: string, origin: string) => {
      const preflight = await organization.app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin, 'access-control-request-method': method },
      });
      return {
        preflight,
        answer: await organization.app.inject({ method: method as 'GET', url, headers: { origin } }),
      };
    };

    it.each(operations)('may send %s %s, and read the answer', async (method, url, status) => {
      const { preflight, answer } = await ask(method, url, new URL(organization.deps.config.authUrl).origin);
      expect([preflight.statusCode, preflight.body, answer.statusCode]).toEqual([204, '', status]);
      expect(preflight.headers['access-control-allow-methods']).toContain(method);
      expect(preflight.headers['access-control-allow-headers']).toBe(
        'Authorization, Content-Type, DPoP, If-Match, Prefer, X-Request-Id',
      );
      for (const { headers } of [preflight, answer]) {
        expect(headers).toMatchObject({
          'access-control-allow-origin': new URL(organization.deps.config.authUrl).origin,
          vary: 'Origin',
        });
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
      expect(answer.headers['access-control-expose-headers']).toMatch(/DPoP-Nonce.*ETag.*X-Request-Id/);
    });

    it.each(operations)('may not send %s %s where it is of another origin', async (method, url, status) => {
      for (const origin of [
        'https://spa.example.com',
        'null',
        `${new URL(organization.deps.config.authUrl).origin}.example`,
      ]) {
        const { preflight, answer } = await ask(method, url, origin);
        expect([preflight.statusCode, answer.statusCode, answer.headers.vary]).toEqual([405, status, 'Origin']);
        for (const { headers } of [preflight, answer])
          expect(headers).not.toHaveProperty('access-control-allow-origin');
      }
    });

    it('may not ask as auth-server, and reads details as every page does', async () => {
      const origin = new URL(organization.deps.config.authUrl).origin;
      const inner = await ask('POST', '/internal/directory/user-queries', origin);
      expect(inner.preflight.headers).not.toHaveProperty('access-control-allow-origin');
      const details = await ask('GET', `${usersPath}/allDetails/userId/nobody@example.com`, origin);
      expect(details.answer.headers['access-control-allow-origin']).toBe('*');
    });
  });
});
