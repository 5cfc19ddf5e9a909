import type { RequestContext } from '@gatehouse/service-kit';
import { type AuditTrail, buildAuditEventView, listEventsOfUser, mergeEvents } from '@gatehouse/service-kit/audit';
import type { AccountData, DirectoryUser, Identity, UserDetails, UserMethods } from '@gatehouse/shared';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { BrowserSessions } from '../sessions/browser-sessions.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { SessionParticipants } from '../sessions/session-participants.ts';
import { buildSessionView, type SessionView } from '../sessions/session-view.ts';
import { DeletedUserError } from './deleted-user.ts';
import type { ListApplications } from './list-applications.ts';

/** The newest events of each service. */
const mostEvents = 1_000;

type Event = NonNullable<AccountData['events']>[number];

/** All that both services keep of a user, but secrets and keys. Instants are RFC 3339, UTC. */
export interface UserData {
  user: UserDetails;
  methods: UserMethods;
  /** The accounts at upstreams. */
  identities: Identity[];
  sessions: SessionView[];
  rememberedBrowsers: {
    id: string;
    browser: string;
    network: string;
    createdAt: string;
    lastUsedAt: string;
    expiresAt: string;
  }[];
  applications: { clientId: string; name: string; scope: string[]; since: string }[];
  /** By or about the user, the newest first. No other person is named. */
  activity: Event[];
}

export type DescribeData = ReturnType<typeof createDescribeData>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'describeAccount'>;
  browserSessions: Pick<BrowserSessions, 'listOfUser'>;
  sessionParticipants: Pick<SessionParticipants, 'listClients'>;
  rememberedBrowsers: Pick<RememberedBrowsers, 'listOfUser'>;
  listApplications: ListApplications;
  audit: Pick<AuditTrail, 'list'>;
}

/** Describes all that is kept of a user. Throws an OrganizationUnavailableError and a DeletedUserError. */
export function createDescribeData(deps: Dependencies) {
  const { directory, browserSessions, sessionParticipants, rememberedBrowsers, listApplications, audit } = deps;
  const listSessions = async (user: DirectoryUser): Promise<SessionView[]> =>
    Promise.all(
      (await browserSessions.listOfUser(user)).map(async (session) =>
        buildSessionView(session, user, await sessionParticipants.listClients(session.sessionId)),
      ),
    );
  return async (user: DirectoryUser, context: RequestContext): Promise<UserData> => {
    const { id: userId } = user;
    const events = { from: 0, limit: mostEvents };
    const [account, sessions, remembered, applications, own] = await Promise.all([
      directory.describeAccount({ userId, events }, context),
      listSessions(user),
      rememberedBrowsers.listOfUser(user),
      listApplications(user),
      listEventsOfUser(audit, { userId, ...events }),
    ]);
    if (account === undefined) throw new DeletedUserError();
    const activity = mergeEvents<Event>([own.map(buildAuditEventView), account.events ?? []], 2 * mostEvents);
    return {
      user: account.user,
      methods: account.methods,
      identities: account.identities ?? [],
      sessions,
      rememberedBrowsers: remembered.map(({ id, label, network, createdAt, lastUsedAt, expiresAt }) => ({
        ...{ id, browser: label, network, createdAt: name(createdAt) },
        ...{ lastUsedAt: name(lastUsedAt), expiresAt: name(expiresAt) },
      })),
      applications: applications.map(({ clientId, application, scope, grantedAt }) => ({
        ...{ clientId, name: application.name, scope: [...scope] },
        since: name(grantedAt),
      })),
      activity: activity.map((event) => hideOthers(event, userId)),
    };
  };
}

function name(instant: number): string {
  return new Date(instant).toISOString();
}

/** Names no other person: of an event by an administrator it leaves the name, the id and the network out. */
function hideOthers(event: Event, userId: string): Event {
  const hide = (party: Event['actor']) => (isAnother(party, userId) ? { kind: party.kind } : party);
  const { actor, subject, address } = event;
  const { address: _hidden, ...rest } = event;
  return {
    ...rest,
    actor: hide(actor),
    ...(subject !== undefined && { subject: hide(subject) }),
    ...(address !== undefined && !isAnother(actor, userId) && { address }),
  };
}

function isAnother(party: Event['actor'], userId: string): boolean {
  return party.kind === 'user' && party.id !== userId;
}
