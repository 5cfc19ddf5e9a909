import { createId } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/clients/client.ts';
import type { OrganizationDirectory } from '../../src/organization/organization-directory.ts';
import { listExpiresAt } from '../../src/protocol/token-status.ts';
import { type AccessTokens, createAccessTokens } from '../../src/tokens/access-token.ts';
import { createFindActiveAccessToken, type FindActiveAccessToken } from '../../src/tokens/find-active-access-token.ts';
import { buildClient, buildGrant, buildUser, start } from '../support/builders.ts';
import { createEnding, issuer } from '../support/status.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const listId = 500_000;
const origin = { requestId: 'request-id', address: '192.0.2.1' };

describe.each(testDialects)('an access token is in force, on %s,', (dialect) => {
  let test: TestStores;
  let accessTokens: AccessTokens;
  let findActive: FindActiveAccessToken;
  let blocksAsked = 0;
  const users = new Map<string, DirectoryUser>();
  const clock = () => start;
  const findUserById = async (id: string) => users.get(id);
  const directory: Pick<OrganizationDirectory, 'findUserById' | 'findRecentUser'> = {
    findUserById,
    findRecentUser: async (id, suffices) => [users.get(id)].find((user) => user !== undefined && suffices(user)),
  };

  beforeAll(async () => {
    test = await openStores(dialect);
    const { signingKeys, revocations } = createEnding(test, { clock });
    await signingKeys.load();
    accessTokens = createAccessTokens({ signingKeys, issuer, orgApiUri: 'https://api.example.com', clock });
    const { clients } = test;
    const statuses: Pick<typeof test.statuses, 'findRegistration'> = {
      findRegistration(status) {
        blocksAsked += 1;
        return test.statuses.findRegistration(status);
      },
    };
    findActive = createFindActiveAccessToken({
      accessTokens,
      revocations,
      clients,
      statuses,
      directory: directory as OrganizationDirectory,
    });
  });
  afterAll(() => test.close());

  /** A token that no list names as revoked, whatever became of its client and its user. */
  const issue = async (client: Client, { at = start } = {}) => {
    await test.clients.insert(client);
    const user = buildUser();
    users.set(user.id, user);
    const { registrationId, tokenGeneration: generation } = client;
    const block = { listId, registrationId, generation, size: 16, expiresAt: listExpiresAt(listId) };
    const status = { listId, index: (await test.statuses.reserve(block)) + 7 };
    const grant = buildGrant({ client, user, status, grantId: createId() });
    return { user, token: accessTokens.issue(grant, at / 1000) };
  };
  const isActive = async (token: string) => (await findActive(token, origin)) !== undefined;

  it('with its client and its user', async () => {
    const client = buildClient();
    const { token, user } = await issue(client);
    expect(await findActive(token, origin)).toEqual({ claims: await accessTokens.verify(token), client, user });
  });

  it('no longer than its client is registered', async () => {
    const client = buildClient();
    const { token } = await issue(client);
    expect(await isActive(token)).toBe(true);
    await test.clients.delete(client);
    expect(await isActive(token)).toBe(false);
  });

  it.each<[string, number]>([
    ['in a later second', 1_000],
    ['in a later minute', 60_000],
    ['in the same second', 1],
    ['in the same millisecond', 0],
    ['by a replica whose clock is late', -5_000],
  ])('not for a client of the same client_id that was registered %s', async (_when, later) => {
    const client = buildClient();
    const { token } = await issue(client);
    await test.clients.delete(client);
    const createdAt = start + later;
    const other = buildClient({ clientId: client.clientId, createdAt, updatedAt: createdAt });
    const { token: another } = await issue(other, { at: start + Math.max(later, 0) });
    expect(await isActive(token)).toBe(false);
    expect(await isActive(another)).toBe(true);
  });

  it('by one statement about its block, however often it is used around the registration of its client', async () => {
    const { token } = await issue(buildClient());
    const before = blocksAsked;
    for (let use = 0; use < 3; use += 1) expect(await isActive(token)).toBe(true);
    expect(blocksAsked - before).toBe(1);
  });

  it.each([
    [10_000, 1],
    [10_001, 0],
  ])('%i ms after the registration of its client, by %i statements about its block', async (age, statements) => {
    const registered = start - age;
    const { token } = await issue(buildClient({ createdAt: registered, updatedAt: registered }));
    const before = blocksAsked;
    expect(await isActive(token)).toBe(true);
    expect(blocksAsked - before).toBe(statements);
  });

  it('in the second in which its client is registered, also by a replica whose clock is late', async () => {
    const client = buildClient({ createdAt: start + 999, updatedAt: start + 999 });
    expect(await isActive((await issue(client)).token)).toBe(true);
    const ahead = buildClient({ createdAt: start + 5_000, updatedAt: start + 5_000 });
    expect(await isActive((await issue(ahead)).token)).toBe(true);
  });

  it('for as long as it lives, long after its client was registered', async () => {
    const { token } = await issue(buildClient({ createdAt: start - 10_001, updatedAt: start - 10_001 }));
    expect(await isActive(token)).toBe(true);
  });

  it('until its client has another token generation, and at once where it is of that one', async () => {
    const client = buildClient();
    const { token } = await issue(client);
    expect(await isActive(token)).toBe(true);
    const changed = { ...client, tokenGeneration: 1, updatedAt: start + 1 };
    // Another replica changes it: here the client is remembered as it was.
    await test.onReplica.clients.update(changed, client.updatedAt);
    const { token: next } = await issue(changed);
    expect(await isActive(next)).toBe(true);
    await test.clients.update({ ...changed, updatedAt: start + 2 }, start + 1);
    expect(await isActive(token)).toBe(false);
    expect(await isActive(next)).toBe(true);
  });

  it('until its user has another password, is disabled or is gone', async () => {
    const { token, user } = await issue(buildClient());
    for (const after of [{ passwordChangedAt: start }, { enabled: false }, undefined]) {
      expect(await isActive(token)).toBe(true);
      if (after === undefined) users.delete(user.id);
      else users.set(user.id, { ...user, ...after });
      expect(await isActive(token)).toBe(false);
      users.set(user.id, user);
    }
  });

  it('for who decides by the state of its user, also where that is disabled, but not with another password', async () => {
    const { token, user } = await issue(buildClient());
    const find = () => findActive(token, origin, { disabledUser: true });
    users.set(user.id, { ...user, enabled: false });
    expect(await find()).toMatchObject({ user: { id: user.id, enabled: false } });
    users.set(user.id, { ...user, passwordChangedAt: start });
    expect(await find()).toBeUndefined();
    users.delete(user.id);
    expect(await find()).toBeUndefined();
  });
});
