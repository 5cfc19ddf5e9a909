import type { NoteFault } from '@gatehouse/resource-server/parts';
import type { RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import { letsIn } from '../clients/allowed-groups.ts';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { parseStatusClaim } from '../protocol/token-status.ts';
import type { StatusStore } from '../status-lists/status-store.ts';
import { type AccessTokens, standsForUser } from './access-token.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import type { Revocations } from './revocations.ts';

/** An access token that is in force, with whom it stands for. */
export interface ActiveAccessToken {
  claims: AccessTokenClaims;
  client: Client;
  user: DirectoryUser | undefined;
}

export interface FindOptions {
  /** With its user as it is now, also where that is disabled; for a caller who decides by its state. */
  disabledUser?: boolean;
  /** Learns why a token is not in force, for the log. */
  note?: NoteFault;
}

/**
 * Gives the token where it is in force: signed and not expired, neither it nor its grant revoked, its client still
 * registered and of the same token generation, its user still there, enabled and with the password of then.
 */
export type FindActiveAccessToken = (
  token: string,
  context: RequestContext,
  options?: FindOptions,
) => Promise<ActiveAccessToken | undefined>;

interface Dependencies {
  accessTokens: AccessTokens;
  revocations: Revocations;
  clients: ClientStore;
  statuses: Pick<StatusStore, 'findRegistration'>;
  directory: OrganizationDirectory;
}

/** Milliseconds by which the clocks of two replicas may differ. */
const clockDifference = 10_000;

export function createFindActiveAccessToken(deps: Dependencies): FindActiveAccessToken {
  const { accessTokens, revocations, clients, statuses, directory } = deps;
  // A block stays with its registration, and the claims of a remembered token are one object.
  const registrations = new WeakMap<AccessTokenClaims, string>();
  const findRegistration = async (claims: AccessTokenClaims): Promise<string | undefined> => {
    const known = registrations.get(claims) ?? (await statuses.findRegistration(parseStatusClaim(claims.status)));
    if (known !== undefined) registrations.set(claims, known);
    return known;
  };
  /**
   * A client may be deleted and registered again under its client_id. The time tells the two apart, but not that of one second, nor
   * that of two clocks: around the registration the block of the token's status does.
   */
  const isOf = (claims: AccessTokenClaims, client: Client | undefined): boolean | Promise<boolean> => {
    const { client_generation: generation = 0, iat } = claims;
    if (client?.tokenGeneration !== generation) return false;
    const age = iat * 1000 - client.createdAt;
    if (Math.abs(age) > clockDifference) return age > 0;
    return findRegistration(claims).then((id) => id === client.registrationId);
  };
  /** One as of a second ago will do for the answer that the token is in force. */
  const findClient = async (claims: AccessTokenClaims): Promise<Client | undefined> => {
    const recent = await clients.findRecent(claims.client_id);
    const isOfRecent = isOf(claims, recent);
    if (isOfRecent instanceof Promise ? await isOfRecent : isOfRecent) return recent;
    const client = await clients.find(claims.client_id);
    return (await isOf(claims, client)) ? client : undefined;
  };

  return async (token, context, { disabledUser = false, note } = {}) => {
    const claims = await accessTokens.verify(token, note);
    if (claims === undefined) return undefined;
    if (await revocations.isRevoked(claims)) return void note?.('revoked');

    const client = await findClient(claims);
    if (client === undefined) return void note?.('its client is gone, or was changed so that its tokens ended');
    const { sub, password_changed_at: passwordChangedAt = Number.NaN } = claims;
    if (!standsForUser(claims)) return { claims, client, user: undefined };

    const isCurrent = isCurrentSince(passwordChangedAt);
    const suffices = (one: DirectoryUser) => isCurrent(one) && letsIn(client, one);
    const user = disabledUser
      ? await directory.findUserById(sub, context)
      : await directory.findRecentUser(sub, suffices, context);
    if (user === undefined || (disabledUser && !isSame(user, passwordChangedAt, client))) {
      return void note?.('its user is gone, is disabled, has a new password, or is not let in by the client any more');
    }
    return { claims, client, user };
  };
}

/** Of a user who may be disabled. */
function isSame(user: DirectoryUser, passwordChangedAt: number, client: Client): boolean {
  return user.passwordChangedAt === passwordChangedAt && letsIn(client, user);
}
