import { type Clock, createId } from '@gatehouse/service-kit';
import { buildScope, type DirectoryUser, OAuthError } from '@gatehouse/shared';
import { type AuthorizationCode, authorizationCodeRetention } from '../codes/authorization-code.ts';
import type { AuthorizationCodeStore } from '../codes/authorization-code-store.ts';
import type { Consents } from '../consent/consents.ts';
import type { Tell } from '../events/event.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { createOpaqueToken } from '../protocol/opaque-token.ts';
import type { Origin } from '../protocol/request-context.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts';
import type { SessionParticipants } from '../sessions/session-participants.ts';
import type { AllocateStatus } from '../status-lists/allocate-status.ts';
import type { AccessTokens } from '../tokens/access-token.ts';
import type { AuthorizationGrant } from '../tokens/authorization-grant.ts';
import type { IdTokens } from '../tokens/id-token.ts';
import type { Revocations } from '../tokens/revocations.ts';
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
  /** The user the session stands for, where it is still there, enabled and has the password of then. */
  findUserOf(session: BrowserSession, origin: Origin): Promise<SignedInUser | undefined>;
  /** Issues what the request asks for, to the user who signed in. */
  grant(request: AuthorizationRequest, signedIn: SignedInUser): Promise<AuthorizationResponse>;
}

interface Dependencies {
  codes: AuthorizationCodeStore;
  accessTokens: AccessTokens;
  idTokens: IdTokens;
  directory: OrganizationDirectory;
  allocateStatus: AllocateStatus;
  sessionParticipants: Pick<SessionParticipants, 'add' | 'tell'>;
  sessions: Pick<BrowserSessionStore, 'find'>;
  consents: Pick<Consents, 'isNeeded'>;
  revocations: Pick<Revocations, 'endGrant'>;
  tell: Tell;
  issuer: string;
  clock: Clock;
}

export function createAuthorize(deps: Dependencies): Authorize {
  const { codes, accessTokens, idTokens, directory, allocateStatus, issuer, clock } = deps;
  const { sessionParticipants, sessions, consents, revocations, tell } = deps;

  /** What was given to the client, in the form in which it can be ended: also a token that came without a code. */
  const storeGrant = async (
    request: AuthorizationRequest,
    { user, session }: SignedInUser,
    issued: Pick<AuthorizationCode, 'codeHash' | 'grantId' | 'consumedAt' | 'status'>,
  ): Promise<void> => {
    const now = clock();
    await codes.insert({
      ...issued,
      registrationId: request.target.client.registrationId,
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge,
      scope: request.scope,
      userId: user.id,
      sessionId: session.sessionId,
      passwordChangedAt: user.passwordChangedAt,
      dpopJkt: request.dpopJkt,
      claims: request.claims,
      nonce: request.nonce,
      authTime: session.authTime,
      issuedAt: now,
      expiresAt: now + authorizationCodeRetention,
    });
  };

  const issueCode = async (request: AuthorizationRequest, signedIn: SignedInUser, grantId: string) => {
    const { token, hash } = createOpaqueToken();
    await storeGrant(request, signedIn, { codeHash: hash, grantId, consumedAt: undefined, status: undefined });
    return { code: token };
  };

  /** RFC 6749 4.2.2 and OpenID Connect Core 3.2.2.5. */
  const issueImplicit = async (request: AuthorizationRequest, signedIn: SignedInUser, grantId: string) => {
    const { user, session } = signedIn;
    const { client } = request.target;
    const status = await allocateStatus(client);
    await storeGrant(request, signedIn, { codeHash: createOpaqueToken().hash, grantId, consumedAt: clock(), status });
    const grant: AuthorizationGrant = {
      grantId,
      client,
      user,
      scope: request.scope,
      authTime: session.authTime,
      claims: request.claims,
      nonce: request.nonce,
      sessionId: session.sessionId,
      status,
      dpopJkt: undefined,
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

  /** The user may have signed out, or taken consent back, while this request was under way. */
  const checkStillStands = async (request: AuthorizationRequest, { user, session }: SignedInUser, grantId: string) => {
    const { client } = request.target;
    const [found, isConsentGone] = await Promise.all([
      sessions.find(session.tokenHash),
      consents.isNeeded(client, user.id, request),
    ]);
    if (found !== undefined && !isConsentGone) return;
    await revocations.endGrant(grantId);
    if (found === undefined) await sessionParticipants.tell(session);
    throw new OAuthError('login_required', 'the user signed out or took the consent back meanwhile');
  };

  const findUserOf = async (session: BrowserSession, origin: Origin): Promise<SignedInUser | undefined> => {
    const user = await directory.findUserById(session.userId, origin);
    return user !== undefined && isCurrentSince(session.passwordChangedAt)(user) ? { user, session } : undefined;
  };

  return {
    async findSignedInUser(request, session, origin) {
      if (session === undefined || !satisfies(session, request, clock())) return undefined;
      const signedIn = await findUserOf(session, origin);
      if (signedIn !== undefined) tell({ type: 'session.answered' });
      return signedIn;
    },
    findUserOf,
    async grant(request, signedIn) {
      // Core 3.1.2.2: the answer must be about the user the client expects.
      if (request.expectedUserId !== undefined && request.expectedUserId !== signedIn.user.id) {
        throw new OAuthError('login_required', 'another user signed in than the one id_token_hint names');
      }
      await sessionParticipants.add(signedIn.session, request.target.client);
      const grantId = createId();
      const issue = request.responseType === 'code' ? issueCode : issueImplicit;
      const fields = await issue(request, signedIn, grantId);
      await checkStillStands(request, signedIn, grantId);
      return buildAuthorizationResponse(request.target, issuer, fields);
    },
  };
}

/**
 * Whether a session is recent enough, and of the right user, to answer without a new sign-in (Core 3.1.2.3). `authTime`
 * was cut to the second, so the elapsed time is never taken for shorter than it is; `max_age=0` is `prompt=login`.
 */
function satisfies(session: BrowserSession, request: AuthorizationRequest, now: number): boolean {
  if (request.prompts.has('login') || request.prompts.has('select_account')) return false;
  if (request.maxAge !== undefined && now >= (session.authTime + request.maxAge) * 1000) return false;
  return request.expectedUserId === undefined || request.expectedUserId === session.userId;
}
