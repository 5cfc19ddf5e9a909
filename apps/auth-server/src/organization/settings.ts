import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, RequestContext } from '@gatehouse/service-kit';
import type { DirectorySettings } from '@gatehouse/shared';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';
import type { CompareSettings } from './compare-settings.ts';
import type { OrganizationDirectory } from './organization-directory.ts';

/** Milliseconds for which the settings are not asked for again. */
const keptFor = 60_000;
/** Milliseconds after an answer for which an org-api that knows no settings is taken for one that is out of reach. */
const trustedFor = 24 * 3_600_000;

/** Milliseconds for which a page waits that works without an answer, too. */
const patience = 500;

/** The offer of an org-api of the release before. */
const nothing: DirectorySettings = { codeApp: false, passkeys: false, accounts: false, mails: false };

export type OrganizationSettings = ReturnType<typeof createOrganizationSettings>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'readSettings'>;
  compareSettings: CompareSettings;
  clock: Clock;
}

/**
 * The offer of org-api, a minute old at most. An org-api of the release before offers nothing; once a newer one answered, it
 * counts as out of reach, so that a rollback of org-api alone does not take second steps away unseen.
 */
export function createOrganizationSettings({ directory, compareSettings, clock }: Dependencies) {
  let kept: { settings: DirectorySettings; at: number } | undefined;
  let answeredAt: number | undefined;
  let asked: Promise<DirectorySettings> | undefined;
  const ask = async (context: RequestContext): Promise<DirectorySettings> => {
    const now = clock();
    const settings = await directory.readSettings(context);
    if (settings !== undefined) {
      answeredAt = now;
      compareSettings(settings);
    } else if (answeredAt !== undefined && now < answeredAt + trustedFor) {
      throw new OrganizationUnavailableError('the organization does not know its settings any more');
    }
    kept = { settings: settings ?? nothing, at: now };
    return kept.settings;
  };
  /** Throws an OrganizationUnavailableError. One call for all who ask at the same time. */
  const find = async (context: RequestContext): Promise<DirectorySettings> => {
    if (kept !== undefined && clock() < kept.at + keptFor) return kept.settings;
    asked ??= ask(context).finally(() => {
      asked = undefined;
    });
    return asked;
  };
  return {
    find,
    /** The offer as it was last; undefined before the first answer. */
    current: (): DirectorySettings | undefined => kept?.settings,
    /** The offer as it was, for a page that works without: it waits for half a second at most. Undefined where none is known. */
    async glance(context: RequestContext): Promise<DirectorySettings | undefined> {
      const found = find(context).catch(() => undefined);
      if (kept !== undefined) return kept.settings;
      return Promise.race([found, sleep(patience, undefined, { ref: false })]);
    },
  };
}
