import { randomUUID } from 'node:crypto';
import type { Clock, Logger, Repeat } from '@gatehouse/service-kit';
import { eraseFromAudit } from '@gatehouse/service-kit/audit';
import type { Database } from '@gatehouse/service-kit/database';
import type { ConsentStore } from '../consent/consent-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';
import type { BrowserSessionStore } from '../sessions/browser-session-store.ts';
import type { BrowserSessions } from '../sessions/browser-sessions.ts';
import type { RememberedBrowsers } from '../sessions/remembered-browsers.ts';
import type { Revocations } from '../tokens/revocations.ts';

/** Milliseconds. The first look waits until this server publishes its keys, by which org-api checks who asks. */
const interval = 10_000;
/** Every sixth turn is a look. */
const turnsPerLook = 6;
const keptFor = 30 * 86_400_000;
/** Milliseconds by which the clocks of the services may differ. */
const leeway = 5 * 60_000;

export interface ForgettingDependencies {
  directory: Pick<OrganizationDirectory, 'readSettings'>;
  settings: Pick<OrganizationSettings, 'find'>;
  sessions: Pick<BrowserSessionStore, 'listOfUser'>;
  browserSessions: Pick<BrowserSessions, 'endListed'>;
  revocations: Pick<Revocations, 'endGrantsOfUser'>;
  rememberedBrowsers: Pick<RememberedBrowsers, 'forgetAll'>;
  consentStore: Pick<ConsentStore, 'deleteOfUser'>;
  /** Whose audit trail it is. */
  database: Database;
  clock: Clock;
  repeat: Repeat;
  log: Pick<Logger, 'warn'>;
}

export type ForgetUser = ReturnType<typeof createForgetUser>;

/** Ends all that this server keeps of a user who is deleted. Several replicas may do it. */
export function createForgetUser(
  deps: Omit<ForgettingDependencies, 'directory' | 'settings' | 'database' | 'clock' | 'repeat' | 'log'>,
) {
  const { sessions, browserSessions, revocations, rememberedBrowsers, consentStore } = deps;
  return async (userId: string): Promise<void> => {
    for (const session of await sessions.listOfUser(userId)) await browserSessions.endListed(session);
    await revocations.endGrantsOfUser(userId);
    await rememberedBrowsers.forgetAll(userId);
    await consentStore.deleteOfUser(userId);
  };
}

/** Asks org-api ten seconds after the start, and then each minute, who was deleted, and forgets those. Of users who were erased no name stays in the audit trail. */
export function startForgettingUsers(deps: ForgettingDependencies): () => void {
  const { directory, settings, database, clock, repeat, log } = deps;
  const forgetUser = createForgetUser(deps);
  let after = clock() - keptFor;
  const look = async (): Promise<void> => {
    const context = { address: 'auth-server', requestId: randomUUID() };
    await settings.find(context);
    const startedAt = clock();
    const { deletedUsers = [] } = (await directory.readSettings(context, { deletedAfter: Math.max(0, after) })) ?? {};
    for (const { id, erased } of deletedUsers) {
      await forgetUser(id);
      if (erased === true) await eraseFromAudit(database, id);
    }
    // A page is full: the rest comes with the next look.
    after = deletedUsers.length < 1_000 ? startedAt - leeway : (deletedUsers.at(-1)?.deletedAt ?? after);
  };
  let isLooking = false;
  const lookOnce = (): void => {
    if (isLooking) return;
    isLooking = true;
    look()
      // An organization that is out of reach is told elsewhere; the next look asks for the same.
      .catch((error: unknown) => {
        if (error instanceof OrganizationUnavailableError) return;
        log.warn({ err: error }, 'users who were deleted could not be forgotten');
      })
      .finally(() => {
        isLooking = false;
      });
  };
  let turn = 0;
  return repeat(() => {
    if (turn % turnsPerLook === 0) lookOnce();
    turn += 1;
  }, interval);
}
