import { createId } from '@gatehouse/service-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../src/clients/client.ts';
import { type Consents, createConsents } from '../src/consent/consent.ts';
import { buildClient, buildCode, buildRefreshToken, start } from './support/builders.ts';
import { createEnding } from './support/status.ts';
import { openStores, type TestStores } from './support/stores.ts';

describe('consent', () => {
  let test: TestStores;
  let now = start;
  let ending: ReturnType<typeof createEnding>;
  let consents: Consents;

  beforeAll(async () => {
    test = await openStores('sqlite');
    const clock = () => now;
    ending = createEnding(test, { clock });
    consents = createConsents({ ...test, revocations: ending.revocations, clock });
  });
  afterAll(() => test.close());

  const register = async (fields: Partial<Client> = {}) => {
    const client = buildClient({ metadata: { require_consent: true }, ...fields });
    expect(await test.clients.insert(client)).toBe(true);
    return client;
  };

  it('is asked for by third-party clients alone', async () => {
    const userId = createId();
    expect(await consents.isNeeded(await register(), userId, ['openid'])).toBe(true);
    for (const metadata of [{}, { require_consent: false }])
      expect(await consents.isNeeded(await register({ metadata }), userId, ['openid'])).toBe(false);
  });

  it('is asked for once, and again where more is wanted; what was allowed before stays allowed', async () => {
    const [client, userId] = [await register(), createId()];
    await consents.give(client, userId, ['openid', 'profile']);
    expect(await consents.isNeeded(client, userId, ['profile', 'openid'])).toBe(false);
    expect(await consents.isNeeded(client, userId, ['openid', 'email'])).toBe(true);
    now = start + 1_000;
    await consents.give(client, userId, ['email']);
    expect(await consents.isNeeded(client, userId, ['openid', 'profile', 'email'])).toBe(false);
    const [shown] = await consents.list(userId);
    expect(shown).toMatchObject({ scope: ['openid', 'profile', 'email'], grantedAt: start + 1_000 });
  });

  it('is of one user and one registration', async () => {
    const [client, userId] = [await register(), createId()];
    await consents.give(client, userId, ['openid']);
    expect(await consents.isNeeded(client, createId(), ['openid'])).toBe(true);
    expect(await test.clients.delete(client)).toBe(true);
    const later = await register({ clientId: client.clientId });
    expect(await consents.isNeeded(later, userId, ['openid'])).toBe(true);
  });

  it('is shown by the name that the client has now, and not once the client is gone', async () => {
    const userId = createId();
    const named = await register({ metadata: { require_consent: true, client_name: 'The App' } });
    const [nameless, deleted] = [await register(), await register()];
    for (const client of [named, nameless, deleted]) await consents.give(client, userId, ['openid']);
    await test.clients.delete(deleted);
    const names = (await consents.list(userId)).map(({ application }) => application);
    expect(names.sort()).toEqual(['The App', nameless.clientId].sort());
  });

  it('ends with everything the client holds for the user, or may yet redeem, where it is taken back', async () => {
    const [client, other, userId] = [await register(), await register(), createId()];
    const { registrationId } = client;
    await consents.give(client, userId, ['openid']);
    await consents.give(other, userId, ['openid']);
    const held = buildRefreshToken({ userId, registrationId });
    const code = buildCode({ userId, registrationId });
    const kept = [
      buildRefreshToken({ userId, registrationId: other.registrationId }),
      buildRefreshToken({ registrationId }),
    ];
    for (const token of [held, ...kept]) await test.refreshTokens.insert(token);
    await test.codes.insert(code);
    await consents.takeBack(userId, registrationId);
    expect(await consents.isNeeded(client, userId, ['openid'])).toBe(true);
    expect(await consents.isNeeded(other, userId, ['openid'])).toBe(false);
    for (const { grantId } of [held, code]) expect(await ending.revocations.isGrantEnded(grantId)).toBe(true);
    for (const { grantId } of kept) expect(await ending.revocations.isGrantEnded(grantId)).toBe(false);
  });

  it.each(['', 'x', '%00', "' OR 1=1 --"])('is not taken back, nor is it an error, for the id %j', async (id) => {
    await expect(consents.takeBack(createId(), id)).resolves.toBeUndefined();
  });
});
