import { setTimeout as sleep } from 'node:timers/promises';
import type { Gatehouse } from '@gatehouse/test-kit';
import { plainUser } from '../../support/people.ts';
import { getUserDetails } from '../../support/users.ts';

/** Milliseconds within which org-api is to refuse what was ended. */
export const refusalDeadline = 2_500;

/** The status that org-api answers a token with. */
export async function askOrganization(gatehouse: Gatehouse, token: string, username = plainUser[0]): Promise<number> {
  return (await getUserDetails(gatehouse, username, token)).status;
}

/** Milliseconds from `start` until org-api refuses the token; infinite where it does not within twice the deadline. */
export async function measureRefusal(
  gatehouse: Gatehouse,
  token: string,
  { start = performance.now(), username = plainUser[0] }: { start?: number; username?: string } = {},
): Promise<number> {
  while (performance.now() - start < 2 * refusalDeadline) {
    if ((await askOrganization(gatehouse, token, username)) === 401) return Math.round(performance.now() - start);
    await sleep(50);
  }
  return Number.POSITIVE_INFINITY;
}
