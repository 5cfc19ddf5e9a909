import type { Identity as IdentityView } from '@gatehouse/shared';
import type { Identity } from './identity.ts';

/** An identity as administrators and its user see it. */
export function buildIdentityView({ id, issuer, upstream, subject, linkedAt, lastUsedAt }: Identity): IdentityView {
  return {
    ...{ id, issuer, upstream, subject, linkedAt: toIso(linkedAt) },
    ...(lastUsedAt !== undefined && { lastUsedAt: toIso(lastUsedAt) }),
  };
}

function toIso(instant: number): string {
  return new Date(instant).toISOString();
}
