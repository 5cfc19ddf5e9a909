import { afterEach, expect, it } from '@jest/globals';
import { authUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

let organization: Organization;
afterEach(() => organization.close());

const details = '/organization/api/organization/user/allDetails/userId/a@example.com';

it.each([
  ['https://api.example.com', '/.well-known/oauth-protected-resource'],
  ['https://example.com/org', '/.well-known/oauth-protected-resource/org'],
])('org-api at %s publishes its metadata at %s, and its 401 names it (RFC 9728)', async (baseUrl, path) => {
  organization = await startOrganization('sqlite', { baseUrl });
  const { app } = organization;
  const answer = await app.inject(path);
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=300' });
  expect(answer.json()).toEqual({
    resource: baseUrl,
    authorization_servers: [authUrl],
    resource_name: 'Gatehouse organization API',
    scopes_supported: ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'roles'],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA', 'PS256', 'RS256'],
  });
  const origin = 'https://inspector.example.com';
  const preflight = { origin, 'access-control-request-method': 'GET' };
  const headers = { ...preflight, 'access-control-request-headers': 'mcp-protocol-version' };
  const allowed = await app.inject({ method: 'OPTIONS', url: path, headers });
  expect([allowed.statusCode, allowed.headers]).toMatchObject([
    204,
    {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringContaining('MCP-Protocol-Version'),
    },
  ]);
  const named = `resource_metadata="${new URL(baseUrl).origin}${path}"`;
  const challenges = await Promise.all(
    [{}, bearer('nonsense')].map(
      async (headers) => (await app.inject({ url: details, headers })).headers['www-authenticate'],
    ),
  );
  expect(challenges).toEqual([
    `Bearer ${named}`,
    expect.stringMatching(`^Bearer error="invalid_token", .*, ${named}$`),
  ]);
});
