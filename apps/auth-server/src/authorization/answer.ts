import { createId } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { PushedRequests } from '../codes/pushed-requests.ts';
import type { Consents } from '../consent/consents.ts';
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts';
import type { SignedInUser } from '../sessions/browser-sessions.ts';
import type { SessionParticipants } from '../sessions/session-participants.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationResponse, AuthorizationResponses } from './authorization-response.ts';
import type { IssueFields } from './issue-fields.ts';

/** Issues what the request asks for, to the user who signed in. */
export type Answer = (asked: AuthorizationRequest, signedIn: SignedInUser) => Promise<AuthorizationResponse>;

interface Dependencies {
  issueFields: IssueFields;
  sessionParticipants: Pick<SessionParticipants, 'add' | 'tell'>;
  sessions: Pick<BrowserSessionStore, 'find'>;
  consents: Pick<Consents, 'isNeeded'>;
  revocations: Pick<Revocations, 'endGrant'>;
  pushedRequests: Pick<PushedRequests, 'use'>;
  responses: Pick<AuthorizationResponses, 'build'>;
}

export function createAnswer(deps: Dependencies): Answer {
  const { issueFields, sessionParticipants, sessions, consents, revocations, pushedRequests, responses } = deps;

  /** The user may sign out or withdraw consent while this request runs. */
  const checkStillStands = async (asked: AuthorizationRequest, { user, session }: SignedInUser, grantId: string) => {
    const [isConsentGone, found] = await Promise.all([
      consents.isNeeded(asked.target.client, user.id, asked),
      sessions.find(session.tokenHash),
    ]);
    if (found !== undefined && !isConsentGone) return;
    await revocations.endGrant(grantId);
    if (found === undefined) await sessionParticipants.tell(session);
    throw new OAuthError(
      'login_required',
      'the user signed out or withdrew the consent during this request; start again',
    );
  };

  return async (asked, signedIn) => {
    checkExpectedUser(asked, signedIn);
    if (asked.pushed !== undefined) await pushedRequests.use(asked.pushed);
    await sessionParticipants.add(signedIn.session, asked.target.client);
    const grantId = createId();
    const fields = await issueFields(asked, signedIn, grantId);
    await checkStillStands(asked, signedIn, grantId);
    return responses.build(asked.target, fields);
  };
}

/** OpenID Connect Core 3.1.2.2: the answer must be about the user the client expects. */
function checkExpectedUser({ expectedUserId }: AuthorizationRequest, { user }: SignedInUser): void {
  if (expectedUserId === undefined || expectedUserId === user.id) return;
  throw new OAuthError('login_required', 'the user who signed in is not the user that id_token_hint or claims names');
}
