import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { statusListsPath } from '../src/config.ts';
import type { User } from '../src/users/user.ts';
import { createSigningKey, signJwt } from './support/key-server.ts';
import { authUrl, bearer, type Organization, startOrganization } from './support/organization.ts';

describe('a token that names a status list (Token Status List)', () => {
  let organization: Organization;
  let user: User;
  beforeAll(async () => {
    organization = await startOrganization('sqlite');
    user = await organization.addUser({ username: 'user@example.com' });
  });
  afterAll(() => organization.close());

  const uriOf = (name: string) => `${authUrl}${statusListsPath}${name}`;
  /** Publishes a list of eight tokens, of which these are revoked. */
  const publish = async (name: string, revoked: readonly number[], key = organization.signingKey) => {
    const bits = revoked.reduce((byte, idx) => byte | (1 << idx), 0);
    const lst = deflateSync(Buffer.from([bits])).toString('base64url');
    const now = organization.seconds();
    const claims = { iss: authUrl, sub: uriOf(name), iat: now, exp: now + 600, ttl: 300 };
    const list = await signJwt(key, { ...claims, status_list: { bits: 1, lst } }, { typ: 'statuslist+jwt' });
    organization.keyServer.lists.set(`${statusListsPath}${name}`, list);
  };
  const read = async (uri: string, idx: number) => {
    const token = await organization.accessToken(user, { status: { status_list: { idx, uri } } });
    const url = '/organization/api/organization/user/allDetails/userId/user@example.com';
    return (await organization.app.inject({ url, headers: bearer(token) })).statusCode;
  };

  it('is refused where the list, read at the address inside, revokes it', async () => {
    await publish('one', [3]);
    expect(await read(uriOf('one'), 3)).toBe(401);
    expect(await read(uriOf('one'), 4)).toBe(200);
  });

  it('is taken while its list cannot be had', async () => {
    expect(await read(uriOf('missing'), 3)).toBe(200);
  });

  it('is taken where the list stands elsewhere, or is of another key: neither is read', async () => {
    await publish('elsewhere', [3]);
    const { keyServer } = organization;
    expect(await read(new URL(`${statusListsPath}elsewhere`, keyServer.url).href, 3)).toBe(200);
    const { kid } = organization.signingKey;
    await publish('forged', [3], { ...(await createSigningKey()), kid });
    expect(await read(uriOf('forged'), 3)).toBe(200);
  });

  it('is refused within 31 seconds, however long the list says that it holds', async () => {
    await publish('changing', []);
    expect(await read(uriOf('changing'), 3)).toBe(200);
    await publish('changing', [3]);
    organization.time.now += 29_000;
    expect(await read(uriOf('changing'), 3)).toBe(200);
    organization.time.now += 2_001;
    expect(await read(uriOf('changing'), 3)).toBe(401);
  });
});
