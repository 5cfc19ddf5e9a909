import type { DirectoryUser } from '@gatehouse/shared';
import { displayNameOf, isThirdParty } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { ShownConsent } from '../consent/consent.ts';
import type { Consents } from '../consent/consents.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';

/** An application with access to an account, as its user sees it. */
export type ShownApplication = Pick<
  ShownConsent,
  'registrationId' | 'clientId' | 'application' | 'initiateLoginUri' | 'scope' | 'claims' | 'shown' | 'grantedAt'
>;

export type ListApplications = (user: DirectoryUser) => Promise<ShownApplication[]>;

interface Dependencies {
  consents: Pick<Consents, 'list'>;
  refreshTokens: Pick<RefreshTokens, 'listLive'>;
  clients: Pick<ClientStore, 'findByRegistration'>;
}

/** Lists the clients that a user allowed access, and those of the organization that hold a refresh token, which ask nobody. */
export function createListApplications({ consents, refreshTokens, clients }: Dependencies): ListApplications {
  const listFirstParty = async (user: DirectoryUser): Promise<ShownApplication[]> => {
    const live = await refreshTokens.listLive(user);
    const registrationIds = [...new Set(live.map(({ registrationId }) => registrationId))];
    const found = await Promise.all(registrationIds.map(clients.findByRegistration));
    const firstParty = found.filter((client) => client !== undefined).filter((client) => !isThirdParty(client));
    return firstParty.map((client) => {
      const { registrationId, clientId } = client;
      const ofClient = live.filter((token) => token.registrationId === registrationId);
      const scope = [...new Set(ofClient.flatMap((token) => token.scope))];
      const grantedAt = Math.min(...ofClient.map(({ authentication }) => authentication.authTime * 1000));
      const application = { name: displayNameOf(client), place: undefined };
      const { initiate_login_uri: initiateLoginUri } = client.metadata;
      return { registrationId, clientId, application, initiateLoginUri, scope, claims: [], shown: [], grantedAt };
    });
  };
  return async (user) => {
    const [allowed, firstParty] = await Promise.all([consents.list(user.id), listFirstParty(user)]);
    const known = new Set(allowed.map(({ registrationId }) => registrationId));
    return [...allowed, ...firstParty.filter(({ registrationId }) => !known.has(registrationId))];
  };
}
