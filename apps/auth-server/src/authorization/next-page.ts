import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply } from 'fastify';
import type { ClientDocuments } from '../client-documents/client-documents.ts';
import { isListedDocument } from '../clients/document-url.ts';
import { sendConsentPage } from '../consent/consent-page.ts';
import { listOrgApiScopes } from '../consent/consented-resources.ts';
import type { Consents } from '../consent/consents.ts';
import { describePlace } from '../consent/describe-access.ts';
import type { DescribeApplication } from '../consent/describe-application.ts';
import type { Tell } from '../events/event.ts';
import { type ApplicationName, nameApplication, nameByDocument } from '../pages/application.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { FindLevelStep } from '../sign-in/level-steps.ts';
import type { Http, SignInPlace } from '../sign-in/place-endpoint.ts';
import type { CreateSignInPlace } from '../sign-in/sign-in-endpoint.ts';
import { listClaimsBeyond } from '../tokens/userinfo-claims.ts';
import type { Answer } from './answer.ts';
import type { BrowserRequest } from './authorization-request.ts';
import type { AuthorizationResponses } from './authorization-response.ts';
import { sendAuthorizationResponse } from './form-post-page.ts';
import { buildConsentSubject, hashShown } from './form-subject.ts';
import { type Done, demandOf, nextStep } from './next-step.ts';
import { sendNotLetInPage } from './not-let-in-page.ts';

/** Sends the browser the result of a step of an authorization request. */
export interface NextPage {
  /** Shows the page of the next step, or answers the client. */
  goOn(http: Http, asked: BrowserRequest, done: Done): Promise<FastifyReply>;
}

interface Dependencies {
  config: { realm: string; clientIdMetadataUrls: readonly string[] };
  consents: Pick<Consents, 'isNeeded'>;
  answer: Answer;
  clientDocuments: Pick<ClientDocuments, 'keep'>;
  browserCookies: BrowserCookies;
  signInPlace: SignInPlace<BrowserRequest>;
  findLevelStep: FindLevelStep;
  describeApplication: DescribeApplication;
  responses: Pick<AuthorizationResponses, 'buildError'>;
  tell: Tell;
}

export function createNextPage(deps: Dependencies): NextPage {
  const { config, consents, answer, signInPlace } = deps;
  const showConsent = createShowConsent(deps);
  const showNotLetIn = createShowNotLetIn(deps);
  return {
    async goOn(http, came, done) {
      const asked = done.signedIn === undefined ? came : await keepClient(deps, http, came);
      const findLevelStep = (signedIn: SignedInUser) =>
        deps.findLevelStep(
          signedIn,
          asked.level,
          deps.browserCookies.readBrowser(http.request),
          requestContextOf(http.request),
        );
      const next = await nextStep(asked, done, { consents, findLevelStep });
      switch (next.step) {
        case 'sign_in':
          return done.isFirst === true ? signInPlace.begin(http, asked) : signInPlace.show(http, asked);
        case 'not_let_in':
          return showNotLetIn(http, asked, next.signedIn);
        case 'consent':
          return showConsent(http, asked, next.signedIn);
        case 'answer':
          return sendAuthorizationResponse(
            http.reply,
            { realm: config.realm, uiLocales: asked.target.uiLocales },
            await answer(asked, next.signedIn),
          );
        default:
          return signInPlace.showLevelStep(http, asked, next.signedIn, next.step);
      }
    },
  };
}

/** A user who is signed in gives something to the client, so it needs its row from here on. */
async function keepClient(
  { clientDocuments }: Pick<Dependencies, 'clientDocuments'>,
  { request }: Http,
  asked: BrowserRequest,
): Promise<BrowserRequest> {
  const { client } = asked.target;
  if (client.document === undefined) return asked;
  const kept = await clientDocuments.keep(client, requestContextOf(request));
  return { ...asked, target: { ...asked.target, client: kept } };
}

/** The place that authorization requests send users to. */
export function createAuthorizationSignIn({
  config,
  createSignInPlace,
  describeApplication,
}: {
  config: { clientIdMetadataUrls: readonly string[] };
  createSignInPlace: CreateSignInPlace;
  describeApplication: DescribeApplication;
}) {
  return createSignInPlace<BrowserRequest>({
    belong: ({ encoded: carried, upstream, target: { client, uiLocales } }) => ({
      carried,
      clientId: client.clientId,
      uiLocales,
      upstream,
    }),
    demandOf,
    returnTo: ({ encoded }) => `/oauth/authorize?${encoded}`,
    mayBeRemembered: ({ prompts, level }) => !prompts.has('login') && level.maxAge === undefined,
    describe: async (asked) => ({
      application: nameApplicant(asked, config),
      loginHint: asked.loginHint,
      about: await describeApplication(asked.target.client),
      mayCancel: true,
    }),
  });
}

function createShowNotLetIn({ config, responses, tell }: Dependencies) {
  return ({ request, reply }: Http, asked: BrowserRequest, { user }: SignedInUser) => {
    const { clientId } = asked.target.client;
    tell({ type: 'user.not_let_in', by: 'sign_in_page', user, clientId, context: requestContextOf(request) });
    const { username } = user;
    return sendNotLetInPage(reply, asked, {
      ...config,
      application: nameApplicant(asked, config),
      username,
      responses,
    });
  };
}

function createShowConsent({ config, browserCookies, describeApplication }: Dependencies) {
  return async ({ request, reply }: Http, asked: BrowserRequest, signedIn: SignedInUser) => {
    const shown = hashShown(asked);
    return sendConsentPage(reply, {
      realm: config.realm,
      application: nameApplicant(asked, config),
      about: await describeApplication(asked.target.client),
      host: describePlace(asked.target.redirectUri),
      username: signedIn.user.username,
      scope: listOrgApiScopes(asked),
      resources: asked.shown,
      groups: signedIn.user.groups,
      shown,
      claims: listClaimsBeyond(asked.scope, asked.claims),
      formToken: browserCookies.issueFormToken(request, reply, buildConsentSubject(signedIn, asked.encoded, shown)),
      request: asked.encoded,
      messages: messagesFor(request, asked.target.uiLocales),
    });
  };
}

/** The answer goes to the redirect URI of the request, so its place says more of a client than any other of the client's. */
function nameApplicant(
  { target: { client, redirectUri } }: BrowserRequest,
  { clientIdMetadataUrls: listed }: { clientIdMetadataUrls: readonly string[] },
): ApplicationName {
  const place = describePlace(redirectUri);
  if (client.document === undefined) return nameApplication(client, place);
  return nameByDocument(client, place, isListedDocument(client.clientId, listed));
}
