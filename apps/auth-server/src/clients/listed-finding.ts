import type { Condition } from '@gatehouse/service-kit/terms';
import { findingTerms } from './client-terms.ts';

/** The findings by which lists of clients are filtered. */
export const listedFindings = ['client_all_roles', 'http_redirect', 'secret_old', 'secret_overlap_in_use'] as const;
export type ListedFinding = (typeof listedFindings)[number];

/** Milliseconds. */
const day = 86_400_000;
const oldAfter = 365 * day;
/** For which the end of a secret that was in use is told of. */
const toldFor = 7 * day;
/** Before the end of a secret: a use since then is one at its end. */
export const overlapMargin = day;

/** Of enabled clients alone. */
export const isEnabled = 'clients.enabled = 1';
/** As {@link findingTerms} has it: terms may be those of a secret that was replaced a moment ago. */
const secretTime = 'COALESCE(clients.secret_set_at, clients.previous_secret_expires_at, clients.created_at)';

/** The instant before which a secret was set that is old by now. */
export const oldSecretsBefore = (now: number) => now - oldAfter;

export function isSecretSetBefore(instant: number): Condition {
  return { sql: `${isEnabled} AND clients.secret_hash IS NOT NULL AND ${secretTime} < ?`, values: [instant] };
}

/** Instants at which the previous secret of a client ends: one that was in use then is told of now. `before` does not count. */
export const toldEnds = (now: number) => ({ from: now - toldFor, before: now + day });

/** The terms that clients with a finding have, and the condition on their rows. */
export function filterByFinding(finding: ListedFinding | undefined, now: number): FindingFilter {
  switch (finding) {
    case undefined:
      return { facets: [], isListed: undefined };
    case 'client_all_roles':
      return { facets: [findingTerms.allRoles], isListed: undefined };
    case 'http_redirect':
      return { facets: [findingTerms.httpRedirect], isListed: undefined };
    case 'secret_old':
      return { facets: [], isListed: isSecretSetBefore(oldSecretsBefore(now)) };
    case 'secret_overlap_in_use':
      return { facets: [], isListed: isOverlapInUse(now) };
  }
}

interface FindingFilter {
  facets: string[];
  isListed: Condition | undefined;
}

function isOverlapInUse(now: number): Condition {
  const { from, before } = toldEnds(now);
  const end = 'clients.previous_secret_expires_at';
  const uses = `SELECT COUNT(*) FROM client_uses p WHERE p.registration = clients.registration_id
    AND p.kind = 'previous_secret' AND p.used_at >= ${end} - ?`;
  return {
    sql: `${isEnabled} AND ${end} >= ? AND ${end} < ? AND (${uses}) > 0`,
    values: [from, before, overlapMargin],
  };
}
