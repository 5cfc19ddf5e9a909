import { type Clock, createId, toSeconds } from '@gatehouse/service-kit';
import { buildScope, type DirectoryUser, OAuthError } from '@gatehouse/shared';
import { isCurrent, type OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../origin.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { AuthorizationCodeStore } from '../storage/stores.ts';
import type { AccessTokens } from '../tokens/access-token.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';
import { createOpaqueToken } from '../tokens/opaque-token.ts';
import { authorizationCodeRetention } from './authorization-code.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { type AuthorizationResponse, buildAuthorizationResponse } from './authorization-response.ts';

/** A user who is signed in at this browser, as the organization knows it now. */
export interface SignedInUser {
  user: DirectoryUser;
  session: BrowserSession;
}

export interface Authorize {
  /** The user the session stands for, if it may answer this request without the user's doing. */
  findSignedInUser(
    request: AuthorizationRequest,
    session: BrowserSession | undefined,
    origin: Origin,
  ): Promise<SignedInUser | undefined>;
  /** Issues what the request asks for, to the user who signed in. */
  grant(request: AuthorizationRequest, signedIn: SignedInUser): Promise<AuthorizationResponse>;
}

interface Dependencies {
  codes: AuthorizationCodeStore;
  accessTokens: AccessTokens;
  idTokens: IdTokens;
  directory: OrganizationDirectory;
  issuer: string;
  clock: Clock;
}

export function createAuthorize(deps: Dependencies): Authorize {
  const { codes, accessTokens, idTokens, directory, issuer, clock } = deps;

  const issueCode = async (request: AuthorizationRequest, { user, session }: SignedInUser): Promise<string> => {
    const { token, hash } = createOpaqueToken();
    const now = clock();
    await codes.insert({
      codeHash: hash,
      grantId: createId(),
      registrationId: request.target.client.registrationId,
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge,
      scope: request.scope,
      userId: user.id,
      sessionId: session.sessionId,
      passwordChangedAt: user.passwordChangedAt,
      nonce: request.nonce,
      authTime: session.authTime,
      issuedAt: now,
      consumedAt: undefined,
      expiresAt: now + authorizationCodeRetention,
    });
    return token;
  };

  /** RFC 6749 4.2.2 and OpenID Connect Core 3.2.2.5. */
  const issueImplicit = (request: AuthorizationRequest, { user, session }: SignedInUser) => {
    const { client } = request.target;
    const grant: AuthorizationGrant = {
      grantId: createId(),
      client,
      user,
      scope: request.scope,
      authTime: session.authTime,
      nonce: request.nonce,
      sessionId: session.sessionId,
    };
    const words = request.responseType.split(' ');
    const accessToken = words.includes('token') ? accessTokens.issue(grant) : undefined;
    return {
      ...(accessToken === undefined
        ? {}
        : {
            access_token: accessToken,
            token_type: 'Bearer',
            expires_in: String(client.accessTokenValidity),
            scope: buildScope(request.scope),
          }),
      ...(words.includes('id_token')
        ? { id_token: idTokens.issue(grant, accessToken === undefined ? {} : { accessToken }) }
        : {}),
    };
  };

  return {
    async findSignedInUser(request, session, origin) {
      if (session === undefined || !satisfies(session, request, toSeconds(clock()))) return undefined;
      const user = await directory.findUserById(session.userId, origin);
      return isCurrent(user, session.passwordChangedAt) ? { user, session } : undefined;
    },
    async grant(request, signedIn) {
      // Core 3.1.2.2: the answer must be about the user the client expects.
      if (request.expectedUserId !== undefined && request.expectedUserId !== signedIn.user.id) {
        throw new OAuthError('login_required', 'another user signed in than the one id_token_hint names');
      }
      const fields =
        request.responseType === 'code'
          ? { code: await issueCode(request, signedIn) }
          : issueImplicit(request, signedIn);
      return buildAuthorizationResponse(request.target, issuer, fields);
    },
  };
}

/** Whether a session is recent enough, and of the right user, to answer without a new sign-in (Core 3.1.2.3). */
function satisfies(session: BrowserSession, request: AuthorizationRequest, now: number): boolean {
  if (request.prompts.has('login') || request.prompts.has('select_account')) return false;
  if (request.maxAge !== undefined && now - session.authTime > request.maxAge) return false;
  return request.expectedUserId === undefined || request.expectedUserId === session.userId;
}
