import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createTestBrowser, quickestDialect } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest } from '../support/browser.ts';
import { withinOneSecond } from '../support/organization.ts';
import { type Realm, startRealm, webClient } from '../support/realm.ts';

const hour = 3_600_000;

describe(`an org-api that does not know its settings any more (on ${quickestDialect})`, () => {
  let realm: Realm;
  /** Of a release that has no such question. */
  let older: Server;

  beforeEach(async () => {
    realm = await startRealm();
    await realm.register(webClient);
    expect((await visit('/account')).status).toBe(200);
    await realm.stopOrganization();
    older = createServer((request, response) => {
      request.resume();
      response.writeHead(404).end();
    });
    older.listen(Number(new URL(realm.orgUrl).port), '127.0.0.1');
    await once(older, 'listening');
  });
  afterEach(async () => {
    older.closeAllConnections();
    older.close();
    await realm.close();
  });

  const visit = (path: string) => createTestBrowser().get(realm.url + path);
  const offersPasskeys = async () => {
    const { text } = await visit(authorizePath({ ...codeRequest, client_id: webClient.client_id }));
    expect(text).toContain('name="password"');
    return text.includes('id="webauthn"');
  };

  it('is out of reach for a day, so that a rollback takes no second step away unseen, and then offers none', async () => {
    for (const hours of [1, 22]) {
      realm.advance(hours * hour);
      expect([(await visit('/account')).status, await offersPasskeys(), await offersPasskeys()]).toEqual([
        503,
        true,
        true,
      ]);
    }
    realm.advance(2 * hour);
    expect((await visit('/account')).status).toBe(503);
    await withinOneSecond(async () => expect(await offersPasskeys()).toBe(false));
  });
});
