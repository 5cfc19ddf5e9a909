import type { RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import { letsIn } from '../clients/allowed-groups.ts';
import { type Client, isThirdParty } from '../clients/client.ts';
import type { Allowed, Asked } from '../consent/consent.ts';
import type { Consents } from '../consent/consents.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';

/** The user of a code or refresh token, and what it allows now. */
export interface Holder<Held> {
  /** Undefined where the user is gone, disabled, has a new password, or is not let in by the client any more. */
  user: DirectoryUser | undefined;
  /** For a third-party client the part that the user allows; undefined where the user allows nothing. */
  allowed: Allowed | Held | undefined;
}

type HeldGrant = Asked & { userId: string; passwordChangedAt: number };

export type FindHolder = <Held extends HeldGrant>(
  client: Client,
  held: Held,
  context: RequestContext,
) => Promise<Holder<Held>>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'findRecentUser'>;
  consents: Pick<Consents, 'findAllowed'>;
}

/**
 * Looks up the user and, for a third-party client, the consent at the same moment: the grant may be older than the
 * client's `require_consent`.
 */
export function createFindHolder({ directory, consents }: Dependencies): FindHolder {
  return async (client, held, context) => {
    const { userId, passwordChangedAt } = held;
    const isCurrent = isCurrentSince(passwordChangedAt);
    const suffices = (user: DirectoryUser) => isCurrent(user) && letsIn(client, user);
    const finding = directory.findRecentUser(userId, suffices, context);
    if (!isThirdParty(client)) return { user: await finding, allowed: held };
    const [user, allowed] = await Promise.all([finding, consents.findAllowed(client, userId, held)]);
    return { user, allowed };
  };
}
