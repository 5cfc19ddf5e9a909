import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { authUrl, type Organization, startOrganization } from './support/organization.ts';

const baseUrl = 'https://example.com/org';
let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization('sqlite', { baseUrl });
});
afterAll(() => organization.close());

it('GET / is a page that says what this is, with links that lead on', async () => {
  const { statusCode, headers, body } = await organization.app.inject({ url: '/', headers: { accept: 'text/html' } });
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect([...body.matchAll(/href="([^"]+)"/g)].map(([, address]) => address)).toEqual([
    `${authUrl}/`,
    `${baseUrl}/docs`,
    'https://example.com/.well-known/oauth-protected-resource/org',
  ]);
});

it('GET / is JSON for Accept: application/json', async () => {
  const answer = await organization.app.inject({ url: '/', headers: { accept: 'application/json' } });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(answer.json()).toEqual({
    resource: baseUrl,
    authorization_server: authUrl,
    documentation: `${baseUrl}/docs`,
    openapi: `${baseUrl}/openapi.json`,
    metadata: 'https://example.com/.well-known/oauth-protected-resource/org',
  });
});
