import { randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { createBrowserCookies } from '../../src/sessions/browser-cookies.ts';

const hour = 3_600_000;
const spanStart = Math.floor(Date.UTC(2026, 0, 1, 12) / hour) * hour;

describe('form tokens', () => {
  let app: FastifyInstance;
  let now: number;

  beforeAll(async () => {
    const formKey = randomBytes(32);
    const browserCookies = createBrowserCookies({
      authUrl: 'https://auth.example.com',
      formKey,
      clock: () => now,
    });
    app = Fastify();
    await app.register(cookie);
    app.get<{ Querystring: { about: string } }>('/issue', async (request, reply) => ({
      token: browserCookies.issueFormToken(request, reply, request.query.about),
    }));
    app.get<{ Querystring: { about: string; token?: string } }>('/check', async (request) => ({
      valid: browserCookies.isFormTokenValid(request, request.query.token, request.query.about),
    }));
  });
  afterAll(() => app.close());
  beforeEach(() => {
    now = spanStart;
  });

  it('stand beside the cookies of who signed in: one for the session, one that stays for 180 days', async () => {
    const cookies = createBrowserCookies({ authUrl: 'https://auth.example.com', formKey: randomBytes(32) });
    const server = Fastify();
    await server.register(cookie);
    server.get('/', async (request, reply) => {
      cookies.writeSignIn(reply, { sessionToken: 'a session', knownBrowser: 'a browser' });
      return { session: cookies.findSessionToken(request), ...cookies.readBrowser(request) };
    });
    server.get('/clear', async (_request, reply) => {
      cookies.clearSessionToken(reply);
      return {};
    });
    const common = { path: '/', httpOnly: true, sameSite: 'Lax', secure: true };
    const written = [
      { name: '__Host-gatehouse-session', value: 'a session', ...common },
      { name: '__Host-gatehouse-known-browser', value: 'a browser', maxAge: 15_552_000, ...common },
    ];
    const found = { '__Host-gatehouse-session': 's', '__Host-gatehouse-known-browser': 'b', 'gatehouse-session': 'x' };
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    const answer = await server.inject({ url: '/', cookies: found, headers, remoteAddress: '2001:db8:1:2:3::4' });
    const place = { label: 'Firefox on Linux', network: '2001:db8:1:2::/64' };
    const read = { session: 's', sessionToken: 's', knownBrowser: 'b', ...place };
    expect([answer.json(), answer.cookies]).toEqual([read, written]);
    const nothing = { label: 'Browser on another system', network: '127.0.0.1' };
    expect((await server.inject('/')).json()).toEqual(nothing);
    const [cleared] = (await server.inject('/clear')).cookies;
    expect(cleared).toMatchObject({ name: '__Host-gatehouse-session', value: '', path: '/', secure: true });
    await server.close();
  });

  const issue = async (about: string, cookies: Record<string, string> = {}) => {
    const response = await app.inject({ url: '/issue', query: { about }, cookies });
    const set = Object.fromEntries(response.cookies.map(({ name, value }) => [name, value]));
    return { token: response.json<{ token: string }>().token, cookies: { ...cookies, ...set }, set: response.cookies };
  };
  const check = async (about: string, token: string | undefined, cookies: Record<string, string>) => {
    const query: Record<string, string> = token === undefined ? { about } : { about, token };
    return (await app.inject({ url: '/check', query, cookies })).json<{ valid: boolean }>().valid;
  };

  it('fit what they were issued for, and nothing else', async () => {
    const { token, cookies } = await issue('sign-in client_id=a');
    expect(await check('sign-in client_id=a', token, cookies)).toBe(true);
    const others = ['sign-in client_id=b', 'sign-in ', 'logout client_id=a', 'logout ', 'consent 1 client_id=a', ''];
    for (const about of others) expect([about, await check(about, token, cookies)]).toEqual([about, false]);
    for (const wrong of [undefined, '', token.slice(1), `A${token}`]) {
      expect(await check('sign-in client_id=a', wrong, cookies)).toBe(false);
    }
  });

  it('fit the browser they were issued to, and no other', async () => {
    const [mine, theirs] = [await issue('logout '), await issue('logout ')];
    expect(mine.set).toEqual([
      expect.objectContaining({ name: '__Host-gatehouse-browser', httpOnly: true, secure: true, sameSite: 'Lax' }),
    ]);
    expect(await check('logout ', mine.token, theirs.cookies)).toBe(false);
    expect(await check('logout ', mine.token, {})).toBe(false);
    const again = await issue('logout ', mine.cookies);
    expect([again.token, again.set]).toEqual([mine.token, []]);
  });

  it('go with a cookie of another name at a server without TLS, which no browser would send back otherwise', async () => {
    const cookies = createBrowserCookies({
      authUrl: 'http://localhost:9000',
      formKey: randomBytes(32),
      clock: () => now,
    });
    const plain = Fastify();
    await plain.register(cookie);
    plain.get('/', async (request, reply) => ({ token: cookies.issueFormToken(request, reply, 'x') }));
    const [set] = (await plain.inject('/')).cookies;
    expect(set).toEqual({
      name: 'gatehouse-browser',
      value: expect.any(String),
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
    });
    await plain.close();
  });

  it.each([
    ['at the start of a span', 0, 2 * hour],
    ['at the end of a span', hour - 1, hour + 1],
  ])('expire within two hours: issued %s', async (_title, offset, lifetime) => {
    now = spanStart + offset;
    const issuedAt = now;
    const { token, cookies } = await issue('sign-in a');
    now = issuedAt + lifetime - 1;
    expect(await check('sign-in a', token, cookies)).toBe(true);
    now = issuedAt + lifetime;
    expect(await check('sign-in a', token, cookies)).toBe(false);
    expect(await check('sign-in a', (await issue('sign-in a', cookies)).token, cookies)).toBe(true);
  });
});
