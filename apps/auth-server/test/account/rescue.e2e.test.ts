import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsKey, runServiceScript, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, useAccounts } from '../support/account.ts';
import { createRecovery } from '../support/mailed-links.ts';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('an administrator who is locked out, rescued by “methods reset” on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let accounts: Accounts;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    accounts = await useAccounts(realm);
  });
  afterAll(() => realm.close());

  const rescue = async (username: string): Promise<string> => {
    const env = { DATABASE_URL: realm.orgDatabaseUrl, CREDENTIALS_KEY: credentialsKey, AUTH_URL: realm.authUrl };
    const { code, output } = await runServiceScript('org-api', 'methods', env, ['reset', username]);
    expect([code, output]).toEqual([0, expect.stringContaining('/account/link?token=')]);
    return output.trim().split('\n').at(-1) ?? '';
  };

  it('chooses a new password by the link, while the services run', async () => {
    const visitor = await accounts.signIn({ roles: ['SystemAdministrator'] });
    const { username } = visitor.user;
    const { authenticator } = await accounts.addPasskey(visitor);
    await accounts.addCodeApp(visitor);
    const client = await accounts.registerClient();
    const tokens = await accounts.obtainTokens(visitor, client, 'openid offline_access');
    const link = await rescue(username);

    expect(await visitor.isSignedIn()).toBe(false);
    // What was withdrawn counts within a second.
    await sleep(1_000);
    expect(await accounts.isRefreshed(client, tokens)).toBe(false);
    const stranger = accounts.visit(visitor.user);
    expect((await stranger.signInByPasskey(authenticator)).status).toBe(400);
    expect((await stranger.signIn()).status).toBe(400);

    const password = 'the password after the rescue';
    const rescued = accounts.visit({ username, password });
    const answer = await createRecovery(realm, undefined as never).use(link, { password }, rescued.browser);
    expect(answer.status).toBe(303);
    expect(await rescued.isSignedIn()).toBe(true);
    expect((await realm.send('/sessions', { basic: [username, password] })).status).toBe(200);
    expect((await rescued.browser.get(link)).status).toBe(404);
  });
});
