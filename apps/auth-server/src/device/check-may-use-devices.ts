import { deviceCodeGrantType, type GrantType, OAuthError } from '@gatehouse/shared';
import { type Client, isOpenlyRegistered } from '../clients/client.ts';

/** Throws `unsupported_grant_type` where the installation switched devices off. */
export function checkDevicesAreOn(grantTypesOff: readonly GrantType[]): void {
  if (!grantTypesOff.includes(deviceCodeGrantType)) return;
  throw new OAuthError('unsupported_grant_type', `the grant type ${deviceCodeGrantType} is switched off here`);
}

/** Throws `unauthorized_client`. Nobody vouches for a client of open registration, whatever an administrator changed of it since. */
export function checkMayUseDevices(client: Client): void {
  if (client.grantTypes.includes(deviceCodeGrantType) && !isOpenlyRegistered(client)) return;
  throw new OAuthError(
    'unauthorized_client',
    `this client is not registered for the grant type ${deviceCodeGrantType}`,
  );
}
