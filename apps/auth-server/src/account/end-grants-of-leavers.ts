import { randomUUID } from 'node:crypto';
import type { Clock, Logger, Repeat, RequestContext } from '@gatehouse/service-kit';
import type { SearchPlace } from '@gatehouse/service-kit/terms';
import type { DirectorySettings, DirectoryUser } from '@gatehouse/shared';
import { letsIn } from '../clients/allowed-groups.ts';
import type { Client } from '../clients/client.ts';
import type { ClientListStore } from '../clients/client-list-store.ts';
import { findingTerms } from '../clients/client-terms.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts';
import { type BrowserSessions, isLinked } from '../sessions/browser-sessions.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { UpstreamStore } from '../upstreams/upstream-store.ts';

/** Milliseconds. */
const interval = 20_000;
/** Milliseconds by which the clocks of the services may differ. */
const leeway = 60_000;

type ChangedUsers = NonNullable<DirectorySettings['changedUsers']>;

export interface LeaverDependencies {
  directory: Pick<OrganizationDirectory, 'readSettings' | 'findUserById'>;
  settings: Pick<OrganizationSettings, 'find'>;
  clientLists: Pick<ClientListStore, 'search'>;
  revocations: Pick<Revocations, 'endGrantsOf'>;
  upstreams: Pick<UpstreamStore, 'listRecent'>;
  sessions: Pick<BrowserSessionStore, 'listOfUser'>;
  browserSessions: Pick<BrowserSessions, 'endListed'>;
  clock: Clock;
  repeat: Repeat;
  log: Pick<Logger, 'warn'>;
}

/**
 * Asks org-api three times a minute which users changed, where a client lets the users of some groups alone in, or users sign in at
 * upstreams. Ends their grants at the clients that let them in no more, and the sessions that began by an account that was unlinked.
 * Several replicas may do it. A change that one of them learns of twice ends nothing twice.
 */
export function startEndingGrantsOfLeavers(deps: LeaverDependencies): () => void {
  const { directory, settings, upstreams, clock, repeat, log } = deps;
  let after = clock() - leeway;
  /** The versions that were looked at and that the next answer has again. */
  let seen = new Map<string, number>();
  const endOfChanged = async (
    clients: readonly Client[],
    hasUpstreams: boolean,
    context: RequestContext,
  ): Promise<ChangedUsers> => {
    const { changedUsers = [] } = (await directory.readSettings(context, { changedAfter: Math.max(0, after) })) ?? {};
    for (const { id, updatedAt } of changedUsers) {
      if (seen.get(id) === updatedAt) continue;
      const user = await directory.findUserById(id, context);
      if (user === undefined) continue;
      await endGrantsOf(deps, clients, user);
      if (hasUpstreams) await endSessionsOfUnlinked(deps, user);
    }
    seen = new Map(changedUsers.map(({ id, updatedAt }) => [id, updatedAt]));
    return changedUsers;
  };
  const look = async (): Promise<void> => {
    const context = { address: 'auth-server', requestId: randomUUID() };
    if ((await settings.find(context))?.groups !== true) return;
    const startedAt = clock();
    const clients = await listClients(deps);
    const hasUpstreams = (await upstreams.listRecent()).length > 0;
    if (clients.length === 0 && !hasUpstreams) {
      after = startedAt - leeway;
      return;
    }
    const changedUsers = await endOfChanged(clients, hasUpstreams, context);
    // A page is full: the rest comes with the next look.
    const last = changedUsers.at(-1)?.updatedAt ?? after;
    after = changedUsers.length < 1_000 ? startedAt - leeway : Math.max(last, after + 1);
  };
  let isLooking = false;
  return repeat(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      // An organization that is out of reach is told elsewhere; the next look asks for the same.
      .catch((error: unknown) => {
        if (error instanceof OrganizationUnavailableError) return;
        log.warn({ err: error }, 'grants and sessions of users who changed could not be ended');
      })
      .finally(() => {
        isLooking = false;
      });
  }, interval);
}

async function listClients({ clientLists }: LeaverDependencies): Promise<Client[]> {
  const found: Client[] = [];
  let place: SearchPlace | undefined;
  do {
    const facets = [findingTerms.allowedGroups];
    const page = await clientLists.search({ words: [], facets, place, limit: 200 });
    found.push(...page.clients);
    place = page.next;
  } while (place !== undefined);
  return found;
}

async function endGrantsOf({ revocations }: LeaverDependencies, clients: readonly Client[], user: DirectoryUser) {
  for (const client of clients) {
    if (!letsIn(client, user)) await revocations.endGrantsOf(user.id, client.registrationId);
  }
}

async function endSessionsOfUnlinked({ sessions, browserSessions }: LeaverDependencies, user: DirectoryUser) {
  for (const session of await sessions.listOfUser(user.id)) {
    if (!isLinked(session, user)) await browserSessions.endListed(session);
  }
}
