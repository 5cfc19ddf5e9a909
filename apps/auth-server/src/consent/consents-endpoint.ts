import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { RecordFact } from '../events/event.ts';
import { getForm } from '../http/form.ts';
import { readByHand } from '../http/oauth-endpoint.ts';
import { describePage } from '../pages/describe-page.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import { type FindLevelStep, noDemand } from '../sign-in/level-steps.ts';
import { sendConsentListPage } from './consent-page.ts';
import type { Consents } from './consents.ts';
import { sendSignInOffer } from './sign-in-endpoint.ts';

interface Dependencies {
  config: { realm: string };
  consents: Pick<Consents, 'list' | 'takeBack'>;
  findSignedIn: FindSignedIn;
  findLevelStep: FindLevelStep;
  browserCookies: BrowserCookies;
  record: RecordFact;
}

const signedOut = { 403: describePage('Nobody is signed in; the page offers it') };
const listSchema = {
  tags: ['pages'],
  operationId: 'showConsents',
  summary: 'Applications with access to your account',
  response: { 200: describePage('What the user allowed'), ...signedOut },
};
const withdrawalSchema = {
  tags: ['pages'],
  operationId: 'withdrawConsentByForm',
  summary: 'Withdraw a consent, by the form of that page',
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({ registration: Type.Optional(Type.String()), form_token: Type.Optional(Type.String()) }),
  response: { 303: Type.Null({ description: 'To the same by GET' }), ...signedOut },
};

/** `GET /oauth/consents` shows the user's consents. `POST` withdraws one. */
export function registerConsents(app: FastifyInstance, deps: Dependencies): void {
  const { config, consents, findSignedIn, findLevelStep, browserCookies, record } = deps;
  const { realm } = config;
  /** Nobody who owes the second step that `REQUIRE_MFA` asks for. */
  const findUser = async (request: FastifyRequest): Promise<SignedInUser | undefined> => {
    const signedIn = await findSignedIn(request);
    if (signedIn === undefined) return undefined;
    const browser = browserCookies.readBrowser(request);
    const due = await findLevelStep(signedIn, noDemand, browser, requestContextOf(request));
    return due === undefined ? signedIn : undefined;
  };

  app.get('/oauth/consents', { schema: listSchema }, async (request, reply) => {
    const signedIn = await findUser(request);
    if (signedIn === undefined) return sendSignInOffer(reply, realm);
    return sendConsentListPage(reply, {
      realm,
      username: signedIn.user.username,
      formToken: browserCookies.issueFormToken(request, reply, listSubject(signedIn)),
      consents: await consents.list(signedIn.user.id),
    });
  });

  app.post('/oauth/consents', { schema: withdrawalSchema, ...readByHand }, async (request, reply) => {
    const form = getForm(request);
    const signedIn = await findUser(request);
    if (signedIn === undefined) return sendSignInOffer(reply, realm);
    const registrationId = form.get('registration');
    if (browserCookies.isFormTokenValid(request, form.get('form_token'), listSubject(signedIn)) && registrationId) {
      await takeBack(request, signedIn, registrationId);
    }
    return reply.header('cache-control', 'no-store').redirect('consents', 303);
  });

  async function takeBack(request: FastifyRequest, { user }: SignedInUser, registrationId: string): Promise<void> {
    const consent = await consents.takeBack(user.id, registrationId);
    if (consent === undefined) return;
    await record({ type: 'consent.withdrawn', user, client: consent, context: requestContextOf(request) });
  }
}

function listSubject({ session }: SignedInUser): string {
  return `consents ${session.sessionId}`;
}
