import type { NoteLine } from '../../bundle/bundle-line.ts';
import { note } from '../notes.ts';
import { objectOf, type SourceObject, textsOf } from '../source-value.ts';

const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code';

/** Grant types that give refresh tokens. */
const refreshed = ['authorization_code', 'password', deviceCode];

interface GrantTypes {
  types: string[];
  members: { srvc_ac_user_name?: string };
  notes: NoteLine[];
}

/**
 * The grant types of a client. Its service account is a Robot where the client signs nobody in; a client that does both has tokens of its
 * own, without one.
 */
export function readGrantTypes(client: SourceObject, robot: string | undefined): GrantTypes {
  const about = `client ${client.clientId}`;
  const { types, notes } = listTypesOfUsers(client, about);
  const attributes = objectOf(client.attributes);
  if (attributes['standard.token.exchange.enabled'] === 'true') notes.push(note(about, 'token_exchange'));
  if (types.some((type) => refreshed.includes(type)) && attributes['use.refresh.tokens'] !== 'false') {
    types.push('refresh_token');
  }
  if (client.serviceAccountsEnabled !== true || client.publicClient === true) return { types, members: {}, notes };
  if (types.length === 0 && robot !== undefined) {
    return { types: ['client_credentials', 'service_account'], members: { srvc_ac_user_name: robot }, notes };
  }
  notes.push(note(about, 'needs_robot', robot));
  return { types: [...types, 'client_credentials'], members: {}, notes };
}

function listTypesOfUsers(client: SourceObject, about: string): { types: string[]; notes: NoteLine[] } {
  const notes: NoteLine[] = [];
  const types: string[] = [];
  // Each client of Keycloak has the standard flow unless it is switched off; without an address it cannot be used.
  const hasAddress = textsOf(client.redirectUris).length > 0;
  if (hasAddress && client.standardFlowEnabled !== false) types.push('authorization_code');
  if (hasAddress && client.implicitFlowEnabled === true) types.push('implicit');
  if (client.directAccessGrantsEnabled === true) {
    if (client.consentRequired === true) notes.push(note(about, 'password_with_consent'));
    else types.push('password');
  }
  if (objectOf(client.attributes)['oauth2.device.authorization.grant.enabled'] === 'true') types.push(deviceCode);
  return { types, notes };
}
