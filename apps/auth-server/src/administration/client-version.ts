import { ProblemError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';

/*
 * `updatedAt` is the version of a client. The rules are checked against the version that was read, so a change is stored
 * only while the client still has it.
 */

/** The version after this one: later, even where the clocks of two replicas disagree. */
export function chooseUpdatedAt({ updatedAt }: Client, now: number): number {
  return Math.max(now, updatedAt + 1);
}

/** 409: the client has another version than the one that was read. */
export function changedMeanwhile(): ProblemError {
  return new ProblemError(
    409,
    'another administrator changed the client at the same time; read the client and repeat the change',
  );
}
