import { originOf } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../clients/client.ts';
import { sendConsentListPage } from '../consent/consent-page.ts';
import type { Consents } from '../consent/consents.ts';
import type { ConsentDecided, RecordFact } from '../events/event.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import { sendErrorPage } from '../pages/error-page.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { BrowserSessions } from '../sessions/browser-sessions.ts';
import { listClaimsBeyond } from '../tokens/userinfo-claims.ts';
import type { AuthorizationExchange } from './authorization-exchange.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Authorize, SignedInUser } from './authorize.ts';
import { consentSubject } from './complete-authorization.ts';

interface Dependencies {
  config: { realm: string };
  authorizationExchange: AuthorizationExchange;
  authorize: Authorize;
  consents: Consents;
  browserSessions: BrowserSessions;
  browserCookies: BrowserCookies;
  record: RecordFact;
}

/** `POST /oauth/consent`: the decision. `GET` and `POST /oauth/consents`: what was allowed, and taking it back. */
export function registerConsent(app: FastifyInstance, deps: Dependencies): void {
  const { config, authorizationExchange, authorize, consents, browserSessions, browserCookies, record } = deps;
  const { realm } = config;

  const findSignedIn = async (request: FastifyRequest): Promise<SignedInUser | undefined> => {
    const session = await browserSessions.find(browserCookies.findSessionToken(request));
    return session && authorize.findUserOf(session, originOf(request));
  };
  const write = (
    request: FastifyRequest,
    { user }: SignedInUser,
    client: Pick<Client, 'registrationId' | 'clientId'>,
    decision: Pick<ConsentDecided, 'type' | 'asked'>,
  ) => record({ ...decision, user, client, origin: originOf(request) });
  const sendNotSignedIn = (request: FastifyRequest, reply: FastifyReply) =>
    sendErrorPage(reply, 403, {
      realm,
      title: 'You are not signed in here',
      message: 'This page is about your account, and nobody is signed in at this browser.',
      advice: 'Go to an application of this organization, sign in there, and come back.',
      requestId: request.id,
    });

  app.post('/oauth/consent', { schema: { hide: true } }, async (request, reply) => {
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    const signedIn = await findSignedIn(request);
    const isMeant =
      signedIn !== undefined &&
      browserCookies.isFormTokenValid(request, form.get('form_token'), consentSubject(signedIn, encoded));
    if (!isMeant) return sendNotSignedIn(request, reply);
    return authorizationExchange.resume({ request, reply }, encoded, (authorizationRequest) =>
      decide({ request, reply }, authorizationRequest, signedIn, form.get('decision')),
    );
  });

  async function decide(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    authorizationRequest: AuthorizationRequest,
    signedIn: SignedInUser,
    decision: string | undefined,
  ): Promise<FastifyReply> {
    const { client } = authorizationRequest.target;
    const { scope } = authorizationRequest;
    const claims = listClaimsBeyond(scope, authorizationRequest.claims);
    const asked = { scope, claims };
    if (decision !== 'allow') {
      await write(request, signedIn, client, { type: 'consent.denied', asked });
      throw new OAuthError('access_denied', 'the user did not allow it');
    }
    await consents.give(client, signedIn.user.id, authorizationRequest);
    await write(request, signedIn, client, { type: 'consent.given', asked });
    return authorizationExchange.send(reply, await authorize.grant(authorizationRequest, signedIn));
  }

  app.get('/oauth/consents', { schema: { hide: true } }, async (request, reply) => {
    const signedIn = await findSignedIn(request);
    return signedIn === undefined ? sendNotSignedIn(request, reply) : sendList(request, reply, signedIn);
  });

  app.post('/oauth/consents', { schema: { hide: true } }, async (request, reply) => {
    const form = getForm(request);
    const signedIn = await findSignedIn(request);
    if (signedIn === undefined) return sendNotSignedIn(request, reply);
    const registrationId = form.get('registration');
    if (browserCookies.isFormTokenValid(request, form.get('form_token'), listSubject(signedIn)) && registrationId) {
      const consent = await consents.takeBack(signedIn.user.id, registrationId);
      if (consent !== undefined) await write(request, signedIn, consent, { type: 'consent.withdrawn' });
    }
    return reply.header('cache-control', 'no-store').redirect('consents', 303);
  });

  async function sendList(request: FastifyRequest, reply: FastifyReply, signedIn: SignedInUser): Promise<FastifyReply> {
    return sendConsentListPage(reply, {
      realm,
      username: signedIn.user.username,
      formToken: browserCookies.issueFormToken(request, reply, listSubject(signedIn)),
      consents: await consents.list(signedIn.user.id),
    });
  }
}

function listSubject({ session }: SignedInUser): string {
  return `consents ${session.sessionId}`;
}
