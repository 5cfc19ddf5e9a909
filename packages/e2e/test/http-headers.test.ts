import { call } from '@gatehouse/test-kit';
import { describe, expect, test } from '@jest/globals';
import { buildRaw, sendRaw } from './support/raw-request.ts';
import { describeGatehouseOnce } from './support/suite.ts';

const https = { AUTH_URL: 'https://auth.example.com', BASE_URL: 'https://api.example.com' };

/** The services listen by http behind a proxy that ends TLS. */
describeGatehouseOnce(
  'services that are reached by https',
  (getGatehouse) => {
    const services = [
      ['auth-server', () => getGatehouse().authServer.url],
      ['org-api', () => getGatehouse().orgApi.url],
    ] as const;

    describe.each(services)('%s', (_name, getUrl) => {
      const paths = [
        '/health/ready',
        '/metrics',
        '/openapi.json',
        '/docs',
        '/nowhere',
        '/%ff',
        '/organization/api/organization/user',
        '/clients',
        '/oauth/authorize',
        '/oauth/jwks',
        '/.well-known/openid-configuration',
        '/oauth/userinfo',
      ];
      test.each(paths)('say on %s that browsers use https and believe the content type', async (path) => {
        const { headers } = await call(getUrl() + path);
        expect(headers['x-content-type-options']).toBe('nosniff');
        expect(headers['strict-transport-security']).toBe('max-age=31536000');
      });

      test('refuse two Host headers', async () => {
        const request = buildRaw({ path: '/health/live' });
        const twice = request.toString().replace('\r\n\r\n', '\r\nHost: other.example.com\r\n\r\n');
        const answers = [await sendRaw(getUrl(), request), await sendRaw(getUrl(), twice)];
        expect(answers.map(({ status }) => status)).toEqual([200, 400]);
      });
    });
  },
  { 'auth-server': https, 'org-api': https },
);
