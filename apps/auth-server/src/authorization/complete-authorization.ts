import { OAuthError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { displayNameOf, isThirdParty } from '../clients/client.ts';
import { sendConsentPage } from '../consent/consent-page.ts';
import type { Consents } from '../consent/consents.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import { listClaimsBeyond } from '../tokens/userinfo-claims.ts';
import type { AuthorizationExchange } from './authorization-exchange.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { Authorize, SignedInUser } from './authorize.ts';

/** The last step for a user who is signed in: asks for consent where it is needed, else answers the client. */
export type CompleteAuthorization = (
  http: { request: FastifyRequest; reply: FastifyReply },
  authorizationRequest: AuthorizationRequest,
  encoded: string,
  signedIn: SignedInUser,
) => Promise<FastifyReply>;

interface Dependencies {
  config: { realm: string };
  authorizationExchange: AuthorizationExchange;
  authorize: Authorize;
  consents: Consents;
  browserCookies: BrowserCookies;
}

export function createCompleteAuthorization(deps: Dependencies): CompleteAuthorization {
  const { config, authorizationExchange, authorize, consents, browserCookies } = deps;
  return async ({ request, reply }, authorizationRequest, encoded, signedIn) => {
    const { target, scope, claims, prompts } = authorizationRequest;
    const isAskedAnew = prompts.has('consent') && isThirdParty(target.client);
    if (!isAskedAnew && !(await consents.isNeeded(target.client, signedIn.user.id, authorizationRequest))) {
      return authorizationExchange.send(reply, await authorize.grant(authorizationRequest, signedIn));
    }
    // OpenID Connect Core 3.1.2.6
    if (prompts.has('none')) throw new OAuthError('consent_required', 'the user has not allowed this yet');
    return sendConsentPage(reply, {
      realm: config.realm,
      application: displayNameOf(target.client),
      username: signedIn.user.username,
      scope,
      claims: listClaimsBeyond(scope, claims),
      formToken: browserCookies.issueFormToken(request, reply, consentSubject(signedIn, encoded)),
      request: encoded,
    });
  };
}

/** What the consent form is about: this session and this request. A fresh sign-in it followed stays proved by that. */
export function consentSubject({ session }: Pick<SignedInUser, 'session'>, encoded: string): string {
  return `consent ${session.sessionId} ${encoded}`;
}
