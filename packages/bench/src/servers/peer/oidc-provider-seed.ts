import type Provider from 'oidc-provider';
import { peerClient } from './oidc-provider-configuration.ts';

/** Makes refresh tokens and codes without a sign-in: `/seed/refresh-tokens` and `/seed/codes`. */
export function createSeed(provider: Provider, { clientId, resource }: { clientId: string; resource: string }) {
  return async (path: string, count: number): Promise<string[]> => {
    const client = await provider.Client.find(clientId);
    if (client === undefined) throw new Error('the client is missing');
    const makeOne = async (number: number) => {
      const accountId = `person-${number}`;
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope('openid profile email');
      grant.addResourceScope(resource, 'profile email');
      const common = {
        accountId,
        client,
        grantId: await grant.save(),
        scope: 'openid profile email',
        gty: 'authorization_code',
      };
      if (path === '/seed/codes') {
        return new provider.AuthorizationCode({ ...common, redirectUri: peerClient.redirectUri, resource }).save();
      }
      return new provider.RefreshToken({ ...common, resource, rotations: 0 }).save();
    };
    return Promise.all(Array.from({ length: count }, (_, index) => makeOne(index)));
  };
}
