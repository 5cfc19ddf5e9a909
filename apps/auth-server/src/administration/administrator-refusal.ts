import { ProblemError } from '@gatehouse/shared';
import { findRefusedClient } from '../clients/refused-client.ts';
import type { AdministratorRefused } from '../events/event.ts';
import { parseBasicCredentials } from '../protocol/basic-credentials.ts';
import { WrongPasswordError } from './authenticate-by-basic.ts';

/** Why a caller is refused, and as whom it came. Undefined for what is no refusal. */
export function findAdministratorRefusal(
  error: unknown,
  authorization: string | undefined,
): Pick<AdministratorRefused, 'why' | 'claimed'> | undefined {
  const why = findReason(error);
  return why && { why, claimed: findClaim(error, authorization) };
}

/** Undefined for a failure inside, and for the first proof of a sender, which has no nonce yet (RFC 9449 9). */
function findReason(error: unknown): AdministratorRefused['why'] | undefined {
  if (!(error instanceof ProblemError) || error.reason === 'use_dpop_nonce') return undefined;
  if (error.status === 401) return 'not_authenticated';
  if (error.status === 403) return 'not_allowed';
  return error.status === 429 ? 'limited' : undefined;
}

function findClaim(error: unknown, authorization: string | undefined): AdministratorRefused['claimed'] {
  if (authorization === undefined) return 'nothing';
  if (error instanceof Error && error.cause instanceof WrongPasswordError) return error.cause.claimed;
  const username = parseBasicCredentials(authorization)?.userId;
  return findRefusedClient(error) ?? (username === undefined ? 'nobody' : { username, id: undefined });
}
