import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserCookies } from '../http/browser-cookies.ts';
import { getEncodedForm } from '../http/oauth-endpoint.ts';
import { sendSignedOutPage, sendSignOutPage } from '../pages/signed-out-page.ts';
import { parseParameters, type RequestParameters } from '../request-parameters.ts';
import type { BrowserSessions } from '../sessions/browser-session.ts';
import type { IdTokens } from '../tokens/id-token.ts';

interface Dependencies {
  config: { realm: string };
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
  idTokens: IdTokens;
}

const schema = {
  tags: ['oauth'],
  summary: 'Sign out',
  description:
    'OpenID Connect RP-Initiated Logout 1.0: at once with an id_token_hint of the session, else after asking.',
};

/** `GET` and `POST /oauth/logout`. */
export function registerLogout(app: FastifyInstance, deps: Dependencies): void {
  const { config, browserSessions, browserCookies, idTokens } = deps;
  const { realm } = config;

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const parameters = getParameters(request);
    const token = browserCookies.findSessionToken(request);
    const session = await browserSessions.find(token);
    if (token === undefined || session === undefined) return sendSignedOutPage(reply, realm);
    const hint = parameters.has('id_token_hint')
      ? await idTokens.findHint(parameters.get('id_token_hint') ?? '')
      : undefined;
    const isMeant =
      hint?.sid === session.sessionId || browserCookies.isFormTokenValid(request, parameters.get('form_token'));
    // Logout 1.0 section 2: without proof that the user means it, the user is asked.
    if (!isMeant) return sendSignOutPage(reply, { realm, formToken: browserCookies.issueFormToken(request, reply) });
    await browserSessions.end(token);
    browserCookies.clearSessionToken(reply);
    request.log.info({ userId: session.userId }, 'signed out');
    return sendSignedOutPage(reply, realm);
  };
  app.route({ method: ['GET', 'POST'], url: '/oauth/logout', schema, handler });
}

function getParameters(request: FastifyRequest): RequestParameters {
  if (request.method === 'POST') return parseParameters(getEncodedForm(request));
  return parseParameters(request.raw.url?.split('?').slice(1).join('?') ?? '');
}
