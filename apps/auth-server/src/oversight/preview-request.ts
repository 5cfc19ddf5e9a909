import type { RequestContext } from '@gatehouse/service-kit';
import { deviceCodeGrantType, type FieldError, fieldsProblem, type Level } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';

/** The values of `grant_type` that are previewed. A token exchange depends on the token that is exchanged. */
export const previewedGrantTypes = [
  'authorization_code',
  'client_credentials',
  'password',
  'refresh_token',
  'service_account',
  deviceCodeGrantType,
] as const;

/** The grant types by which a user lets a client in, in the order in which a refresh token is taken to come from them. */
const grantTypesOfUsers = ['authorization_code', deviceCodeGrantType, 'password'] as const;
export type GrantTypeOfUsers = (typeof grantTypesOfUsers)[number];

/** A token request, as an administrator imagines it. */
export interface PreviewRequest {
  client: Client;
  grantType: (typeof previewedGrantTypes)[number];
  /** Username or id of the user. */
  username: string | undefined;
  scope: string | undefined;
  resource: string | undefined;
  /** The level by which the user signs in; undefined for the lowest that lets the user through. */
  acr: Level | undefined;
  context: RequestContext;
}

/** The grant type by which the user let the client in; undefined where there is no user, or where the client has none. */
export function findBeginning({ client, grantType }: Pick<PreviewRequest, 'client' | 'grantType'>) {
  if (grantType === 'refresh_token') return grantTypesOfUsers.find((name) => client.grantTypes.includes(name));
  return grantTypesOfUsers.find((name) => name === grantType);
}

/** Throws the 400 for a member that is missing, or would change nothing. */
export function checkMembers(request: PreviewRequest): void {
  const { grantType, username, acr } = request;
  const beginning = findBeginning(request);
  const faults: FieldError[] = [];
  if (beginning !== undefined && username === undefined) {
    faults.push({ field: 'username', detail: `is required with ${grantType}: the user for whom the token is` });
  }
  if (beginning === undefined && username !== undefined && grantType !== 'refresh_token') {
    faults.push({ field: 'username', detail: `must be left out with ${grantType}: no user signs in` });
  }
  if ((beginning === undefined || beginning === 'password') && acr !== undefined) {
    faults.push({ field: 'acr', detail: 'is for grant types by which a user signs in at a page' });
  }
  if (faults.length > 0) throw fieldsProblem(faults);
}
