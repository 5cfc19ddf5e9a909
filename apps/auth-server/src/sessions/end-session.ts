import type { Revocations } from '../tokens/revocations.ts';
import type { BrowserSession } from './browser-session.ts';
import type { BrowserSessionStore } from './browser-session-store.ts';
import type { SessionParticipants } from './session-participants.ts';

/** Ends the session and the grants that live no longer than it, and tells the clients that want to know. */
export type EndSession = (session: BrowserSession) => Promise<void>;

interface Dependencies {
  sessions: Pick<BrowserSessionStore, 'delete'>;
  revocations: Pick<Revocations, 'endGrantsOfSession'>;
  sessionParticipants: Pick<SessionParticipants, 'tell'>;
}

export function createEndSession({ sessions, revocations, sessionParticipants }: Dependencies): EndSession {
  /** What hangs on the session first, so that what fails halfway can be repeated; once more for what came meanwhile. */
  const end = async (session: BrowserSession): Promise<void> => {
    await sessionParticipants.tell(session);
    await revocations.endGrantsOfSession(session.sessionId);
    await sessions.delete(session.tokenHash);
    await revocations.endGrantsOfSession(session.sessionId);
  };

  const ending = new Map<string, Promise<void>>();
  /** Once for all who sign out of the session at the same moment: a session with many grants takes many statements. */
  return (session) => {
    const key = session.tokenHash.toString('hex');
    const running = ending.get(key);
    if (running !== undefined) return running;
    const started = end(session).finally(() => ending.delete(key));
    ending.set(key, started);
    return started;
  };
}
