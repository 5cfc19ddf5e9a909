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
});
