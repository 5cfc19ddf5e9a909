import { type Client, isThirdParty } from '../clients/client.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import { isCeilingLowered } from './client-ceiling.ts';

/**
 * The generation of a client's access tokens after a change. It is the next one where issued tokens allow more than the
 * client may now.
 */
export function chooseTokenGeneration(before: Client, after: Client): number {
  const mustAskNow = !isThirdParty(before) && isThirdParty(after);
  return mustAskNow || isCeilingLowered(before, after) ? before.tokenGeneration + 1 : before.tokenGeneration;
}

/** Ends the access tokens of the generations before the client's. */
export async function endEarlierGenerations(
  statusLists: Pick<StatusLists, 'revokeRegistration'>,
  { registrationId, tokenGeneration }: Client,
): Promise<void> {
  // Also after a change that ends none: a process that was killed halfway leaves this to the next change.
  if (tokenGeneration > 0) await statusLists.revokeRegistration(registrationId, tokenGeneration);
}
