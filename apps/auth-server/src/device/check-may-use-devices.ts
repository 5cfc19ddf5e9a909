import { deviceCodeGrantType, OAuthError } from '@gatehouse/shared';
import { type Client, isOpenlyRegistered } from '../clients/client.ts';

/** Throws `unauthorized_client`. Nobody vouches for a client of open registration, whatever an administrator changed of it since. */
export function checkMayUseDevices(client: Client): void {
  if (client.grantTypes.includes(deviceCodeGrantType) && !isOpenlyRegistered(client)) return;
  throw new OAuthError(
    'unauthorized_client',
    `this client is not registered for the grant type ${deviceCodeGrantType}`,
  );
}
