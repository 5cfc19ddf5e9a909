import type { RequestContext } from '@gatehouse/service-kit';
import type { RecordFact } from '../events/event.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { BrowserSessions, SignedInUser } from '../sessions/browser-sessions.ts';
import type { Revocations } from '../tokens/revocations.ts';

export type EndSessions = ReturnType<typeof createEndSessions>;

interface Dependencies {
  browserSessions: Pick<BrowserSessions, 'listOfUser' | 'endListed'>;
  revocations: Pick<Revocations, 'endGrantsOfUser'>;
  record: RecordFact;
}

/** Ends sessions of a user for the user. Each ends as by a sign-out: the clients that want to know are told. */
export function createEndSessions({ browserSessions, revocations, record }: Dependencies) {
  const end = async ({ user }: SignedInUser, session: BrowserSession, context: RequestContext): Promise<void> => {
    await browserSessions.endListed(session);
    await record({ type: 'session.ended', user, sessionId: session.sessionId, context });
  };
  const endAll = async (
    signedIn: SignedInUser,
    context: RequestContext,
    which: (session: BrowserSession) => boolean,
  ): Promise<void> => {
    const sessions = await browserSessions.listOfUser(signedIn.user);
    await Promise.all(sessions.filter(which).map((session) => end(signedIn, session, context)));
  };
  const isOther = (own: SignedInUser) => (session: BrowserSession) => session.sessionId !== own.session.sessionId;
  return {
    /** Nothing where the user has no such session. */
    one: (signedIn: SignedInUser, sessionId: string, context: RequestContext): Promise<void> =>
      endAll(signedIn, context, (session) => session.sessionId === sessionId),
    others: (signedIn: SignedInUser, context: RequestContext): Promise<void> =>
      endAll(signedIn, context, isOther(signedIn)),
    /** This one too, and every grant of the user, offline access included. */
    async every(signedIn: SignedInUser, context: RequestContext): Promise<void> {
      await endAll(signedIn, context, () => true);
      await revocations.endGrantsOfUser(signedIn.user.id);
    },
  };
}
