import { pbkdf2Sync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { convert } from '../support/convert.ts';
import { verifyScrypt } from '../support/verify-scrypt.ts';

const fixture = (name: string) => new URL(`fixtures/spring/${name}`, import.meta.url).pathname;
const bcrypt = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

describe('users of Spring Security', () => {
  let bundle: Awaited<ReturnType<typeof convert>>;
  beforeAll(async () => {
    bundle = await convert('spring', '--users', fixture('users.tsv'));
  });
  const hashOf = (username: string) => String(bundle.user(username)?.passwordHash);

  test('come from what mysql --batch prints, with their names as external ids and their authorities as groups', () => {
    expect(bundle.user('ann@example.com')).toEqual({
      ...{ kind: 'user', username: 'ann@example.com', userType: 'Person', enabled: true, externalId: 'ann' },
      ...{ email: 'ann@example.com', emailVerified: false, groups: ['ROLE_ADMIN', 'ROLE_USER'], passwordHash: bcrypt },
    });
    expect(bundle.groups).toEqual(['ROLE_USER', 'ROLE_ADMIN']);
    expect(bundle.user('dan@example.com')).toMatchObject({ enabled: false });
    expect(bundle.notesAbout('user jo@example.com')).toEqual(['needs_invitation']);
  });

  test.each([
    ['cid', 'pbkdf2-sha256', 310_000, 'sha256'],
    ['dan', 'pbkdf2-sha1', 185_000, 'sha1'],
  ])('bring the PBKDF2 of Spring in PHC form: %s', (name, form, iterations, digest) => {
    const [, id, parameters, salt = '', key = ''] = hashOf(`${name}@example.com`).split('$');
    expect([id, parameters]).toEqual([form, `i=${iterations}`]);
    const expected = Buffer.from(key, 'base64');
    const made = pbkdf2Sync('the password of Ann', Buffer.from(salt, 'base64'), iterations, expected.length, digest);
    expect(made).toEqual(expected);
  });

  test('bring scrypt in PHC form, argon2 and LDAP as they are, and clear text as a hash', () => {
    expect(hashOf('eva@example.com')).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$/);
    expect(verifyScrypt(hashOf('eva@example.com'), 'the password of Ann')).toBe(true);
    expect(hashOf('fay@example.com')).toMatch(/^\$argon2id\$v=19\$m=16384,t=2,p=1\$/);
    expect(hashOf('hal@example.com')).toBe('{SSHA}W7MZbPE4KDhYKdGfKQMUYIAe3Oh0vAhx');
    expect(hashOf('ned@example.com')).toBe('{MD5}X03MO1qnZdYdgyfeuILPmQ==');
    expect(verifyScrypt(hashOf('bob@example.com'), 'the password of Bob')).toBe(true);
    expect(bundle.text).not.toContain('the password of Bob');
  });

  test.each([
    ['gus', 'MD5'],
    ['max', 'MD5'],
    ['ida', 'no prefix'],
    ['kim', 'no prefix'],
    ['leo', 'noop'],
  ])('take no unknown hash for a password: %s', (name, problem) => {
    expect(bundle.user(`${name}@example.com`)).not.toHaveProperty('passwordHash');
    expect(bundle.notesAbout(`user ${name}@example.com`)).toEqual([`hash_not_known ${problem}`]);
  });
});

describe('clients of Spring', () => {
  test('come from oauth_client_details', async () => {
    const args = ['--clients', fixture('oauth_client_details.csv')];
    const { client, clientIds, notesAbout } = await convert('spring', ...args);
    expect(client('acme-web')).toEqual({
      ...{ kind: 'client', client_id: 'acme-web', client_name: 'Acme', client_secret_hash: bcrypt },
      ...{ scope: ['openid', 'profile'], authorized_grant_types: ['authorization_code', 'refresh_token', 'password'] },
      ...{ redirect_uri: 'https://acme.example.com/login/oauth2/code/acme', access_token_validity: 3600 },
    });
    expect(notesAbout('client acme-web').sort()).toEqual([
      ...['attribute team', 'make_it_a_resource acme-api', 'redirect_uri_not_possible http://acme.internal/cb'],
      ...['refresh_token_validity 86400', 'scope_of_a_resource orders:read'],
    ]);
    expect(verifyScrypt(String(client('acme-batch')?.client_secret_hash), 'the-secret-of-acme-batch')).toBe(true);
    expect(notesAbout('client acme-batch')).toEqual(['needs_robot ROLE_BATCH']);
    expect(client('acme-mobile')).toMatchObject({ require_consent: true, redirect_uri: 'com.acme.app:/cb' });
    expect(client('acme-mobile')).not.toHaveProperty('client_secret_hash');
    expect(notesAbout('client acme-mobile')).toEqual(['password_of_public_client', 'pkce_required']);
    expect(client('acme-legacy')).toMatchObject({ authorized_grant_types: ['password', 'refresh_token'] });
    expect(client('acme-legacy')).not.toHaveProperty('require_consent');
    expect(notesAbout('client acme-legacy')).toEqual(['consent_with_password']);
    expect(clientIds).not.toContain('acme admin');
    expect(notesAbout('client acme admin')).toEqual(['client_id_not_possible']);
  });

  test('have a secret without a prefix hashed where it is said to be clear text, else one that nobody knows', async () => {
    const args = ['spring', '--clients', fixture('oauth_client_details.csv')];
    const unsaid = await convert(...args);
    const said = await convert(...args, '--clear-text');
    const hashOf = ({ client }: typeof said) => String(client('acme-old')?.client_secret_hash);
    expect(verifyScrypt(hashOf(unsaid), 'the-secret-of-acme-old')).toBe(false);
    expect(unsaid.notesAbout('client acme-old')).toContain('hash_not_known no prefix');
    expect(verifyScrypt(hashOf(said), 'the-secret-of-acme-old')).toBe(true);
    expect(said.notesAbout('client acme-old')).toEqual(['access_token_validity 172800']);
  });

  test('come from oauth2_registered_client', async () => {
    const { client, notesAbout } = await convert('spring', '--clients', fixture('oauth2_registered_client.csv'));
    expect(client('messaging')).toEqual({
      ...{ kind: 'client', client_id: 'messaging', client_name: 'Messaging', client_secret_hash: bcrypt },
      scope: ['openid', 'profile'],
      authorized_grant_types: [
        ...['refresh_token', 'client_credentials', 'authorization_code'],
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      ...{ redirect_uri: 'https://messaging.example.com/login', access_token_validity: 900, require_consent: true },
      post_logout_redirect_uris: ['https://messaging.example.com/out'],
      ...{
        token_endpoint_auth_method: 'client_secret_basic',
        require_pkce: true,
        id_token_signed_response_alg: 'ES256',
      },
    });
    expect(notesAbout('client messaging')).toEqual([
      ...['scope_of_a_resource message.read', 'refresh_token_validity 604800', 'opaque_tokens'],
      ...['attribute settings.token.authorization-code-time-to-live', 'attribute team'],
    ]);
    expect(client('keyed')).toMatchObject({
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://keyed.example.com/jwks' },
      access_token_validity: 9000,
    });
    expect(notesAbout('client keyed')).toEqual([
      'attribute settings.client.token-endpoint-authentication-signing-algorithm',
    ]);
    expect(client('spa')).not.toHaveProperty('client_secret_hash');
    expect(client('spa')).not.toHaveProperty('client_name');
    expect(notesAbout('client lapsed')).toEqual([
      ...['needs_secret', 'secret_expires 2024-02-02T03:04:05.000Z', 'client_authentication client_secret_jwt'],
    ]);
    expect(verifyScrypt(String(client('lapsed')?.client_secret_hash), 'the-secret-that-lapsed')).toBe(false);
  });
});
