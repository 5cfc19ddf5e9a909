import { type DirectoryUser, type Level, levels } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { listReached } from '../levels/proofs.ts';
import { type BrowserSession, sessionStartOf } from './browser-session.ts';

/** A session, as administrators and its user see it. Instants are RFC 3339, UTC. */
export const SessionView = Type.Object(
  {
    sid: Type.String({ description: 'UUID: the `sid` of ID tokens' }),
    user: Type.Object({ id: Type.String(), username: Type.String() }),
    browser: Type.Optional(Type.String({ description: 'Browser and system, as they name themselves' })),
    network: Type.Optional(Type.String({ description: 'An IPv4 address, or the first 64 bits of an IPv6 address' })),
    createdAt: Type.String(),
    lastUsedAt: Type.Optional(Type.String({ description: 'Within ten minutes' })),
    expiresAt: Type.String(),
    acr: Type.Enum([...levels], { description: 'The highest level that it reached' }),
    amr: Type.Array(Type.String()),
    clients: Type.Array(Type.String(), { description: 'The client_ids that got something from it' }),
  },
  { $id: 'Session', description: 'A user who is signed in at a browser' },
);
export type SessionView = Static<typeof SessionView>;

/** The highest level of a session, and how it was reached. */
export function findHighestLevel({ proofs }: Pick<BrowserSession, 'proofs'>): { acr: Level; amr: readonly string[] } {
  return listReached(proofs).at(-1) ?? { acr: levels[0], amr: [] };
}

export function buildSessionView(
  session: BrowserSession,
  { id, username }: Pick<DirectoryUser, 'id' | 'username'>,
  clients: string[],
): SessionView {
  const { sessionId: sid, label, network, lastUsedAt, expiresAt } = session;
  const { acr, amr } = findHighestLevel(session);
  const name = (instant: number) => new Date(instant).toISOString();
  return {
    sid,
    user: { id, username },
    ...(label !== undefined && { browser: label }),
    ...(network !== undefined && { network }),
    createdAt: name(sessionStartOf(session)),
    ...(lastUsedAt !== undefined && { lastUsedAt: name(lastUsedAt) }),
    expiresAt: name(expiresAt),
    ...{ acr, amr: [...amr], clients },
  };
}
