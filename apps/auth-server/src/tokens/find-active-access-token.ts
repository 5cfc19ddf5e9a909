import type { RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { isCurrentSince, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { type AccessTokens, standsForUser } from './access-token.ts';
import type { AccessTokenClaims } from './access-token-claims.ts';
import type { Revocations } from './revocations.ts';

/** An access token that is in force, with whom it stands for. */
export interface ActiveAccessToken {
  claims: AccessTokenClaims;
  client: Client;
  user: DirectoryUser | undefined;
}

/**
 * Gives the token where it is in force: signed and not expired, neither it nor its grant revoked, its client still
 * registered and of the same token generation, its user still there, enabled and with the password of then.
 */
export type FindActiveAccessToken = (
  token: string,
  context: RequestContext,
  /** `disabledUser`: with its user as it is now, also where that is disabled; for a caller who decides by its state. */
  allow?: { disabledUser: boolean },
) => Promise<ActiveAccessToken | undefined>;

interface Dependencies {
  accessTokens: AccessTokens;
  revocations: Revocations;
  clients: ClientStore;
  directory: OrganizationDirectory;
}

export function createFindActiveAccessToken(deps: Dependencies): FindActiveAccessToken {
  const { accessTokens, revocations, clients, directory } = deps;
  /** One as of a second ago will do for the answer that the token is in force. */
  const findClient = async (claims: AccessTokenClaims): Promise<Client | undefined> => {
    const { client_id: clientId, client_generation: generation = 0, iat } = claims;
    const isOf = (client: Client | undefined) =>
      client?.tokenGeneration === generation && iat >= Math.floor(client.createdAt / 1000);
    const recent = await clients.findRecent(clientId);
    if (isOf(recent)) return recent;
    const client = await clients.find(clientId);
    return isOf(client) ? client : undefined;
  };

  return async (token, context, allow = { disabledUser: false }) => {
    const claims = await accessTokens.verify(token);
    if (claims === undefined) return undefined;
    if (await revocations.isRevoked(claims)) return undefined;

    const client = await findClient(claims);
    if (client === undefined) return undefined;
    const { sub, password_changed_at: passwordChangedAt = Number.NaN } = claims;
    if (!standsForUser(claims)) return { claims, client, user: undefined };

    if (!allow.disabledUser) {
      const user = await directory.findRecentUser(sub, isCurrentSince(passwordChangedAt), context);
      return user && { claims, client, user };
    }
    const user = await directory.findUserById(sub, context);
    return user?.passwordChangedAt === passwordChangedAt ? { claims, client, user } : undefined;
  };
}
