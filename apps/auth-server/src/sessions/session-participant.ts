/** A client that got something from a session, as it is stored. It is told when the session ends, where it wants to be. */
export interface SessionParticipant {
  sessionId: string;
  clientId: string;
  userId: string;
  /** When it is to be told next; undefined while the session goes on. */
  tellAt: number | undefined;
  expiresAt: number;
}
