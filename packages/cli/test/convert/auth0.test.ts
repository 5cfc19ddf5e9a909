import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { convert } from '../support/convert.ts';
import { verifyScrypt } from '../support/verify-scrypt.ts';

const fixture = (name: string) => new URL(`fixtures/auth0/${name}`, import.meta.url).pathname;
const users = ['--users', fixture('users.ndjson')];

describe('exports of Auth0', () => {
  let bundle: Awaited<ReturnType<typeof convert>>;
  beforeAll(async () => {
    bundle = await convert(
      'auth0',
      ...users,
      '--hashes',
      fixture('hashes.ndjson'),
      '--clients',
      fixture('clients.json'),
    );
  });

  test('bring users with their ids as external ids, their hashes, and accounts elsewhere', () => {
    expect(bundle.user('ursula@example.com')).toEqual({
      ...{ kind: 'user', username: 'ursula@example.com', userType: 'Person', enabled: true, firstName: 'Ursula' },
      ...{ lastName: 'K', nickname: 'uschi', picture: 'https://pictures.example.com/u.png' },
      ...{ email: 'ursula@example.com', emailVerified: true, externalId: 'auth0|5dea9f9c82dd7c0e76e4ec93' },
      passwordHash: '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
      identities: [{ issuer: 'https://accounts.google.com', subject: '1234' }],
      createdAt: '2019-12-06T18:36:12.412Z',
    });
    expect(bundle.user('euclid@example.com')).toMatchObject({
      ...{ enabled: false, externalId: 'auth0|euclid', passwordHash: expect.stringMatching(/^\$2b\$10\$3euP/) },
    });
    expect(bundle.user('octo@example.com')).toMatchObject({ emailVerified: true, firstName: 'Octo' });
    expect(bundle.notesAbout('user github|77')).toEqual([
      'identity_without_issuer github',
      'needs_invitation no password',
    ]);
    expect(bundle.notesAbout('app_metadata plan')).toEqual(['no_place 1 user']);
    expect(bundle.notesAbout('multifactor guardian')).toEqual(['no_place 1 user']);
  });

  test('give an address that two users have to the one who proved it, and a name of their own to nobody without an address', async () => {
    expect(bundle.notesAbout('user auth0|second')).toEqual(['address_shared Ursula@Example.com']);
    expect(bundle.notesAbout('user sms|1')).toEqual(['no_username']);
    const named = await convert('auth0', ...users, '--usernames', 'domain:acme.example');
    expect(named.usernames).toContain('euclid@acme.example');
    expect(named.usernames).toContain('ursula@example.com');
    expect(named.notesAbout('user auth0|euclid')).toEqual(['needs_invitation no password']);
  });

  test('bring clients', () => {
    const { client_secret_hash: hash, ...members } = bundle.client('webAppId') ?? {};
    expect(members).toEqual({
      ...{ kind: 'client', client_id: 'webAppId', client_name: 'Web app' },
      scope: ['openid', 'profile', 'email', 'offline_access'],
      authorized_grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      ...{ redirect_uri: 'https://web.example.com/cb', redirect_uris: ['https://web.example.com/other'] },
      post_logout_redirect_uris: ['https://web.example.com/out'],
      ...{ token_endpoint_auth_method: 'client_secret_post', logo_uri: 'https://web.example.com/logo.png' },
      ...{ initiate_login_uri: 'https://web.example.com/login', backchannel_logout_uri: 'https://web.example.com/bcl' },
    });
    expect(verifyScrypt(String(hash), 'the secret of the web app')).toBe(true);
    expect(bundle.notesAbout('client webAppId').sort()).toEqual([
      ...['addon samlp', 'attribute team', 'grant_type http://auth0.com/oauth/grant-type/password-realm'],
      'needs_resource',
    ]);
    expect(bundle.client('spaId')).not.toHaveProperty('client_secret_hash');
    expect(bundle.client('spaId')).toMatchObject({ require_consent: true, redirect_uri: 'http://localhost:3000' });
    expect(bundle.notesAbout('client keyedId').sort()).toEqual(['needs_key', 'needs_resource', 'needs_secret']);
    expect(bundle.clientIds).not.toContain('tenant');
  });

  test('name the line that is no JSON, and the field that every user needs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-auth0-'));
    const file = join(folder, 'users.ndjson');
    writeFileSync(file, '{"user_id":"auth0|1","email":"a@example.com"}\n{"user_id":\n');
    await expect(convert('auth0', '--users', file)).rejects.toThrow(`${file}:2 is no JSON`);
    writeFileSync(file, '{"email":"a@example.com"}\n');
    await expect(convert('auth0', '--users', file)).rejects.toThrow('has no user_id in its first line');
    rmSync(folder, { recursive: true });
    await expect(convert('auth0')).rejects.toThrow('--users names the export of users');
  });
});
