import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import { type Clock, systemClock } from '@gatehouse/service-kit';
import { formatNetwork } from '@gatehouse/service-kit/guess-limit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameBrowser } from './browser-name.ts';
import type { SessionPlace } from './browser-session.ts';
import { knownBrowserLifetime } from './known-browsers.ts';

/** The values of the cookies that say who signed in at a browser. */
export interface SignInCookies {
  sessionToken: string;
  /** Undefined where the sign-in is not whole, and nobody signed in at this browser before. */
  knownBrowser: string | undefined;
}

/** A browser as it calls: these cookies, and what its user will know the session by. */
export interface CallingBrowser extends SessionPlace {
  /** Names the browser to itself alone; undefined where it has no cookie of this server. */
  binding: string | undefined;
  sessionToken: string | undefined;
  knownBrowser: string | undefined;
  /** The cookie of a browser that is not asked for the second step. */
  rememberedBrowser: string | undefined;
}

/** The cookies of a browser: who is signed in, who was, and which forms were sent to it. */
export interface BrowserCookies {
  findSessionToken(request: FastifyRequest): string | undefined;
  clearSessionToken(reply: FastifyReply): void;
  /** Reads what says who signed in at this browser, and what browser it is. */
  readBrowser(request: FastifyRequest): CallingBrowser;
  writeSignIn(reply: FastifyReply, cookies: SignInCookies): void;
  writeKnownBrowser(reply: FastifyReply, knownBrowser: string): void;
  writeRememberedBrowser(reply: FastifyReply, rememberedBrowser: string, days: number): void;
  /** Names the browser as {@link CallingBrowser} does; one that has no cookie of this server gets it. */
  bindBrowser(request: FastifyRequest, reply: FastifyReply): string;
  /** A value for a hidden field, which fits this browser and what the form is about, and nothing else. */
  issueFormToken(request: FastifyRequest, reply: FastifyReply, about: string): string;
  /** Whether a posted form was sent to this browser by this server, and is about what it was about then. */
  isFormTokenValid(request: FastifyRequest, formToken: string | undefined, about: string): boolean;
}

interface Dependencies {
  /** The public base of this server: cookies are Secure, and bound to the host by their prefix, where it is https. */
  authUrl: string;
  /** The same on every replica. */
  formKey: Buffer;
  clock?: Clock;
}

/** Milliseconds after which a page is sent with a new token; one is good for this and the next span. */
const formSpan = 3_600_000;

/** HttpOnly, SameSite=Lax, for the whole host. They end with the browser's own session, but for who signed in before. */
export function createBrowserCookies({ authUrl, formKey, clock = systemClock }: Dependencies): BrowserCookies {
  const secure = authUrl.startsWith('https:');
  const prefix = secure ? '__Host-' : '';
  const sessionCookie = `${prefix}gatehouse-session`;
  const browserCookie = `${prefix}gatehouse-browser`;
  const rememberedBrowserCookie = `${prefix}gatehouse-remembered-browser`;
  const knownBrowserCookie = `${prefix}gatehouse-known-browser`;
  const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure };
  const deriveFormToken = (browser: string, about: string, span: number) =>
    createHmac('sha256', formKey).update(`${browser} ${span} ${about}`).digest();
  const currentSpan = () => Math.floor(clock() / formSpan);
  const isBrowserId = (value: string | undefined): value is string => /^[A-Za-z0-9_-]{43}$/.test(value ?? '');

  const deriveBinding = (browser: string) =>
    createHmac('sha256', formKey).update(`binding ${browser}`).digest('base64url');
  const findBinding = (browser: string | undefined): string | undefined =>
    isBrowserId(browser) ? deriveBinding(browser) : undefined;
  const getBrowser = (request: FastifyRequest, reply: FastifyReply): string => {
    const known = request.cookies[browserCookie];
    if (isBrowserId(known)) return known;
    const browser = randomBytes(32).toString('base64url');
    void reply.setCookie(browserCookie, browser, options);
    // Other tokens of the same page fit the same browser.
    request.cookies[browserCookie] = browser;
    return browser;
  };
  const writeKnownBrowser = (reply: FastifyReply, knownBrowser: string) =>
    void reply.setCookie(knownBrowserCookie, knownBrowser, { ...options, maxAge: knownBrowserLifetime / 1000 });

  return {
    writeKnownBrowser,
    writeRememberedBrowser: (reply, rememberedBrowser, days) =>
      void reply.setCookie(rememberedBrowserCookie, rememberedBrowser, { ...options, maxAge: days * 86_400 }),
    findSessionToken: ({ cookies }) => cookies[sessionCookie],
    clearSessionToken: (reply) => void reply.clearCookie(sessionCookie, options),
    readBrowser: (request) => ({
      binding: findBinding(request.cookies[browserCookie]),
      sessionToken: request.cookies[sessionCookie],
      knownBrowser: request.cookies[knownBrowserCookie],
      rememberedBrowser: request.cookies[rememberedBrowserCookie],
      label: nameBrowser(request.headers['user-agent']),
      network: formatNetwork(requestContextOf(request).address),
    }),
    writeSignIn(reply, { sessionToken, knownBrowser }) {
      void reply.setCookie(sessionCookie, sessionToken, options);
      if (knownBrowser !== undefined) writeKnownBrowser(reply, knownBrowser);
    },
    bindBrowser: (request, reply) => deriveBinding(getBrowser(request, reply)),
    issueFormToken: (request, reply, about) =>
      deriveFormToken(getBrowser(request, reply), about, currentSpan()).toString('base64url'),
    isFormTokenValid(request, formToken, about) {
      const browser = request.cookies[browserCookie];
      if (!isBrowserId(browser) || formToken === undefined) return false;
      const given = Buffer.from(formToken, 'base64url');
      const span = currentSpan();
      return [span, span - 1].some((candidate) => {
        const expected = deriveFormToken(browser, about, candidate);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}
