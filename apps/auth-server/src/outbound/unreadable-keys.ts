import { OAuthError } from '@gatehouse/shared';
import { OutboundFailure } from './outbound-failure.ts';

/** The 503 of keys that cannot be read, which tells the kind of the fault alone; any other error stays as it is. */
export function toUnreadableKeys(error: unknown, owner: 'client' | 'issuer'): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  return new OAuthError('temporarily_unavailable', `the keys of the ${owner} cannot be read: ${error.fault}`, {
    ...{ status: 503, retryAfter: 10, reason: error.message },
  });
}
