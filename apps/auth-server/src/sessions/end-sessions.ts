import type { RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import type { AdministratorFacts, RecordFact } from '../events/event.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { BrowserSession } from './browser-session.ts';
import type { BrowserSessions, SignedInUser } from './browser-sessions.ts';
import type { RememberedBrowsers } from './remembered-browsers.ts';

/** The request that ends sessions; by whom, where that is not their user. */
export interface Ending {
  context: RequestContext;
  administrator?: AdministratorFacts | undefined;
}

export type EndSessions = ReturnType<typeof createEndSessions>;

interface Dependencies {
  browserSessions: Pick<BrowserSessions, 'listOfUser' | 'endListed'>;
  rememberedBrowsers: Pick<RememberedBrowsers, 'forgetAll'>;
  revocations: Pick<Revocations, 'endGrantsOfUser'>;
  record: RecordFact;
}

/** Ends sessions of a user. Each ends as by a sign-out: the clients that want to know are told. */
export function createEndSessions({ browserSessions, rememberedBrowsers, revocations, record }: Dependencies) {
  const listed = async (user: DirectoryUser, session: BrowserSession, ending: Ending): Promise<void> => {
    await browserSessions.endListed(session);
    await record({ type: 'session.ended', user, sessionId: session.sessionId, ...ending });
  };
  const endAll = async (
    user: DirectoryUser,
    ending: Ending,
    which: (session: BrowserSession) => boolean,
  ): Promise<void> => {
    // Those of a disabled user too: once it is enabled again they would be in force.
    const sessions = await browserSessions.listOfUser({ ...user, enabled: true });
    await Promise.all(sessions.filter(which).map((session) => listed(user, session, ending)));
  };
  return {
    /** One that was listed. */
    listed,
    /** Nothing where the user has no such session. */
    one: ({ user }: SignedInUser, sessionId: string, context: RequestContext): Promise<void> =>
      endAll(user, { context }, (session) => session.sessionId === sessionId),
    others: ({ user, session: own }: SignedInUser, context: RequestContext): Promise<void> =>
      endAll(user, { context }, (session) => session.sessionId !== own.sessionId),
    /** Every other session, and the browsers that were remembered: the methods of the user changed. */
    async afterChange({ user, session: own }: SignedInUser, context: RequestContext): Promise<void> {
      await rememberedBrowsers.forgetAll(user.id);
      await endAll(user, { context }, (session) => session.sessionId !== own.sessionId);
    },
    /** Every session, and every grant of the user, offline access included. */
    async every(user: DirectoryUser, ending: Ending): Promise<void> {
      await rememberedBrowsers.forgetAll(user.id);
      await endAll(user, ending, () => true);
      await revocations.endGrantsOfUser(user.id);
    },
  };
}
