import { type Client, isThirdParty } from '../clients/client.ts';
import { getsProfile } from '../clients/client-demands.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import { isCeilingLowered } from './client-ceiling.ts';

/*
 * `updatedAt` is the version of a client. The rules are checked against the version that was read, so a change is stored
 * only while the client still has it.
 */

/** The version after this one: later, even where the clocks of two replicas disagree. */
export function chooseUpdatedAt({ updatedAt }: Client, now: number): number {
  return Math.max(now, updatedAt + 1);
}

/**
 * The generation of a client's access tokens after a change. It is the next one where issued tokens allow more than the
 * client may now, as those of a disabled one do.
 */
export function chooseTokenGeneration(before: Client, after: Client): number {
  const mustAskNow = !isThirdParty(before) && isThirdParty(after);
  const endsTokens =
    mustAskNow || isDisabled(before, after) || isCeilingLowered(before, after) || getsProfile(before, after);
  return endsTokens ? before.tokenGeneration + 1 : before.tokenGeneration;
}

function isDisabled(before: Client, after: Client): boolean {
  return before.enabled && !after.enabled;
}

type Generations = Pick<Client, 'tokenGeneration' | 'grantGeneration' | 'codeGeneration'>;

/**
 * The generations of a client after a change. A profile ends what was issued before it, codes and refresh tokens too. Disabling ends
 * codes: refresh tokens go on once the client is enabled.
 */
export function chooseGenerations(before: Client, after: Client): Generations {
  const tokenGeneration = chooseTokenGeneration(before, after);
  return {
    tokenGeneration,
    grantGeneration: getsProfile(before, after) ? tokenGeneration : before.grantGeneration,
    codeGeneration: isDisabled(before, after) ? tokenGeneration : before.codeGeneration,
  };
}

/** Ends the access tokens of the generations before the client's. */
export async function endEarlierGenerations(
  statusLists: Pick<StatusLists, 'revokeRegistration'>,
  { registrationId, tokenGeneration }: Client,
): Promise<void> {
  // Also after a change that ends none: a process that was killed halfway leaves this to the next change.
  if (tokenGeneration > 0) await statusLists.revokeRegistration(registrationId, tokenGeneration);
}
