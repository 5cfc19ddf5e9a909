import { createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Realm } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';
import { playUpstream, type UpstreamPlay } from '../support/upstream-play.ts';
import { startUpstreamServer, type UpstreamServer } from '../support/upstream-server.ts';

const second = 1_000;
const day = 86_400 * second;
const metadataPath = '/.well-known/openid-configuration';

describe.each(testDialects)('the metadata of an upstream on %s', (dialect) => {
  let realm: Realm;
  let server: UpstreamServer;
  let play: UpstreamPlay;

  beforeAll(async () => {
    [realm, server] = await Promise.all([startRealmOn(dialect), startUpstreamServer()]);
    play = await playUpstream(realm, server);
  });
  afterAll(async () => {
    server.close();
    await realm.close();
  });
  beforeEach(() => play.register());

  /** The path at the upstream to which its button leads; undefined where it leads nowhere. */
  const leadsTo = async () => {
    const { status, headers } = await createTestBrowser().get(play.startPage({ upstream: 'corp' }));
    return status === 303 ? new URL(String(headers.location)).pathname : undefined;
  };
  const move = (path: string) => {
    server.said.metadata = { authorization_endpoint: `${server.issuer}${path}` };
  };

  it('count as long as their answer says', async () => {
    server.said.cacheControl = 'max-age=600';
    expect(await leadsTo()).toBe('/authorize');
    move('/moved');
    realm.advance(540 * second);
    expect(await leadsTo()).toBe('/authorize');
    realm.advance(60 * second);
    expect(await leadsTo()).toBe('/moved');
  });

  it('count for an hour where it does not say, and never for more than a day', async () => {
    expect(await leadsTo()).toBe('/authorize');
    move('/moved');
    realm.advance(3_540 * second);
    expect(await leadsTo()).toBe('/authorize');
    server.said.cacheControl = 'max-age=31536000';
    realm.advance(60 * second);
    expect(await leadsTo()).toBe('/moved');
    move('/again');
    realm.advance(day - 60 * second);
    expect(await leadsTo()).toBe('/moved');
    realm.advance(60 * second);
    expect(await leadsTo()).toBe('/again');
  });

  it('count for a day while the upstream is out of reach', async () => {
    expect(await leadsTo()).toBe('/authorize');
    server.said.statuses = { [metadataPath]: 503 };
    realm.advance(day - 60 * second);
    expect(await leadsTo()).toBe('/authorize');
    realm.advance(60 * second);
    expect(await leadsTo()).toBeUndefined();
    server.said.statuses = {};
    expect(await leadsTo()).toBe('/authorize');
  });
});
