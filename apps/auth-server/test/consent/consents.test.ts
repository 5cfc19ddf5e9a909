import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../src/clients/client.ts';
import { type Consents, createConsents, isConsentOpen } from '../../src/consent/consents.ts';
import { type GrantedResource, orgApiId } from '../../src/resources/granted-resource.ts';
import { createFindShownResource } from '../../src/resources/requested-access.ts';
import { buildClient, buildCode, buildRefreshToken, buildResource, start } from '../support/builders.ts';
import { createEnding } from '../support/status.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const asking = (scope: string[], userinfo: string[] = [], idToken: string[] = []) => ({
  scope,
  resources: undefined,
  claims: { userinfo, idToken },
});

describe.each(testDialects)('consent on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  let ending: ReturnType<typeof createEnding>;
  let consents: Consents;

  beforeAll(async () => {
    test = await openStores(dialect);
    now = start;
    const clock = () => now;
    ending = createEnding(test, { clock });
    const findShownResource = createFindShownResource(test);
    consents = createConsents({ ...test, findShownResource, revocations: ending.revocations, clock });
  });
  afterAll(() => test.close());

  const register = async (fields: Partial<Client> = {}) => {
    const client = buildClient({ metadata: { require_consent: true }, ...fields });
    expect(await test.clients.insert(client)).toBe(true);
    return client;
  };

  it('is asked for by third-party clients alone', async () => {
    const userId = createId();
    expect(await consents.isNeeded(await register(), userId, asking(['openid']))).toBe(true);
    for (const metadata of [{}, { require_consent: false }])
      expect(await consents.isNeeded(await register({ metadata }), userId, asking(['openid']))).toBe(false);
  });

  it('is asked for once, and again where more is wanted; what was allowed before stays allowed', async () => {
    const [client, userId] = [await register(), createId()];
    await consents.give(client, userId, asking(['openid', 'profile']));
    expect(await consents.isNeeded(client, userId, asking(['profile', 'openid']))).toBe(false);
    expect(await consents.isNeeded(client, userId, asking(['openid', 'email']))).toBe(true);
    now = start + 1_000;
    await consents.give(client, userId, asking(['email']));
    expect(await consents.isNeeded(client, userId, asking(['openid', 'profile', 'email']))).toBe(false);
    const [shown] = await consents.list(userId);
    expect(shown).toMatchObject({ scope: ['openid', 'profile', 'email'], grantedAt: start + 1_000 });
  });

  it('is about claims asked for by name too: each is allowed by its name, or by a scope that opens it', async () => {
    const [client, userId] = [await register(), createId()];
    await consents.give(client, userId, asking(['openid', 'email'], ['email', 'name'], ['given_name']));
    expect((await consents.list(userId))[0]).toMatchObject({
      scope: ['openid', 'email'],
      claims: ['name', 'given_name'],
    });
    const isNeeded = (...asked: Parameters<typeof asking>) => consents.isNeeded(client, userId, asking(...asked));
    expect(await isNeeded(['openid'], ['email', 'given_name'], ['name'])).toBe(false);
    expect(await isNeeded(['openid'], ['roles'])).toBe(true);
    expect(await isNeeded(['openid'], [], ['zoneinfo'])).toBe(true);
    expect(await isNeeded(['openid', 'roles'], ['roles'])).toBe(true);
    await consents.give(client, userId, asking(['openid'], ['roles']));
    expect(await isNeeded(['openid'], ['roles', 'name'])).toBe(false);
    expect(await isNeeded(['roles'])).toBe(true);
  });

  it('gives of what a client holds what was allowed, and nothing where that is no scope', async () => {
    const [client, userId] = [await register(), createId()];
    const held = asking(['openid', 'profile', 'roles'], ['email', 'roles', 'name'], ['email', 'locale']);
    expect(await consents.findAllowed(client, userId, held)).toBeUndefined();
    await consents.give(client, userId, asking(['email']));
    expect(await consents.findAllowed(client, userId, held)).toBeUndefined();
    await consents.give(client, userId, asking(['openid'], ['name']));
    expect(await consents.findAllowed(client, userId, held)).toEqual(asking(['openid'], ['email', 'name'], ['email']));
  });

  it('is of one user and one registration', async () => {
    const [client, userId] = [await register(), createId()];
    await consents.give(client, userId, asking(['openid']));
    expect(await consents.isNeeded(client, createId(), asking(['openid']))).toBe(true);
    expect(await test.clients.delete(client)).toBe(true);
    const later = await register({ clientId: client.clientId });
    expect(await consents.isNeeded(later, userId, asking(['openid']))).toBe(true);
  });

  it('is not shown for a later registration of the same client_id', async () => {
    const [client, userId] = [await register(), createId()];
    await consents.give(client, userId, asking(['openid']));
    expect(await test.clients.delete(client)).toBe(true);
    const later = await register({ clientId: client.clientId });
    expect(await consents.list(userId)).toEqual([]);
    await consents.give(later, userId, asking(['email']));
    expect(await consents.list(userId)).toMatchObject([{ registrationId: later.registrationId, scope: ['email'] }]);
  });

  it('is shown by the name that the client has now, and not once the client is gone', async () => {
    const userId = createId();
    const named = await register({ metadata: { require_consent: true, client_name: 'The App' } });
    const [nameless, deleted] = [await register(), await register()];
    for (const client of [named, nameless, deleted]) await consents.give(client, userId, asking(['openid']));
    await test.clients.delete(deleted);
    const names = (await consents.list(userId)).map(({ application }) => application.name);
    expect(names.sort()).toEqual(['The App', nameless.clientId].sort());
  });

  it('ends with everything the client holds for the user, or may yet redeem, where it is taken back', async () => {
    const [client, other, userId] = [await register(), await register(), createId()];
    const { registrationId } = client;
    await consents.give(client, userId, asking(['openid']));
    await consents.give(other, userId, asking(['openid']));
    const held = buildRefreshToken({ userId, registrationId });
    const code = buildCode({ userId, registrationId });
    const kept = [
      buildRefreshToken({ userId, registrationId: other.registrationId }),
      buildRefreshToken({ registrationId }),
    ];
    for (const token of [held, ...kept]) await test.refreshTokens.insert(token);
    await test.codes.insert(code);
    await consents.takeBack(userId, registrationId);
    expect(await consents.isNeeded(client, userId, asking(['openid']))).toBe(true);
    expect(await consents.isNeeded(other, userId, asking(['openid']))).toBe(false);
    for (const { grantId } of [held, code]) expect(await ending.revocations.isGrantEnded(grantId)).toBe(true);
    for (const { grantId } of kept) expect(await ending.revocations.isGrantEnded(grantId)).toBe(false);
  });

  const grant = (...names: string[]): GrantedResource => ({
    id: createId(),
    resource: 'https://api.example.com/',
    scopes: names.map((name) => ({ id: createId(), name })),
  });
  const ofOrgApi: GrantedResource = { id: orgApiId, resource: 'https://org.example.com', scopes: [] };
  const askingOf = (scope: string[], resources: GrantedResource[]) => ({ ...asking(scope), resources });

  it('is about resources too: each with its scopes, and what is left of a grant is what is allowed', async () => {
    const [client, userId] = [await register(), createId()];
    const [api, other, plain] = [grant('read', 'write'), grant('pay'), grant()];
    const half = { ...api, scopes: api.scopes.slice(0, 1) };
    await consents.give(client, userId, askingOf(['openid', 'read'], [ofOrgApi, half]));
    const isNeeded = (scope: string[], resources: GrantedResource[]) =>
      consents.isNeeded(client, userId, askingOf(scope, resources));
    expect([await isNeeded(['openid', 'read'], [ofOrgApi, half]), await isNeeded(['openid'], [other])]).toEqual([
      false,
      true,
    ]);
    expect(await isNeeded(['read', 'write'], [api])).toBe(true);
    const find = (scope: string[], resources: GrantedResource[]) =>
      consents.findAllowed(client, userId, askingOf(scope, resources));
    expect(await find(['openid', 'read', 'write', 'pay'], [ofOrgApi, api, other])).toMatchObject({
      ...{ scope: ['openid', 'read'], resources: [ofOrgApi, half] },
    });
    expect(await find(['pay'], [ofOrgApi, other])).toBeUndefined();
    expect(await find(['roles'], [ofOrgApi])).toBeUndefined();
    // A resource without scopes is allowed as a whole.
    await consents.give(client, userId, askingOf([], [plain]));
    expect(await find([], [plain])).toMatchObject({ scope: [], resources: [plain] });
  });

  it('is shown with the resources that are still there', async () => {
    const [client, userId] = [await register(), createId()];
    const resource = buildResource();
    await test.resources.insert(resource);
    const scopes = resource.scopes.map(({ id, name }) => ({ id, name }));
    const held = { id: resource.id, resource: resource.resource, scopes };
    await consents.give(
      client,
      userId,
      askingOf(
        scopes.map(({ name }) => name),
        [held, grant('gone')],
      ),
    );
    const [shown] = await consents.list(userId);
    expect(shown?.shown.map(({ name }) => name)).toEqual([resource.name]);
  });

  it('ends grants before it is deleted, and once more afterwards, for those that began meanwhile', async () => {
    const [client, userId] = [await register(), createId()];
    const steps: unknown[] = [];
    const revocations = {
      ...ending.revocations,
      endGrantsOf: async () => void steps.push((await test.consents.find(userId, client.registrationId)) !== undefined),
    };
    const own = createConsents({
      ...test,
      findShownResource: createFindShownResource(test),
      revocations,
      clock: () => now,
    });
    await own.give(client, userId, asking(['openid']));
    expect(await own.takeBack(userId, client.registrationId)).toMatchObject({ clientId: client.clientId });
    expect(steps).toEqual([true, false]);
  });

  it('is open where it is needed, where prompt=consent asks a third party’s users, and each time where nothing proves the client', async () => {
    const userId = createId();
    const isOpen = (client: Client, ...prompts: 'consent'[]) =>
      isConsentOpen(consents, client, userId, { ...asking(['openid']), prompts: new Set(prompts) });
    const third = await register();
    expect(await isOpen(third)).toBe(true);
    await consents.give(third, userId, asking(['openid']));
    expect([await isOpen(third), await isOpen(third, 'consent')]).toEqual([false, true]);
    const first = await register({ metadata: {} });
    expect([await isOpen(first), await isOpen(first, 'consent')]).toEqual([false, false]);
    const dynamic = { tokenHash: Buffer.alloc(32), initialToken: undefined, applicationType: undefined };
    const isOpenFor = async (redirect_uris: string[], fields: Partial<Client>) => {
      const metadata = { require_consent: true, redirect_uris };
      const client = await register({ redirectUri: 'https://a.example.com/cb', metadata, dynamic, ...fields });
      await consents.give(client, userId, asking(['openid']));
      return isOpen(client);
    };
    const nobodys = { secretHash: undefined };
    expect(await isOpenFor(['https://a.example.com/other'], nobodys)).toBe(false);
    expect(await isOpenFor(['https://b.example.com/'], nobodys)).toBe(true);
    expect(await isOpenFor([], { ...nobodys, redirectUri: 'http://127.0.0.1/cb' })).toBe(true);
    expect(await isOpenFor(['https://b.example.com/'], {})).toBe(false);
    expect(await isOpenFor(['https://b.example.com/'], { ...nobodys, dynamic: undefined })).toBe(false);
  });

  it.each(['', 'x', '%00', "' OR 1=1 --"])('is not taken back, nor is it an error, for the id %j', async (id) => {
    await expect(consents.takeBack(createId(), id)).resolves.toBeUndefined();
  });
});
