import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { convert } from '../support/convert.ts';
import { verifyScrypt } from '../support/verify-scrypt.ts';

const fixtures = new URL('fixtures/keycloak', import.meta.url).pathname;

describe('clients of Keycloak', () => {
  let folder: string;
  let wildcards: string;
  let bundle: Awaited<ReturnType<typeof convert>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-wildcards-'));
    wildcards = join(folder, 'wildcards.json');
    const shop = { 'https://shop.example.com/relative/*': ['https://shop.example.com/relative/cb'] };
    const spa = { 'http://localhost:3000/*': ['http://localhost:3000/callback'], '*': [] };
    writeFileSync(wildcards, JSON.stringify({ shop, spa }));
    bundle = await convert('keycloak', fixtures, '--expand-wildcards', wildcards);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('that sign users in bring their registration, and a hash in place of their secret', () => {
    const { client_secret_hash: hash, ...members } = bundle.client('shop') ?? {};
    expect(members).toEqual({
      ...{ kind: 'client', client_id: 'shop', client_name: 'Shop', client_uri: 'https://shop.example.com/home' },
      scope: ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'groups'],
      authorized_grant_types: [
        ...[
          'authorization_code',
          'urn:ietf:params:oauth:grant-type:device_code',
          'refresh_token',
          'client_credentials',
        ],
      ],
      redirect_uri: 'https://shop.example.com/relative/cb',
      redirect_uris: ['https://shop.example.com/callback'],
      post_logout_redirect_uris: [
        ...[
          'https://shop.example.com/out',
          'https://shop.example.com/relative/cb',
          'https://shop.example.com/callback',
        ],
      ],
      ...{ access_token_validity: 900, require_pkce: true, id_token_signed_response_alg: 'ES256' },
      ...{ backchannel_logout_uri: 'https://shop.example.com/logout', logo_uri: 'https://shop.example.com/logo.png' },
      ...{ policy_uri: 'https://shop.example.com/policy', tos_uri: 'https://shop.example.com/tos' },
    });
    expect(verifyScrypt(String(hash), 'the secret of the shop')).toBe(true);
    expect(bundle.text).not.toContain('the secret of the shop');
    expect(bundle.notesAbout('client shop').sort()).toEqual([
      ...['attribute login_theme', 'description', 'needs_robot service-account-shop@robots.invalid'],
      ...['protocol_mapper department', 'scope_of_a_resource orders:read', 'token_exchange'],
      'web_origin https://other.example.com',
    ]);
  });

  test('of browsers are public, with the consent that they need, and never have the password grant', () => {
    expect(bundle.client('spa')).toEqual({
      ...{ kind: 'client', client_id: 'spa', require_consent: true, access_token_validity: 600 },
      scope: ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'groups'],
      authorized_grant_types: ['authorization_code', 'implicit', 'refresh_token'],
      redirect_uri: 'http://localhost:3000/callback',
      post_logout_redirect_uris: ['http://localhost:3000/callback'],
    });
    expect(bundle.notesAbout('client spa')).toEqual([...['pkce_required', 'password_with_consent', 'scope_mappings']]);
  });

  test('with a wildcard are refused, each one named, where no file says the addresses', async () => {
    const { clientIds, notesAbout } = await convert('keycloak', fixtures);
    expect(clientIds).not.toContain('shop');
    expect(clientIds).not.toContain('spa');
    expect(notesAbout('client shop')).toContain('redirect_uri_wildcard https://shop.example.com/relative/*');
    expect(notesAbout('client spa')).toContain('redirect_uri_wildcard http://localhost:3000/*');
    expect(notesAbout('client spa')).toContain('redirect_uri_wildcard *');
  });

  test.each([
    ['addresses elsewhere', { 'https://shop.example.com/relative/*': ['https://evil.example/cb'] }],
    ['another wildcard', { 'https://shop.example.com/relative/*': ['https://shop.example.com/relative/a*'] }],
    ['no list', { 'https://shop.example.com/relative/*': 'https://shop.example.com/relative/cb' }],
  ])('take %s for no wildcard', async (_what, shop) => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, JSON.stringify({ shop }));
    await expect(convert('keycloak', fixtures, '--expand-wildcards', file)).rejects.toThrow(
      'shop: https://shop.example.com/relative/* takes a list of addresses',
    );
  });

  test('of programs take any port of a loopback address that is registered without one', () => {
    expect(bundle.client('native')).toMatchObject({
      ...{ redirect_uri: 'http://127.0.0.1/callback', redirect_uris: ['com.example.app:/cb', 'http://localhost/cb'] },
      ...{ loopback_ports: 'any', require_pkce: true },
    });
    expect(bundle.notesAbout('client native')).toEqual([
      ...['password_of_public_client', 'redirect_uri_not_possible http://app.internal/cb', 'port_of_localhost'],
    ]);
  });

  test('with keys have them by address, as a set, or from a certificate; those of machines alone are their Robot', () => {
    const keyed = { authorized_grant_types: ['client_credentials', 'service_account'] };
    const method = { token_endpoint_auth_method: 'private_key_jwt' };
    expect(bundle.client('keyed')).toMatchObject({
      ...{ ...keyed, ...method, jwks_uri: 'https://keyed.example.com/jwks' },
      srvc_ac_user_name: 'service-account-keyed@robots.invalid',
    });
    expect(bundle.client('keyed-string')).toMatchObject({
      ...keyed,
      ...method,
      jwks: { keys: [{ kty: 'EC', kid: '1' }] },
    });
    const { clients } = JSON.parse(readFileSync(join(fixtures, 'acme-realm.json'), 'utf8'));
    const { attributes } = clients.find(({ clientId }: { clientId: string }) => clientId === 'keyed-cert');
    const { publicKey } = new X509Certificate(Buffer.from(attributes['jwt.credential.certificate'], 'base64'));
    const jwks = { keys: [publicKey.export({ format: 'jwk' })] };
    expect(bundle.client('keyed-cert')).toMatchObject({ ...keyed, ...method, jwks, access_token_validity: 600 });
    expect(bundle.client('keyed-cert')).not.toHaveProperty('client_secret_hash');
    expect(bundle.notesAbout('client keyed-cert')).toEqual(['attribute access.token.lifespan']);
  });

  test.each([
    ['masked', 'needs_secret'],
    ['mtls', 'client_authentication client-x509'],
  ])('stay confidential where nothing proves them here: %s', (id, problem) => {
    expect(bundle.client(id)?.client_secret_hash).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$/);
    expect(bundle.client(id)).not.toHaveProperty('post_logout_redirect_uris');
    expect(bundle.notesAbout(`client ${id}`)).toContain(problem);
  });

  test.each([
    ['api', 'make_it_a_resource'],
    ['saml-app', 'saml_client'],
    ['https://app.example.com/sp', 'client_id_not_possible'],
    ['secret-jwt', 'no_grant_type'],
  ])('have no place here: %s', (id, problem) => {
    expect(bundle.clientIds).not.toContain(id);
    expect(bundle.notesAbout(`client ${id}`)).toEqual([problem]);
  });

  test('of Keycloak itself are passed over; what an administrator sets up here is noted', () => {
    expect([...bundle.clientIds].sort()).toEqual([
      ...['keyed', 'keyed-cert', 'keyed-string', 'masked', 'mtls', 'native', 'shop', 'spa'],
    ]);
    expect(bundle.notesAbout('client account')).toEqual([]);
    expect(bundle.notesAbout('identity provider google')).toEqual(['make_it_an_upstream google']);
    expect(bundle.notesAbout('client scope orders:read')).toEqual(['make_it_a_scope']);
    expect(bundle.notesAbout('authentication flow our browser')).toEqual(['no_place']);
    expect(bundle.notesAbout('user federation corp-ldap')).toEqual(['no_place']);
    for (const part of ['identity provider mapper department', 'client policy strict', 'organization Partner']) {
      expect([part, bundle.notesAbout(part)]).toEqual([part, ['no_place']]);
    }
    expect(bundle.notesAbout('realm acme')).toEqual([
      ...['realm_setting registrationAllowed', 'set_up_mail', 'password_policy length(12)', 'new_signing_keys'],
      'session_lifetimes ssoSessionIdleTimeout=1800 ssoSessionMaxLifespan=36000 offlineSessionIdleTimeout=2592000',
    ]);
  });
});
