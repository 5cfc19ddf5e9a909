import type { RequestContext } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import { getForm } from '../http/form.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { sendNotSignedInPage } from '../sessions/not-signed-in-page.ts';
import type { FindSignedInUser, SignedInUser } from '../sessions/signed-in-user.ts';
import { listClaimsBeyond } from '../tokens/userinfo-claims.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationErrorHandler } from './failure-page.ts';
import { buildConsentSubject, hashShown } from './form-subject.ts';
import type { NextPage } from './next-page.ts';
import type { RequestReader } from './request-reader.ts';

interface Dependencies {
  config: { realm: string };
  requestReader: RequestReader;
  browserCookies: BrowserCookies;
  findSignedInUser: FindSignedInUser;
  consents: Pick<Consents, 'give'>;
  nextPage: NextPage;
  authorizationErrorHandler: AuthorizationErrorHandler;
  record: RecordFact;
}

/** `POST /oauth/consent`: the user's decision. Goes on with the authorization request of the page. */
export function registerConsent(app: FastifyInstance, deps: Dependencies): void {
  const { config, requestReader, browserCookies, findSignedInUser, consents, nextPage, record } = deps;
  const { authorizationErrorHandler: errorHandler } = deps;

  app.post('/oauth/consent', { schema: { hide: true }, errorHandler }, async (request, reply) => {
    const form = getForm(request);
    const encoded = form.get('request') ?? '';
    const shown = form.get('shown') ?? '';
    const context = requestContextOf(request);
    const signedIn = await findSignedInUser(browserCookies.findSessionToken(request), context);
    const isMeant =
      signedIn !== undefined &&
      browserCookies.isFormTokenValid(request, form.get('form_token'), buildConsentSubject(signedIn, encoded, shown));
    if (!isMeant) return sendNotSignedInPage(reply, config.realm);
    const asked = await requestReader.readReturned(request, encoded);
    // "Not you?": the page shows the sign-in; what the user before decides is left open.
    if (form.get('decision') === 'other_user') {
      return nextPage.goOn({ request, reply }, asked, { signedIn: undefined, consent: 'open' });
    }
    const decision = describeDecision(asked, signedIn, context);
    if (form.get('decision') !== 'allow') {
      await record({ ...decision, type: 'consent.denied' });
      throw new OAuthError('access_denied', 'the user denied the request');
    }
    // A resource was made again, or its words changed, since the user read them: the page shows what is asked for now.
    if (hashShown(asked) !== shown) return nextPage.goOn({ request, reply }, asked, { signedIn, consent: 'open' });
    await consents.give(asked.target.client, signedIn.user.id, asked);
    await record({ ...decision, type: 'consent.given' });
    return nextPage.goOn({ request, reply }, asked, { signedIn, consent: 'given' });
  });
}

function describeDecision(
  { target, scope, resources = [], claims }: AuthorizationRequest,
  { user }: SignedInUser,
  context: RequestContext,
) {
  return {
    user,
    client: target.client,
    asked: { scope, resources: resources.map(({ resource }) => resource), claims: listClaimsBeyond(scope, claims) },
    context,
  };
}
