import type { Refusal } from '../api/oversight.ts';
import { clientPath, userPath } from '../parts/paths.ts';
import type { Rights } from '../rights.ts';

/** The tab of a client, and the field there, by the code of a refusal. */
const ofClient: Readonly<Record<string, string>> = {
  invalid_client: 'secrets',
  invalid_scope: 'settings#scope',
  invalid_target: 'settings#resources',
  unauthorized_client: 'settings#authorized_grant_types',
  untrusted_request: 'settings#redirect_uris',
  invalid_redirect_uri: 'settings#redirect_uris',
  invalid_request_object: 'settings#jwks',
  unmet_authentication_requirements: 'settings#required_acr',
};

/** The user's record, or the field of the client, that has what a request was refused for. */
export function placeOfFault({ code, reason, client, user }: Refusal, rights: Rights): string | undefined {
  if (reason === 'the user is disabled' && user !== undefined && rights.users) return userPath(user);
  if (code === 'forbidden' && user !== undefined && rights.users) return `${userPath(user)}#roles`;
  const tab = ofClient[code];
  return tab === undefined || client === undefined ? undefined : clientPath(client, tab);
}
