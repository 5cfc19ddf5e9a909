import { createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findImage, findPngFault } from '../../src/branding/image.ts';
import { authorizePath, codeRequest, signIn } from '../support/browser.ts';
import { buildPng } from '../support/client-logos.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, encodeBasic, type Realm, startRealm, webClient } from '../support/realm.ts';

describe('an image', () => {
  const withHead = (hex: string) => {
    const png = buildPng();
    png.write(hex, 'hex');
    return png;
  };

  it.each([
    ['the shortest', buildPng({ length: 24 })],
    ['of one pixel', buildPng({ width: 1, height: 1 })],
    ['of the most pixels', buildPng({ width: 2048, height: 2048 })],
  ])('is a PNG image: %s', (_what, bytes) => {
    expect(findImage(bytes)).toEqual({ mediaType: 'image/png', bytes });
  });

  it.each([
    ['another signature', withHead('88504e47'), 'must be a PNG image'],
    ['another first chunk', withHead('89504e470d0a1a0a0000000d49444154'), expect.stringMatching(/by 2048 pixels$/)],
    ['its end in the first chunk', buildPng({ length: 24 }).subarray(0, 23), 'must be a PNG image'],
  ])('is no PNG image with %s', (_what, bytes, fault) => {
    expect([findPngFault(bytes), findImage(bytes)]).toEqual([fault, undefined]);
  });

  it('is an SVG image where that begins within the first 4096 bytes', () => {
    const behind = (blanks: number) => findImage(Buffer.from(`${' '.repeat(blanks)}<svg>`))?.mediaType;
    expect([behind(4_091), behind(4_092)]).toEqual(['image/svg+xml', undefined]);
  });
});

describe('the logo of a client', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
    await realm.register({ ...webClient, client_id: 'other', ...{ logo_uri: 'https://other.example.com/logo.png' } });
  });
  afterAll(() => realm.close());

  const send = (
    method: 'PUT' | 'GET' | 'DELETE',
    clientId: string,
    payload?: Buffer,
    by = administrator,
    type = 'image/png',
  ) =>
    realm.app.inject({
      method,
      url: `/clients/${clientId}/logo`,
      headers: { authorization: encodeBasic(...by), ...(payload === undefined ? {} : { 'content-type': type }) },
      ...(payload === undefined ? {} : { payload }),
    });
  const put = async (payload: Buffer, clientId = 'web', by = administrator, type = 'image/png') =>
    (await send('PUT', clientId, payload, by, type)).statusCode;
  const showSignIn = (clientId: string) =>
    createTestBrowser().get(realm.url + authorizePath({ ...codeRequest, client_id: clientId }));
  const readEvents = async () => {
    const answer = await realm.send('/audit-events?type=client.changed', { basic: administrator });
    return answer.json<{ events: { details: object }[] }>().events;
  };

  it('is put, read, shown on the sign-in page from this server, and deleted by administrators', async () => {
    expect((await showSignIn('web')).text).not.toContain('<img');
    const png = buildPng({ width: 2048, height: 2048, length: 48 * 1024 });
    expect(await put(png)).toBe(204);
    const read = await send('GET', 'web');
    expect([read.statusCode, read.headers['content-type'], read.rawPayload.equals(png)]).toEqual([
      200,
      'image/png',
      true,
    ]);

    const page = await showSignIn('web');
    const [, path = ''] = /<img class="logo" src="([^"]+)" alt="" width="48" height="48">/.exec(page.text) ?? [];
    expect(path).toMatch(/^\/assets\/clients\/web\/logo\.png\?v=[0-9a-f]{16}$/);
    expect(page.headers['content-security-policy']).toContain("img-src 'self';");
    const shown = await realm.app.inject(path);
    expect([shown.statusCode, shown.rawPayload.equals(png)]).toEqual([200, true]);
    expect(shown.headers).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    expect((await showSignIn('other')).text).not.toContain('<img');

    expect((await send('DELETE', 'web')).statusCode).toBe(204);
    expect((await send('DELETE', 'web')).statusCode).toBe(404);
    expect((await send('GET', 'web')).statusCode).toBe(404);
    expect((await realm.app.inject(path)).statusCode).toBe(404);
    const details = { fields: ['logo'], changes: [{ field: 'logo' }] };
    expect((await readEvents()).map((event) => event.details)).toEqual([details, details]);
    expect((await showSignIn('web')).text).not.toContain('<img');
  });

  it('is never fetched from logo_uri, which is kept and given back', async () => {
    const client = await realm.send('/clients/other', { basic: administrator });
    expect(client.json()).toMatchObject({ logo_uri: 'https://other.example.com/logo.png' });
    expect((await showSignIn('other')).text).not.toContain('other.example.com');
  });

  it.each<[string, Buffer, number, string]>([
    ['a JPEG', Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), 400, 'image/png'],
    ['SVG that says it is PNG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400, 'image/png'],
    ['nothing', Buffer.alloc(0), 400, 'image/png'],
    ['the signature alone', buildPng().subarray(0, 23), 400, 'image/png'],
    ['more pixels than any screen', buildPng({ width: 50_000, height: 50_000 }), 400, 'image/png'],
    ['one pixel too high', buildPng({ width: 2048, height: 2049 }), 400, 'image/png'],
    ['no pixel', buildPng({ width: 0, height: 1 }), 400, 'image/png'],
    ['more than 48 KiB', buildPng({ length: 48 * 1024 + 1 }), 413, 'image/png'],
    ['another type', buildPng(), 415, 'image/svg+xml'],
    ['JSON', Buffer.from('{}'), 415, 'application/json'],
    ['what is no JSON either', Buffer.from('{'), 415, 'application/json'],
  ])('is not %s', async (_what, bytes, status, type) => {
    expect(await put(bytes, 'web', administrator, type)).toBe(status);
    expect((await send('GET', 'web')).statusCode).toBe(404);
  });

  it('is refused with what is wrong with it', async () => {
    const missing = await send('PUT', 'web');
    expect([missing.statusCode, missing.json().detail]).toEqual([415, 'send the logo as image/png']);
    const faultsOf = async (payload: Buffer) => (await send('PUT', 'web', payload)).json<{ errors: unknown }>().errors;
    expect(await faultsOf(Buffer.alloc(0))).toEqual([{ field: 'body', detail: 'must be a PNG image' }]);
    const tooWide = buildPng({ width: 2049 });
    expect(await faultsOf(tooWide)).toEqual([
      { field: 'body', detail: 'must be a PNG image of at most 2048 by 2048 pixels' },
    ]);
  });

  it('is not of a client that is deleted at the same moment', async () => {
    await realm.register({ ...webClient, client_id: 'leaving' });
    const remove = () => realm.send('/clients/leaving', { method: 'DELETE', basic: administrator });
    const isMet = interruptNext(realm.deps.database, /^INSERT INTO client_logos/, { before: remove });
    const answer = await send('PUT', 'leaving', buildPng());
    expect([isMet(), answer.statusCode]).toEqual([true, 404]);
    expect(answer.json()).toMatchObject({ detail: 'no client has this client_id' });
  });

  it('is for administrators, and of clients that exist', async () => {
    expect(await put(buildPng(), 'web', ['user@example.com', 'user-password'])).toBe(403);
    expect(await put(buildPng(), 'web', ['user@example.com', 'wrong'])).toBe(401);
    // The ceiling of the client has a role that this administrator lacks.
    expect(await put(buildPng(), 'web', ['idp.admin@example.com', 'idp-password'])).toBe(403);
    expect(await put(buildPng(), 'nobody')).toBe(404);
    expect((await realm.app.inject('/assets/clients/nobody/logo.png')).statusCode).toBe(404);
    expect((await realm.app.inject('/assets/clients/no%20body/logo.png')).statusCode).toBe(400);
  });

  it('is shown on the page of consent where it is there', async () => {
    const asked = { ...codeRequest, client_id: 'third-party' };
    const authorized_grant_types = ['authorization_code'];
    await realm.register({ ...webClient, client_id: 'third-party', authorized_grant_types, require_consent: true });
    const plain = await signIn(realm, asked);
    expect(plain.text).toContain('Allow access?');
    expect(plain.text).not.toContain('class="logo"');
    expect(await put(buildPng(), 'third-party')).toBe(204);
    const page = await signIn(realm, asked);
    expect(page.text).toContain('<img class="logo" src="/assets/clients/third-party/logo.png');
    expect(page.headers['content-security-policy']).toContain("img-src 'self';");
  });
});
