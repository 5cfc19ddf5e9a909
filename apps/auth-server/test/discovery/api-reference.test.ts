import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Realm, startRealm } from '../support/realm.ts';

const credentials = 'ui.preauthorizeBasic("administrator", "admin@example.com", "admin-password")';

describe.each(['true', 'false'])('the page /docs where DEMO_DATA is %s', (demoData) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ DEMO_DATA: demoData });
  });
  afterAll(() => realm.close());

  it('loads everything from this server, and runs no script but its files', async () => {
    const { status, headers } = await realm.send('/docs');
    expect([status, headers['content-security-policy']]).toEqual([
      200,
      [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
        "img-src 'self' data:",
        `connect-src 'self' ${new URL(realm.authUrl).origin}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    ]);
  });

  it('has the credentials and the client of the demo data only where these are', async () => {
    const { status, text } = await realm.send('/docs/static/swagger-initializer.js');
    expect([status, text.includes(credentials), text.includes('"clientId"')]).toEqual([
      200,
      demoData === 'true',
      demoData === 'true',
    ]);
    expect(text).toContain('"usePkceWithAuthorizationCodeGrant":true');
    expect(text).toContain('"tryItOutEnabled":true');
  });

  it('shows the interface without the schemes that Swagger UI does not know', async () => {
    const schemesOf = async (path: string) => {
      const document = (await realm.send(path)).json<{ components: { securitySchemes: object } }>();
      return Object.keys(document.components.securitySchemes);
    };
    const all = await schemesOf('/openapi.json');
    expect(all).toContain('boundAccessToken');
    expect(await schemesOf('/docs/json')).toEqual(all.filter((name) => name !== 'boundAccessToken'));
    expect(await schemesOf('/openapi.json')).toEqual(all);
  });
});
