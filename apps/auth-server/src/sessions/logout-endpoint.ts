import type { RequestContext } from '@gatehouse/service-kit';
import { requestContextOf, tellRefusal } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Tell } from '../events/event.ts';
import { getEncodedForm, getFormAsQuery, getQuery } from '../http/form.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import { describePage } from '../pages/describe-page.ts';
import { sendErrorPage } from '../pages/error-page.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { collectParameters, parseParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from './browser-cookies.ts';
import type { BrowserSession } from './browser-session.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { type Afterwards, LogoutRequestError, type ParseLogoutRequest } from './logout-request.ts';
import { sendSignedOutPage, sendSignOutPage } from './signed-out-page.ts';
import type { UpstreamSignOut } from './upstream-sign-out.ts';

interface Dependencies {
  config: { realm: string };
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
  parseLogoutRequest: ParseLogoutRequest;
  directory: Pick<OrganizationDirectory, 'findUserById'>;
  upstreamSignOut: UpstreamSignOut;
  tell: Tell;
}

const describe = (operationId: string) => ({
  tags: ['oauth'],
  operationId,
  summary: 'Sign out',
  description:
    'OpenID Connect RP-Initiated Logout 1.0: id_token_hint, client_id, post_logout_redirect_uri, state, ui_locales. Asks the user unless the sid of the hint is this browser’s session.',
  response: {
    200: describePage('Signed out, or the question whether to sign out, or whether to go on'),
    303: Type.Null({ description: 'To the post_logout_redirect_uri; or, from a POST, to the same by GET' }),
    400: describePage('A page: the request is not good'),
  },
});

/** `GET` and `POST /oauth/logout`; and `GET /oauth/upstreams/{alias}/signed-out`, to which a sign-out at an upstream leads back. */
export function registerLogout(app: FastifyInstance, deps: Dependencies): void {
  const { config, browserSessions, browserCookies, parseLogoutRequest, directory, upstreamSignOut, tell } = deps;
  const { realm } = config;
  // The user signs out also where the organization does not answer.
  const findUsername = async ({ userId }: BrowserSession, context: RequestContext) =>
    (await directory.findUserById(userId, context).catch(() => undefined))?.username;

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const { encoded, formToken } = getLogoutRequest(request);
    const token = browserCookies.findSessionToken(request);
    // The session cookie does not come with a post from elsewhere, but with what follows it.
    if (request.method === 'POST' && formToken === undefined && token === undefined) {
      return reply.header('cache-control', 'no-store').redirect(`logout?${getFormAsQuery(request)}`, 303);
    }
    const logout = await parseLogoutRequest(parseParameters(encoded)).catch(asRequestError);
    if (logout instanceof LogoutRequestError) return sendFault({ request, reply }, realm, logout);

    const session = await browserSessions.find(token);
    if (token === undefined || session === undefined) return goOn(reply, realm, logout.afterwards);
    const isConfirmed = browserCookies.isFormTokenValid(request, formToken, `logout ${encoded}`);
    // Logout 1.0 section 2 and 6: without proof that the user means this session, the user is asked.
    if (!isConfirmed && logout.sessionId !== session.sessionId) {
      const about = browserCookies.issueFormToken(request, reply, `logout ${encoded}`);
      const username = await findUsername(session, requestContextOf(request));
      return sendSignOutPage(reply, { realm, username, formToken: about, request: encoded });
    }
    await browserSessions.end(token);
    browserCookies.clearSessionToken(reply);
    tell({ type: 'signed_out', userId: session.userId, context: requestContextOf(request) });
    const browser = browserCookies.bindBrowser(request, reply);
    const uiLocales = messagesFor(request).language;
    // It comes back by a link, which says less of its user than a hint: the page asks before it leads to a host of a stranger.
    const there = await upstreamSignOut.find(session, browser, { afterwards: logout.afterwards, uiLocales });
    if (there !== undefined) return sendTo(reply, there);
    // Its user signed in to this very application, in this session: it may go on at once, also where it registered itself.
    const isKnown = logout.sessionId === session.sessionId;
    return goOn(reply, realm, isKnown ? vouchFor(logout.afterwards) : logout.afterwards);
  };
  app.get('/oauth/logout', { schema: describe('signOut') }, handler);
  app.post('/oauth/logout', { schema: describe('signOutByForm') }, handler);
  const signedOut = '/oauth/upstreams/:alias/signed-out';
  app.get<{ Params: { alias: string } }>(signedOut, { schema: { hide: true } }, (request, reply) => {
    const state = new URLSearchParams(getQuery(request)).get('state') ?? '';
    const { binding } = browserCookies.readBrowser(request);
    const afterwards = binding === undefined ? undefined : upstreamSignOut.read(state, request.params.alias, binding);
    return goOn(reply, realm, afterwards);
  });
}

/** Signed out, or never signed in: back to the application, or a page that says so, and may lead there. */
function goOn(reply: FastifyReply, realm: string, afterwards: Afterwards | undefined): FastifyReply {
  if (afterwards === undefined) return sendSignedOutPage(reply, realm);
  const { redirectUri, untrustedHost: host } = afterwards;
  if (host !== undefined) return sendSignedOutPage(reply, realm, { host, redirectUri });
  return sendTo(reply, redirectUri);
}

function sendTo(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers({ location, 'cache-control': 'no-store' }).send();
}

function vouchFor(afterwards: Afterwards | undefined): Afterwards | undefined {
  return afterwards && { redirectUri: afterwards.redirectUri, untrustedHost: undefined };
}

/** The request itself, or the one that the sign-out page carried. */
function getLogoutRequest(request: FastifyRequest): { encoded: string; formToken: string | undefined } {
  const encoded = request.method === 'POST' ? getEncodedForm(request) : getQuery(request);
  const { parameters } = collectParameters(encoded);
  const formToken = parameters.get('form_token');
  return formToken === undefined ? { encoded, formToken } : { encoded: parameters.get('request') ?? '', formToken };
}

function asRequestError(error: unknown): LogoutRequestError {
  if (error instanceof LogoutRequestError) return error;
  throw error;
}

function sendFault(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  realm: string,
  fault: LogoutRequestError,
): FastifyReply {
  tellRefusal(request, { status: 400, code: 'invalid_request', detail: fault.message });
  const messages = messagesFor(request);
  const { faultTitle: title, faultAdvice: advice, [fault.fault]: message } = messages.signOut;
  return sendErrorPage(reply, 400, { realm, messages, title, message, advice, requestId: request.id });
}
