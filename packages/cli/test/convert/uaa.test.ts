import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { convert } from '../support/convert.ts';
import { verifyScrypt } from '../support/verify-scrypt.ts';

const fixtures = new URL('fixtures/uaa', import.meta.url).pathname;
const table = (name: string) => join(fixtures, `${name}.csv`);
const all = ['clients', 'users', 'groups', 'members', 'providers'].flatMap((name) => [`--${name}`, table(name)]);
const [first, second] = [
  '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  '$2a$10$3euPcmQFCiblsZeEu5s7p.9OVHgeHWFDk9nhMqZ0m/3pd/lhwZgES',
];

describe('tables of UAA', () => {
  let bundle: Awaited<ReturnType<typeof convert>>;
  beforeAll(async () => {
    bundle = await convert('uaa', ...all);
  });

  test('bring users with ids, hashes without their prefix, and groups at any depth', () => {
    expect(bundle.head.source).toEqual({ product: 'uaa', realm: 'uaa' });
    expect(bundle.user('marissa@test.org')).toEqual({
      ...{ kind: 'user', id: '7b0e6d6a-6d2f-4d2c-9d61-0d5c6d1f7a10', username: 'marissa@test.org', userType: 'Person' },
      ...{ enabled: true, firstName: 'Marissa', lastName: 'Bloggs, Jr.', phoneNumber: '+41446681800' },
      ...{ email: 'marissa@test.org', emailVerified: true, groups: ['it', 'staff'], passwordHash: first },
      createdAt: '2015-03-04T05:06:07.000Z',
    });
    expect(bundle.groups).toEqual(['staff', 'it']);
    expect(bundle.text).toContain('{"kind":"group","name":"staff"}\n');
    expect(bundle.text).toContain('{"kind":"group","name":"it","description":"People of IT"}\n');
    expect(bundle.user('rosa@test.org')).toMatchObject({ externalId: 'not-a-uuid' });
    expect(bundle.user('rosa@test.org')).not.toHaveProperty('passwordHash');
    expect(bundle.notesAbout('user rosa@test.org')).toEqual(['hash_not_known no prefix', 'id_not_kept not-a-uuid']);
  });

  test('bring users from elsewhere with an identity and without a password; a name stays with who has it here', () => {
    expect(bundle.user('otto@test.org')).toMatchObject({
      identities: [{ issuer: 'https://corp.example.com', subject: 'o-77' }],
    });
    expect(bundle.user('otto@test.org')).not.toHaveProperty('passwordHash');
    expect(bundle.notesAbout('user quinn@test.org')).toEqual(['identity_without_issuer ldap']);
    expect(bundle.notesAbout('user marissa@test.org')).toEqual(['username_taken origin ldap']);
    expect(bundle.text).not.toContain('hidden');
  });

  test('bring no password that its user must change', () => {
    expect(bundle.user('paul@test.org')).toMatchObject({ enabled: false });
    expect(bundle.user('paul@test.org')).not.toHaveProperty('passwordHash');
    expect(bundle.notesAbout('user paul')).toEqual(['needs_invitation passwd_change_required']);
  });

  test('bring one zone', async () => {
    expect(bundle.usernames).not.toContain('zoe@test.org');
    expect(bundle.clientIds).not.toContain('elsewhere');
    const other = await convert('uaa', ...all, '--zone', 'zone-2');
    expect(other.usernames).toEqual(['zoe@test.org']);
    expect(other.clientIds).toEqual(['elsewhere']);
    expect(other.groups).toEqual(['other zone']);
    expect(other.client('elsewhere')).toMatchObject({ require_consent: true, client_secret_hash: first });
  });

  test('bring the newer of two secrets, the older as the one before, and the only group that a client demands', async () => {
    expect(bundle.clientIds).not.toContain('portal');
    expect(bundle.notesAbout('client portal')).toContain('redirect_uri_wildcard https://*.portal.example.com/**');
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-uaa-'));
    const file = join(folder, 'wildcards.json');
    writeFileSync(
      file,
      JSON.stringify({ portal: { 'https://*.portal.example.com/**': ['https://a.portal.example.com/cb'] } }),
    );
    const { client, notesAbout } = await convert('uaa', ...all, '--expand-wildcards', file);
    rmSync(folder, { recursive: true });
    expect(client('portal')).toEqual({
      ...{ kind: 'client', client_id: 'portal', client_name: 'Portal', scope: ['openid', 'profile'] },
      ...{ client_secret_hash: second, previous_client_secret_hash: first, access_token_validity: 43_200 },
      authorized_grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      ...{ redirect_uri: 'https://portal.example.com/login', redirect_uris: ['https://a.portal.example.com/cb'] },
      allowed_groups: ['staff'],
    });
    expect(notesAbout('client portal').sort()).toEqual([
      ...['attribute allowedproviders', 'needs_robot uaa.resource', 'refresh_token_validity 2592000'],
      'scope_of_a_resource cloud_controller.read',
    ]);
  });

  test('bring public clients, those with keys, and none that demands several groups at once', () => {
    expect(bundle.client('cf')).toEqual({
      ...{ kind: 'client', client_id: 'cf', scope: ['openid'], authorized_grant_types: ['implicit', 'refresh_token'] },
      redirect_uri: 'http://localhost:8080/cb',
    });
    expect(bundle.notesAbout('client cf')).toEqual(['password_of_public_client', 'scope_of_a_resource uaa.user']);
    expect(bundle.client('keyed')).toMatchObject({
      ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'EC', kid: '1' }] } },
    });
    expect(bundle.client('batch')).toMatchObject({
      authorized_grant_types: ['client_credentials'],
      scope: ['profile'],
    });
    expect(bundle.notesAbout('client batch')).toEqual([
      ...['grant_type urn:ietf:params:oauth:grant-type:saml2-bearer', 'needs_robot scim.read scim.write'],
    ]);
    expect(bundle.clientIds).not.toContain('strict');
    expect(bundle.notesAbout('client strict')).toEqual(['required_user_groups staff it']);
  });

  test('have passwords and both secrets without a prefix hashed where they are said to be clear text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-uaa-'));
    const [users, clients] = ['users.csv', 'clients.csv'].map((name) => join(folder, name)) as [string, string];
    writeFileSync(users, 'id,username,password,origin\n1,rosa@test.org,the password of Rosa,uaa\n');
    writeFileSync(
      clients,
      'client_id,client_secret,authorized_grant_types\nold,the-older the-newer,client_credentials\n',
    );
    const args = ['uaa', '--users', users, '--clients', clients];
    const [unsaid, said] = [await convert(...args), await convert(...args, '--clear-text')];
    rmSync(folder, { recursive: true });
    expect(unsaid.notesAbout('user rosa@test.org')).toContain('hash_not_known no prefix');
    expect(unsaid.notesAbout('client old')).toContain('hash_not_known no prefix');
    expect(verifyScrypt(String(said.user('rosa@test.org')?.passwordHash), 'the password of Rosa')).toBe(true);
    const { client_secret_hash: newer, previous_client_secret_hash: older } = said.client('old') ?? {};
    expect(verifyScrypt(String(newer), 'the-newer')).toBe(true);
    expect(verifyScrypt(String(older), 'the-older')).toBe(true);
    expect(said.text).not.toMatch(/Rosa|the-newer|the-older/);
  });

  test.each([
    [[], 'name the tables'],
    [['--users', table('users'), '--groups', table('groups')], '--groups and --members come together'],
  ])('take %j for wrong usage', async (args, text) => {
    await expect(convert('uaa', ...args)).rejects.toThrow(text);
  });

  test('are refused without a column that is needed, by its name', async () => {
    await expect(convert('uaa', '--users', table('groups'))).rejects.toThrow(
      `${table('groups')} has no column username`,
    );
  });
});
