import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFetchDiscoveredKeySet } from '../src/keys/discovery.ts';
import { createFetchKeySet, type FetchKeySet } from '../src/keys/fetch-key-set.ts';
import { type Issuer, startIssuer } from './support/issuer.ts';

const metadataPath = '/.well-known/openid-configuration';

describe('the address of the keys of an issuer', () => {
  let issuer: Issuer;
  let now: number;
  let fetchKeySet: FetchKeySet;
  beforeEach(async () => {
    issuer = await startIssuer();
    now = 1_000;
    fetchKeySet = createFetchDiscoveredKeySet(issuer.url, fetch, () => now);
  });
  afterEach(() => issuer.close());

  const asked = () => issuer.asked.splice(0);

  it('is remembered for an hour', async () => {
    for (let turn = 0; turn < 2; turn += 1) expect(await fetchKeySet()).toEqual({ keys: issuer.keys });
    expect(asked()).toEqual([metadataPath, '/jwks', '/jwks']);
    now += 3_599_999;
    await fetchKeySet();
    expect(asked()).toEqual(['/jwks']);
    now += 1;
    await fetchKeySet();
    expect(asked()).toEqual([metadataPath, '/jwks']);
  });

  it('is asked for again once there were no keys at it', async () => {
    await fetchKeySet();
    issuer.json(metadataPath, { issuer: issuer.url, jwks_uri: `${issuer.url}/moved` });
    issuer.routes.delete('/jwks');
    await expect(fetchKeySet()).rejects.toThrow(/404/);
    issuer.json('/moved', { keys: [] });
    asked();
    expect(await fetchKeySet()).toEqual({ keys: [] });
    expect(asked()).toEqual([metadataPath, '/moved']);
  });

  it.each([
    ['https://issuer.example', 'https://keys.example/jwks', true],
    ['https://issuer.example', 'http://issuer.example/jwks', false],
    ['http://issuer.example', 'https://keys.example/jwks', true],
    ['http://issuer.example', 'http://issuer.example/jwks', true],
  ])('of %s may be %s: %s', async (named, jwks_uri, isGood) => {
    const answers: Record<string, object> = {
      [named + metadataPath]: { issuer: named, jwks_uri },
      [jwks_uri]: { keys: [] },
    };
    const answerAll = async (url: string) =>
      url in answers ? Response.json(answers[url]) : new Response(null, { status: 404 });
    const found = createFetchDiscoveredKeySet(named, answerAll, () => now)();
    if (isGood) expect(await found).toEqual({ keys: [] });
    else await expect(found).rejects.toThrow('the key set of an https issuer must be at an https address');
  });

  it.each<[string, (url: string) => object, string]>([
    ['is of another issuer', (url) => ({ issuer: `${url}/`, jwks_uri: url }), 'the metadata is of another issuer'],
    ['names no keys', (issuer) => ({ issuer }), 'the metadata names no key set'],
    ['names keys by a number', (issuer) => ({ issuer, jwks_uri: 7 }), 'the metadata names no key set'],
    ['names keys at no address', (issuer) => ({ issuer, jwks_uri: '/jwks' }), 'the metadata names no key set'],
    [
      'names keys in a file',
      (issuer) => ({ issuer, jwks_uri: 'file:///etc/passwd' }),
      'the key set of an https issuer must be at an https address',
    ],
  ])('is not taken where the metadata %s, which the error says of each place', async (_what, build, fault) => {
    issuer.json(metadataPath, build(issuer.url));
    const other = `${issuer.url}/.well-known/oauth-authorization-server`;
    await expect(fetchKeySet()).rejects.toThrow(
      new RegExp(`^no metadata of ${issuer.url}: ${issuer.url}${metadataPath}: ${fault}; ${other}: [^;]*404[^;]*$`),
    );
  });
});

describe('a key set', () => {
  const fetchOf = (document: object) =>
    createFetchKeySet('https://issuer.example/jwks', async () => Response.json(document));
  const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);

  it('is asked for as JSON, and taken from a 200 alone', async () => {
    const url = 'https://issuer.example/jwks';
    const askWith = (answer: Response) =>
      createFetchKeySet(url, async (_url, { headers, redirect }) => {
        expect([headers, redirect]).toEqual([{ accept: 'application/json' }, 'manual']);
        return answer;
      })();
    expect(await askWith(Response.json({ keys: [] }))).toEqual({ keys: [] });
    for (const status of [201, 203, 404, 500]) {
      await expect(askWith(Response.json({ keys: [] }, { status }))).rejects.toThrow(`${url} answered ${status}`);
    }
    for (const text of ['', 'keys', '[]', '"keys"', 'null']) {
      await expect(askWith(new Response(text))).rejects.toThrow(`${url} answered no JSON object`);
    }
  });

  it('is a list of at most 256 keys, whatever stands beside it, of at most eight levels', async () => {
    const keys = Array.from({ length: 256 }, (_, kid) => ({ kid }));
    expect(await fetchOf({ keys, more: nest(7) })()).toEqual({ keys });
    for (const none of [{ keys: [...keys, {}] }, { keys: {} }, { keys: 'keys' }, {}]) {
      await expect(fetchOf(none)()).rejects.toThrow('https://issuer.example/jwks is no key set');
    }
    await expect(fetchOf({ keys, more: nest(8) })()).rejects.toThrow(Error);
  });
});
