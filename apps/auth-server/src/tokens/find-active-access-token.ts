import type { DirectoryUser } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../origin.ts';
import type { ClientStore } from '../storage/stores.ts';
import type { AccessTokenClaims, AccessTokens } from './access-token.ts';
import type { Revocations } from './revocations.ts';

/** An access token that is good at this very moment, with whom it stands for. */
export interface ActiveAccessToken {
  claims: AccessTokenClaims;
  client: Client;
  user: DirectoryUser | undefined;
}

/**
 * Gives the token where it is in force: signed and not expired, neither it nor its grant revoked, its client still
 * registered, its user still there, enabled and with the password of then.
 */
export type FindActiveAccessToken = (
  token: string,
  origin: Origin,
  /** `disabledUser`: give the token also where its user is disabled, for a caller who answers that in its own way. */
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
  return async (token, origin, allow = { disabledUser: false }) => {
    const claims = await accessTokens.verify(token);
    if (claims === undefined) return undefined;
    if (await revocations.isRevoked({ jti: claims.jti, grantId: claims.grant_id })) return undefined;

    const client = await clients.find(claims.client_id);
    if (client === undefined || claims.iat < Math.floor(client.createdAt / 1000)) return undefined;
    if (claims.username === undefined) return { claims, client, user: undefined };

    const user = await directory.findUserById(claims.sub, origin);
    if (user === undefined || user.passwordChangedAt !== claims.password_changed_at) return undefined;
    return user.enabled || allow.disabledUser ? { claims, client, user } : undefined;
  };
}
