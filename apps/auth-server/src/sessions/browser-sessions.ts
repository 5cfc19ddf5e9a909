import { type Clock, createId, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import { noProofs, type Proofs } from '../levels/proofs.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { createOpaqueToken, hashOpaqueToken } from '../protocol/opaque-token.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { BrowserSession, SessionPlace } from './browser-session.ts';
import type { BrowserSessionStore } from './browser-session-store.ts';
import type { SessionParticipants } from './session-participants.ts';

/** The proofs of a sign-in; its identity and its upstream, where it was at one. */
export type SignInProofs = Partial<Proofs> & {
  identityId?: string | undefined;
  upstreamId?: string | undefined;
};

export interface BrowserSessions {
  /**
   * Gives the session and the value of its cookie, always a new one. `sessionToken`, the cookie that the browser had, is
   * no longer valid; a session of the same user goes on under the new one. `proofs`: what the user proved, by default a
   * password just now. `identityId`: of a sign-in at an upstream. `expiresAt`: milliseconds, by default as long as a session lives.
   */
  start(
    user: DirectoryUser,
    browser: SessionPlace & { sessionToken: string | undefined },
    proofs?: SignInProofs,
    expiresAt?: number,
  ): Promise<{ token: string; session: BrowserSession }>;
  find(token: string | undefined): Promise<BrowserSession | undefined>;
  /** Ends the session and the grants that live no longer than it, and tells the clients that want to know. */
  end(token: string): Promise<void>;
  /** The sessions of a user that are in force, the oldest first. */
  listOfUser(user: DirectoryUser): Promise<BrowserSession[]>;
  /** Ends a session that is listed, in the same way. */
  endListed(session: BrowserSession): Promise<void>;
  /** Stores, every ten minutes, that a session is used. */
  touch(session: BrowserSession): Promise<void>;
}

interface Dependencies {
  sessions: BrowserSessionStore;
  revocations: Pick<Revocations, 'endGrantsOfSession'>;
  sessionParticipants: Pick<SessionParticipants, 'tell'>;
  /** Milliseconds that a session lives. No use makes it longer. */
  sessionLifetime: number;
  clock: Clock;
}

/** Sessions of one user. Where one more begins, the oldest ends. */
const mostOfUser = 100;
/** Milliseconds. */
const touchedEvery = 10 * 60_000;

export function createBrowserSessions(deps: Dependencies): BrowserSessions {
  const { sessions, sessionLifetime, clock } = deps;
  const endSession = createEndSession(deps);
  const find = async (token: string | undefined) => {
    if (token === undefined) return undefined;
    const session = await sessions.find(hashOpaqueToken(token));
    return session !== undefined && session.expiresAt > clock() ? session : undefined;
  };

  return {
    find,
    async start(user, { sessionToken, label, network }, signIn, expiresAt) {
      const former = await find(sessionToken);
      // A user who signs in again goes on with the session; the session of another user ends.
      const continued = former?.userId === user.id ? former : undefined;
      if (former !== undefined && continued === undefined) await endSession(former);
      const now = clock();
      const { token, hash } = createOpaqueToken();
      const session = {
        tokenHash: hash,
        sessionId: continued?.sessionId ?? createId(),
        userId: user.id,
        passwordChangedAt: user.passwordChangedAt,
        ...joinProofs(continued, signIn ?? { passwordAt: toSeconds(now) }),
        expiresAt: expiresAt ?? now + sessionLifetime,
        label,
        network,
        lastUsedAt: now,
      };
      await sessions.insert(session);
      if (continued !== undefined) await sessions.delete(continued.tokenHash);
      else for (const surplus of await sessions.listBeyond(user.id, mostOfUser, now)) await endSession(surplus);
      return { token, session };
    },
    async end(token) {
      const session = await find(token);
      if (session !== undefined) await endSession(session);
    },
    async listOfUser(user) {
      const now = clock();
      const all = (await sessions.listOfUser(user.id)).filter(
        (session) => session.expiresAt > now && isInForce(session, user),
      );
      // A session that goes on under a new cookie has two rows for a moment.
      return [...new Map(all.map((session) => [session.sessionId, session])).values()];
    },
    endListed: endSession,
    async touch({ tokenHash, lastUsedAt = 0 }) {
      const now = clock();
      if (lastUsedAt < now - touchedEvery) await sessions.touch(tokenHash, now, now - touchedEvery);
    },
  };
}

/** The proofs of a session, for one that goes on from it: its row may be gone by then, ended or replaced by another request. */
export function proofsOfSession({ proofs, identityId, upstreamId }: BrowserSession): SignInProofs {
  return { ...proofs, identityId, upstreamId };
}

/** Adds a sign-in to the session before. */
function joinProofs(
  before: Pick<BrowserSession, 'proofs' | 'identityId' | 'upstreamId'> = {
    proofs: noProofs,
    identityId: undefined,
    upstreamId: undefined,
  },
  { identityId = before.identityId, upstreamId = before.upstreamId, ...proofs }: SignInProofs,
) {
  // A proof from earlier in the session counts from its own time.
  return { proofs: { ...before.proofs, ...proofs }, identityId, upstreamId };
}

/** Ends the session and the grants that live no longer than it, and tells the clients that want to know. */
function createEndSession({ sessions, revocations, sessionParticipants }: Dependencies) {
  /** The grants of the session end first, so that an end that fails halfway can be repeated; once more for those added meanwhile. */
  const end = async (session: BrowserSession): Promise<void> => {
    await sessionParticipants.tell(session);
    await revocations.endGrantsOfSession(session.sessionId);
    await sessions.delete(session.tokenHash);
    await revocations.endGrantsOfSession(session.sessionId);
  };

  const ending = new Map<string, Promise<void>>();
  /** Once for all who sign out of the session at the same moment: a session with many grants takes many statements. */
  return (session: BrowserSession): Promise<void> => {
    const key = session.tokenHash.toString('hex');
    const running = ending.get(key);
    if (running !== undefined) return running;
    const started = end(session).finally(() => ending.delete(key));
    ending.set(key, started);
    return started;
  };
}

/** Whether the user has the identity by which the session began; true of one that began without any. */
export function isLinked({ identityId }: Pick<BrowserSession, 'identityId'>, user: DirectoryUser): boolean {
  return identityId === undefined || user.identities?.includes(identityId) === true;
}

/** Whether the user is enabled and has the password of then, and the identity by which the session began. */
export function isInForce(session: BrowserSession, user: DirectoryUser): boolean {
  return isLinked(session, user) && isCurrentSince(session.passwordChangedAt)(user);
}

/** A user who is signed in at this browser, as the organization knows it now. */
export interface SignedInUser {
  user: DirectoryUser;
  session: BrowserSession;
}

/**
 * The user of the session that a cookie names, where the session `suffices` and the user is still there, enabled and
 * has the password of then. A session that does not suffice asks the organization nothing.
 */
export type FindSignedInUser = (
  sessionToken: string | undefined,
  context: RequestContext,
  suffices?: (session: BrowserSession) => boolean,
) => Promise<SignedInUser | undefined>;

interface FindingDependencies {
  browserSessions: Pick<BrowserSessions, 'find' | 'touch'>;
  directory: Pick<OrganizationDirectory, 'findUserById'>;
}

export function createFindSignedInUser({ browserSessions, directory }: FindingDependencies): FindSignedInUser {
  return async (sessionToken, context, suffices = () => true) => {
    const session = await browserSessions.find(sessionToken);
    if (session === undefined || !suffices(session)) return undefined;
    const [user] = await Promise.all([directory.findUserById(session.userId, context), browserSessions.touch(session)]);
    return user !== undefined && isInForce(session, user) ? { user, session } : undefined;
  };
}
