import { type Clock, idPattern, type RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, ProblemError } from '@gatehouse/shared';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts';
import { type BrowserSessions, isInForce } from '../sessions/browser-sessions.ts';
import type { EndSessions } from '../sessions/end-sessions.ts';
import type { SessionParticipants } from '../sessions/session-participants.ts';
import { buildSessionView, type SessionView } from '../sessions/session-view.ts';
import { type Author, describeAdministrator } from './administrator.ts';

/** A page of sessions, the oldest first. */
export interface SessionPage {
  sessions: SessionView[];
  /** The `sid` of the last one, where there are more. */
  next: string | undefined;
}

export type SessionAdministration = ReturnType<typeof createSessionAdministration>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'findUserById' | 'findUserByUsername'>;
  sessions: Pick<BrowserSessionStore, 'list' | 'findBySessionId'>;
  browserSessions: Pick<BrowserSessions, 'listOfUser'>;
  sessionParticipants: Pick<SessionParticipants, 'listClients'>;
  endSessions: Pick<EndSessions, 'listed' | 'every'>;
  clock: Clock;
}

/** The sessions of users, for administrators. */
export function createSessionAdministration(deps: Dependencies) {
  const { directory, sessions, browserSessions, sessionParticipants, endSessions, clock } = deps;
  const isId = (text: string) => new RegExp(idPattern).test(text);
  /** By username or id. Throws 404, and 400 for a Robot. */
  const getUser = async (user: string, context: RequestContext): Promise<DirectoryUser> => {
    const found = await (isId(user)
      ? directory.findUserById(user, context)
      : directory.findUserByUsername(user, context));
    if (found === undefined) throw new ProblemError(404, 'there is no such user');
    if (found.userType === 'Robot') throw new ProblemError(400, 'a Robot never signs in');
    return found;
  };
  const view = async (session: BrowserSession, user: DirectoryUser) =>
    buildSessionView(session, user, await sessionParticipants.listClients(session.sessionId));
  const listAll = async (page: { after: string | undefined; limit: number }, context: RequestContext) => {
    const found = await sessions.list({ ...page, now: clock() });
    // A session that goes on under a new cookie has two rows for a moment.
    const distinct = [...new Map(found.map((session) => [session.sessionId, session])).values()];
    const shown = await Promise.all(
      distinct.map(async (session) => {
        const user = await directory.findUserById(session.userId, context);
        return user !== undefined && isInForce(session, user) ? view(session, user) : undefined;
      }),
    );
    return {
      shown: shown.filter((one) => one !== undefined),
      last: found.length < page.limit ? undefined : found.at(-1),
    };
  };
  const find = async (sid: string, context: RequestContext) => {
    const session = await sessions.findBySessionId(sid);
    const user = session && (await directory.findUserById(session.userId, context));
    const isOpen = session !== undefined && session.expiresAt > clock();
    if (!isOpen || user === undefined || !isInForce(session, user)) {
      throw new ProblemError(404, 'there is no such session');
    }
    return { session, user };
  };

  return {
    getUser,
    /** Those in force; of one user where `user` names one, all. Throws 404 for an unknown user, and 400 for a Robot. */
    async list(
      { user: name, after, limit }: { user?: string | undefined; after?: string | undefined; limit: number },
      context: RequestContext,
    ): Promise<SessionPage> {
      if (name === undefined) {
        const { shown, last } = await listAll({ after, limit }, context);
        return { sessions: shown, next: last?.sessionId };
      }
      const user = await getUser(name, context);
      const later = (await browserSessions.listOfUser(user)).filter(({ sessionId }) => sessionId > (after ?? ''));
      const page = later.slice(0, limit);
      const shown = await Promise.all(page.map((session) => view(session, user)));
      return { sessions: shown, next: later.length > limit ? page.at(-1)?.sessionId : undefined };
    },
    async get(sid: string, context: RequestContext): Promise<SessionView> {
      const { session, user } = await find(sid, context);
      return view(session, user);
    },
    async end(sid: string, { administrator, context }: Author): Promise<void> {
      const { session, user } = await find(sid, context);
      await endSessions.listed(user, session, { context, administrator: describeAdministrator(administrator) });
    },
    /** Every session and every grant, offline access included. */
    async endAll(name: string, { administrator, context }: Author): Promise<void> {
      await endSessions.every(await getUser(name, context), {
        context,
        administrator: describeAdministrator(administrator),
      });
    },
  };
}
