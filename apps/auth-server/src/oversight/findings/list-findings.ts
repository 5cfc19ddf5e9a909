import type { Clock, RequestContext } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import type { KeySummary } from '../../keys/key-summary.ts';
import type { OrganizationDirectory } from '../../organization/organization-directory.ts';
import type { ClientFindingStore } from './client-finding-store.ts';
import { createClientFindings } from './client-findings.ts';
import { type Finding, sortFindings } from './finding.ts';
import { createKeyFindings } from './key-findings.ts';
import { describeUsers, findLeftOut } from './organization-findings.ts';

/** Lists what administrators have to mend, to decide or to know; throws an OrganizationUnavailableError. */
export type ListFindings = (context: RequestContext) => Promise<Finding[]>;

interface Dependencies {
  clientFindings: ClientFindingStore;
  signingKeys: { summary(): KeySummary[] };
  directory: Pick<OrganizationDirectory, 'listFindings'>;
  audit: Pick<AuditTrail, 'list'>;
  clock: Clock;
}

export function createListFindings(deps: Dependencies): ListFindings {
  const finders = [...createClientFindings(deps), ...createKeyFindings(deps)];
  const findOfBoth = async (context: RequestContext): Promise<Finding[]> => {
    // An org-api of the release before finds nothing.
    const found = await deps.directory.listFindings(context);
    const leftOut = await findLeftOut(deps, found?.leftOut);
    return [leftOut, ...(found === undefined ? [] : describeUsers(found))];
  };
  return async (context) => {
    const found = await Promise.all([findOfBoth(context), ...finders.map((find) => find())]);
    return sortFindings(found.flat());
  };
}
