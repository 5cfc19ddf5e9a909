import { requestContextOf, tellRefusal } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { getForm, getQuery } from '../http/form.ts';
import { readByHand } from '../http/oauth-endpoint.ts';
import { describePage } from '../pages/describe-page.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import { parseParameters, type RequestParameters } from '../protocol/request-parameters.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import { type Http, staleForm } from '../sign-in/place-endpoint.ts';
import type { Decide } from './decide.ts';
import { sendDeviceDecidedPage } from './device-page.ts';
import type { LookUpCode } from './look-up-code.ts';
import { buildCodeSubject, buildDecisionSubject, type NextPage, nameDevice } from './next-page.ts';

interface Dependencies {
  config: { realm: string };
  browserCookies: BrowserCookies;
  findSignedIn: FindSignedIn;
  lookUpCode: LookUpCode;
  decide: Decide;
  nextPage: NextPage;
}

/** Seconds after which a session does not suffice: who allows a device is the user, and not who found the browser open. */
const longestSession = 300;

const userCode = Type.Optional(Type.String({ description: 'The code that the device shows' }));
const failures = { 400: describePage('The code is not right'), 429: describePage('Too many wrong codes') };
const page = describePage('The sign-in page, the page for the code, or the page that asks for a decision');
const schemaOfGet = {
  tags: ['pages'],
  operationId: 'connectDevice',
  summary: 'Connect a device',
  description: 'RFC 8628 3.3: the verification URI.',
  querystring: Type.Object({ user_code: userCode }),
  response: { 200: page, ...failures },
};
const schemaOfPost = {
  tags: ['pages'],
  operationId: 'connectDeviceByForm',
  summary: 'Connect a device, by the forms of that page',
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object({
    user_code: userCode,
    decision: Type.Optional(Type.String({ description: 'allow, or anything else' })),
    form_token: Type.Optional(Type.String()),
  }),
  response: { 200: page, ...failures },
};

/** `GET` and `POST /oauth/device` (RFC 8628 3.3): a user signs in, types a code, and decides about the device. */
export function registerDevice(app: FastifyInstance, deps: Dependencies): void {
  const { browserCookies, findSignedIn, nextPage } = deps;
  const findUser = (request: FastifyRequest) => findSignedIn(request, { maxAge: longestSession });

  app.get('/oauth/device', { schema: schemaOfGet, ...readByHand }, async (request, reply) => {
    const typed = parseParameters(getQuery(request)).get('user_code');
    const signedIn = await findUser(request);
    const http = { request, reply };
    if (signedIn === undefined) return nextPage.showSignIn(http, typed);
    // Another site must not type wrong codes for a user: a link of one fills the form in, and the user sends it.
    if (request.headers['sec-fetch-site'] === 'cross-site') return nextPage.showCode(http, signedIn, { typed });
    return nextPage.goOn(http, signedIn, typed);
  });

  app.post('/oauth/device', { schema: schemaOfPost, ...readByHand }, async (request, reply) => {
    const http = { request, reply };
    const form = getForm(request);
    const typed = form.get('user_code');
    const signedIn = await findUser(request);
    if (signedIn === undefined) return nextPage.showSignIn(http, typed);
    if (typed !== undefined && form.has('decision')) return takeDecision(deps, http, signedIn, typed, form);
    // Another site must not type wrong codes for a user.
    const isOurs = browserCookies.isFormTokenValid(request, form.get('form_token'), buildCodeSubject(signedIn));
    return nextPage.goOn(http, signedIn, isOurs ? typed : undefined);
  });
}

/** The code is looked up again: it may have expired, and what the page said of it may have changed. */
async function takeDecision(
  { config, browserCookies, lookUpCode, decide, nextPage }: Dependencies,
  http: Http,
  signedIn: SignedInUser,
  typed: string,
  form: RequestParameters,
): Promise<FastifyReply> {
  const { request, reply } = http;
  const context = requestContextOf(request);
  const looked = await lookUpCode(typed, signedIn.user, context);
  if (looked.outcome !== 'found') return nextPage.showRefused(http, signedIn, undefined, looked);
  const { device } = looked;
  const messages = messagesFor(request);
  const subject = buildDecisionSubject(signedIn, device);
  if (!browserCookies.isFormTokenValid(request, form.get('form_token'), subject)) {
    tellRefusal(request, staleForm);
    return nextPage.showDecision(http, signedIn, device, { status: 403, message: messages.device.stale });
  }
  // A step that is offered was taken or skipped before the page of the decision was shown.
  const due = await nextPage.showLevelStep(http, signedIn, device, { skipsSetUp: true });
  if (due !== undefined) return due.sent;
  const decision = form.get('decision') === 'allow' ? 'allow' : 'deny';
  const isDecided = await decide(device, signedIn, decision, context);
  if (!isDecided) return nextPage.showRefused(http, signedIn, undefined, { outcome: 'wrong' });
  const application = nameDevice(device.client);
  return sendDeviceDecidedPage(reply, { realm: config.realm, application, decision, messages });
}
