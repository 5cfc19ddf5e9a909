import { randomUUID } from 'node:crypto';
import type { Clock, Logger, Repeat, RequestContext } from '@gatehouse/service-kit';
import type { SearchPlace } from '@gatehouse/service-kit/terms';
import type { DirectorySettings } from '@gatehouse/shared';
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

/** Milliseconds. */
const interval = 20_000;
/** Milliseconds by which the clocks of the services may differ. */
const leeway = 60_000;
/** Users in an answer of org-api, at most. */
const mostOfPage = 1_000;

type ChangedUsers = NonNullable<DirectorySettings['changedUsers']>;

export interface LeaverDependencies {
  config: { sessionLifetime: number };
  directory: Pick<OrganizationDirectory, 'readSettings' | 'findUserById'>;
  settings: Pick<OrganizationSettings, 'find'>;
  clientLists: Pick<ClientListStore, 'search'>;
  revocations: Pick<Revocations, 'endGrantsOf'>;
  sessions: Pick<BrowserSessionStore, 'listOfUser'>;
  browserSessions: Pick<BrowserSessions, 'endListed'>;
  clock: Clock;
  repeat: Repeat;
  log: Pick<Logger, 'warn'>;
}

/**
 * Asks org-api three times a minute which users changed. Ends their grants at the clients that let them in no more, and the sessions that
 * began by an account that was unlinked, with their grants; so it does at the start for what changed while no replica looked, as long
 * as a session lives, a page with each look. Several replicas may do it. A change that one of them learns of twice ends nothing twice.
 */
export function startEndingGrantsOfLeavers(deps: LeaverDependencies): () => void {
  const { config, directory, settings, clock, repeat, log } = deps;
  const begunAt = clock() - leeway;
  let after = begunAt;
  /** The versions that were looked at and that the next answer has again. */
  let seen = new Map<string, number>();
  /** Undefined once all that was missed is looked at. */
  let missedAfter: number | undefined = clock() - config.sessionLifetime;
  const readPage = async (changedAfter: number, context: RequestContext): Promise<ChangedUsers> =>
    (await directory.readSettings(context, { changedAfter: Math.max(0, changedAfter) }))?.changedUsers ?? [];

  const lookAtNew = async (clients: readonly Client[], context: RequestContext): Promise<void> => {
    const startedAt = clock();
    const page = await readPage(after, context);
    for (const { id, updatedAt } of page) {
      if (seen.get(id) !== updatedAt) await endOfUser(deps, clients, id, context);
    }
    seen = new Map(page.map(({ id, updatedAt }) => [id, updatedAt]));
    // A page is full: the rest comes with the next look.
    const last = page.at(-1)?.updatedAt ?? after;
    after = page.length < mostOfPage ? startedAt - leeway : Math.max(last, after + 1);
  };
  const lookAtMissed = async (clients: readonly Client[], context: RequestContext): Promise<void> => {
    if (missedAfter === undefined) return;
    const page = await readPage(missedAfter, context);
    const missed = page.filter(({ updatedAt }) => updatedAt < begunAt);
    for (const { id } of missed) await endOfUser(deps, clients, id, context);
    const last = missed.at(-1)?.updatedAt ?? begunAt;
    missedAfter = missed.length < mostOfPage ? undefined : Math.max(last, missedAfter + 1);
  };
  const look = async (): Promise<void> => {
    const context = { address: 'auth-server', requestId: randomUUID() };
    if ((await settings.find(context))?.groups !== true) return;
    const clients = await listClients(deps);
    await lookAtNew(clients, context);
    await lookAtMissed(clients, context);
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

/** A user without a session that began at an upstream costs no question where no client asks for groups. */
async function endOfUser(
  { directory, revocations, sessions, browserSessions }: LeaverDependencies,
  clients: readonly Client[],
  id: string,
  context: RequestContext,
): Promise<void> {
  const begunThere = (await sessions.listOfUser(id)).filter(({ identityId }) => identityId !== undefined);
  if (clients.length === 0 && begunThere.length === 0) return;
  const user = await directory.findUserById(id, context);
  if (user === undefined) return;
  for (const client of clients) {
    if (!letsIn(client, user)) await revocations.endGrantsOf(user.id, client.registrationId);
  }
  for (const session of begunThere) {
    if (!isLinked(session, user)) await browserSessions.endListed(session);
  }
}
