import type { RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import type { BrowserSession } from './browser-session.ts';
import type { BrowserSessions } from './browser-sessions.ts';

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

interface Dependencies {
  browserSessions: Pick<BrowserSessions, 'find'>;
  directory: Pick<OrganizationDirectory, 'findUserById'>;
}

export function createFindSignedInUser({ browserSessions, directory }: Dependencies): FindSignedInUser {
  return async (sessionToken, context, suffices = () => true) => {
    const session = await browserSessions.find(sessionToken);
    if (session === undefined || !suffices(session)) return undefined;
    const user = await directory.findUserById(session.userId, context);
    return user !== undefined && isCurrentSince(session.passwordChangedAt)(user) ? { user, session } : undefined;
  };
}
