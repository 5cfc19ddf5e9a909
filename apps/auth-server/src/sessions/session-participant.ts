/** A client that is to be told when a session ends, as it is stored. */
export interface SessionParticipant {
  sessionId: string;
  clientId: string;
  userId: string;
  /** When it is to be told next; undefined while the session goes on. */
  tellAt: number | undefined;
  expiresAt: number;
}
