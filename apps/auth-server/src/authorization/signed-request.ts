import { OAuthError } from '@gatehouse/shared';
import type { ClientDemands } from '../clients/client-demands.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';

/** RFC 9101 10.5: throws where the client must sign a request that is not signed. */
export function checkNeedNotBeSigned({ signedRequests }: ClientDemands): void {
  if (!signedRequests) return;
  throw new OAuthError('invalid_request', 'this client must sign its authorization requests (RFC 9101)');
}

/** OpenID Connect Core 6.1: `response_type` may stand outside of the request object, too, but not another one. */
export function checkResponseTypeOutside(outside: RequestParameters, inside: RequestParameters): void {
  const asked = outside.get('response_type');
  if (asked === undefined || sortWords(asked) === sortWords(inside.get('response_type') ?? '')) return;
  throw new OAuthError('invalid_request', 'response_type must be the one in the request object, or left out');
}

function sortWords(text: string): string {
  return text.split(' ').sort().join(' ');
}
