import { beforeAll, describe, expect, test } from '@jest/globals';
import { convert } from '../support/convert.ts';

const folder = new URL('fixtures/keycloak', import.meta.url).pathname;

describe('users of Keycloak', () => {
  let bundle: Awaited<ReturnType<typeof convert>>;
  beforeAll(async () => {
    bundle = await convert('keycloak', folder);
  });

  test('keep their ids, names and dates; the bundle says where it is from, and its owner alone reads it', () => {
    expect(bundle.head).toMatchObject({
      ...{ kind: 'bundle', version: 1, source: { product: 'keycloak', version: '26.5.6', realm: 'acme' } },
    });
    expect(bundle.mode).toBe(0o600);
    expect(bundle.user('ursula@example.com')).toMatchObject({
      ...{ id: 'ac6a0af2-a0c4-49d2-847b-9ba21154cb49', userType: 'Person', enabled: true, firstName: 'Ursula' },
      ...{ lastName: 'K', email: 'ursula@example.com', emailVerified: true, locale: 'de' },
      ...{ createdAt: '2026-11-27T15:04:50.170Z', phoneNumber: '+41446681800', phoneNumberVerified: true },
      address: { locality: 'Zurich' },
    });
    expect(bundle.notesAbout('attribute department')).toEqual(['no_place 1 user']);
    expect(bundle.notesAbout('member website')).toEqual(['value_not_possible 1 user']);
  });

  test('bring Argon2 in PHC form, and PBKDF2 with a key of the length that its value has', () => {
    expect(bundle.user('ursula@example.com')?.passwordHash).toBe(
      '$argon2id$v=19$m=7168,t=5,p=1$TOd2IRIjHR4HVcakOWiA7A$QfYeX4mCDQhSiOjn0A+NJ5kg181OzqrEB7NBXdO8oFQ',
    );
  });

  test('bring PBKDF2 by a name at a domain, and no hash that is not known here', async () => {
    const named = await convert('keycloak', folder, '--usernames', 'domain:acme.example');
    const key = Buffer.from(Array.from({ length: 64 }, (_, index) => index))
      .toString('base64')
      .replace(/=+$/, '');
    expect(named.user('dora@acme.example')?.passwordHash).toBe(`$pbkdf2-sha256$i=27500$c2FsdHNhbHRzYWx0c2FsdA$${key}`);
    expect(named.user('emil@acme.example')).not.toHaveProperty('passwordHash');
    expect(named.notesAbout('user emil')).toEqual(['hash_not_known bcrypt']);
    expect(named.user('carl@acme.example')).toMatchObject({ enabled: false });
    expect(named.usernames).toContain('service-account-keyed@acme.example');
    expect(named.usernames).toContain('ursula@example.com');
  });

  test('have their address as a name where the name is none, never the name of another, and of two the one that is verified', () => {
    expect(bundle.user('ben@example.com')).toMatchObject({ firstName: 'Ben' });
    expect(bundle.notesAbout('user gustav')).toEqual(['username_taken ursula@example.com']);
    expect(bundle.user('shared@example.com')?.id).toBe('1b6d5a1e-5b8c-4c54-9a6e-0d5c6d1f7a10');
    expect(bundle.notesAbout('user emil')).toEqual(['address_shared Shared@Example.com']);
    expect(bundle.notesAbout('user carl')).toEqual(['no_username']);
    expect(new Set(bundle.usernames).size).toBe(bundle.usernames.length);
  });

  test('who must set a password come without one', () => {
    expect(bundle.user('ben@example.com')).not.toHaveProperty('passwordHash');
    expect(bundle.notesAbout('user ben')).toEqual(['needs_invitation UPDATE_PASSWORD']);
    expect(bundle.notesAbout('required action CONFIGURE_TOTP')).toEqual(['no_place 1 user']);
  });

  test('with an id that is no UUID keep it as external id', () => {
    expect(bundle.user('frieda@example.com')).toMatchObject({ externalId: 'f:4a1c:frieda' });
    expect(bundle.user('frieda@example.com')).not.toHaveProperty('id');
    expect(bundle.notesAbout('user frieda@example.com')).toEqual([
      ...['needs_invitation no password', 'id_not_kept f:4a1c:frieda'],
      'administrator_there realm-management:realm-admin realm-management:manage-users',
    ]);
  });

  test('are in groups of paths and all around them, of roles, and of what the roles are composed of', () => {
    expect(bundle.user('ursula@example.com')?.groups).toEqual([
      ...['role:clerk', 'role:manager', 'role:member', 'shop:admin', 'shop:buyer', 'staff', 'staff/it'],
    ]);
    expect(bundle.groups).toEqual([
      ...['empty', 'staff', 'staff/it', 'staff/it/ops/night'],
      ...['role:member', 'role:manager', 'role:clerk', 'shop:admin', 'shop:buyer'],
    ]);
    expect(bundle.notesAbout('group Staff')).toEqual(['same_group staff']);
    expect(bundle.notesAbout('group /gone')).toEqual(['no_such_group 1 user']);
    expect(bundle.notesAbout('group staff/it')).toEqual(['group_attributes']);
  });

  test('of service accounts are Robots, without methods', () => {
    const robot = bundle.user('service-account-keyed@robots.invalid');
    expect(robot).toMatchObject({ userType: 'Robot', groups: ['role:clerk'] });
    expect(robot).not.toHaveProperty('email');
  });

  test('bring the key of their code app as Base32, from text and from Base32', async () => {
    // "hello secret of otp" in Base32.
    expect(bundle.user('ursula@example.com')?.codeApp).toEqual({ secret: 'NBSWY3DPEBZWKY3SMV2CA33GEBXXI4A' });
    const named = await convert('keycloak', folder, '--usernames', 'domain:acme.example');
    expect(named.user('carl@acme.example')?.codeApp).toEqual({ secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' });
    expect(named.notesAbout('user gustav')).toEqual([
      ...['code_app_not_possible totp HmacSHA256 8 30', 'identity_without_issuer microsoft'],
    ]);
    expect(named.notesAbout('credential recovery-authn-codes')).toEqual(['no_place 1 user']);
  });

  test('bring passkeys of a known domain, with the user handle that their authenticator has', async () => {
    const key = { counter: 3, rpId: 'example.com', publicKey: 'pQECAyYgASFYIGNjY2M', name: 'key' };
    const userHandle = Buffer.from('ac6a0af2-a0c4-49d2-847b-9ba21154cb49').toString('base64url');
    const passkeys = [{ ...key, credentialId: '----____aGVsbG8', userHandle }];
    expect(bundle.user('ursula@example.com')?.passkeys).toEqual(passkeys);
    expect(bundle.notesAbout('user ursula@example.com')).toEqual(['passkey_domain_unknown pass']);
    const { user } = await convert('keycloak', folder, '--rp-id', 'acme.example');
    expect(user('ursula@example.com')?.passkeys).toMatchObject([
      { name: 'key', rpId: 'example.com' },
      { name: 'pass', rpId: 'acme.example', credentialId: 'AAAAaGVsbG8' },
    ]);
  });

  test('bring identities of providers whose issuer is known', async () => {
    expect(bundle.user('ben@example.com')?.identities).toEqual([
      { issuer: 'https://accounts.google.com', subject: '1234' },
    ]);
    const { user } = await convert('keycloak', folder, '--usernames', 'domain:acme.example');
    expect(user('gustav@acme.example')?.identities).toEqual([{ issuer: 'https://corp.example.com', subject: 'u-9' }]);
  });
});
