import type { Level } from '@gatehouse/shared';
import { displayNameOf } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { type BrowserSession, sessionStartOf } from '../sessions/browser-session.ts';
import type { BrowserSessions, SignedInUser } from '../sessions/browser-sessions.ts';
import type { SessionParticipants } from '../sessions/session-participants.ts';
import { findHighestLevel } from '../sessions/session-view.ts';

/** A session as its user sees it. Instants are milliseconds. */
export interface ShownSession extends Pick<BrowserSession, 'sessionId' | 'label' | 'network' | 'lastUsedAt'> {
  startedAt: number;
  /** The highest one that it reached. */
  acr: Level;
  /** The names of the clients that got something from it. */
  applications: string[];
  /** Whether the user looks at it from this session. */
  isThis: boolean;
}

export type ListSessions = (signedIn: SignedInUser) => Promise<ShownSession[]>;

interface Dependencies {
  browserSessions: Pick<BrowserSessions, 'listOfUser'>;
  sessionParticipants: Pick<SessionParticipants, 'listClients'>;
  clients: Pick<ClientStore, 'find'>;
}

/** Lists the sessions of a user: this one first, then the one that was used last. */
export function createListSessions({ browserSessions, sessionParticipants, clients }: Dependencies): ListSessions {
  const nameApplications = async (sessionId: string): Promise<string[]> => {
    const found = await Promise.all((await sessionParticipants.listClients(sessionId)).map(clients.find));
    return found.filter((client) => client !== undefined).map(displayNameOf);
  };
  return async ({ user, session: own }) => {
    const sessions = await browserSessions.listOfUser(user);
    const shown = await Promise.all(
      sessions.map(async (session): Promise<ShownSession> => {
        const { sessionId, label, network, lastUsedAt } = session;
        const { acr } = findHighestLevel(session);
        const applications = await nameApplications(sessionId);
        const isThis = sessionId === own.sessionId;
        return { sessionId, label, network, lastUsedAt, startedAt: sessionStartOf(session), acr, applications, isThis };
      }),
    );
    return shown.sort((one, other) => rank(other) - rank(one));
  };
}

function rank({ isThis, lastUsedAt, startedAt }: ShownSession): number {
  return isThis ? Number.POSITIVE_INFINITY : (lastUsedAt ?? startedAt);
}
