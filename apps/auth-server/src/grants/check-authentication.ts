import { OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { Authentication } from '../levels/authentication.ts';
import { findShortfall } from '../levels/level-demand.ts';
import type { TokenTarget } from '../resources/token-target.ts';

/**
 * Checks that the sign-in behind a grant does for the client and for the API of the token; throws `code` where it does not. The
 * grant goes on: for another API, or once the user has signed in again.
 */
export function checkAuthentication(
  { metadata }: Client,
  target: TokenTarget,
  authentication: Authentication,
  now: number,
  code: 'invalid_grant' | 'invalid_request' = 'invalid_grant',
): void {
  const shortfall = findShortfall(authentication, [{ requiredAcr: metadata.required_acr }, target], now);
  if (shortfall === undefined) return;
  throw new OAuthError(
    code,
    `the sign-in does not do for ${target.audience}; send the user to the authorization endpoint with ${shortfall}`,
  );
}
