import { ProblemError } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import type { Author } from './administrator.ts';

/** Waits for a change of a client, and tells where the administrator lacks a role that the client is worth. */
export async function tellIfKept<T>(
  tell: Tell,
  { administrator, context }: Author,
  clientId: string | undefined,
  change: Promise<T>,
): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 403) {
      tell({ type: 'client.kept', administrator: administrator.user, clientId, context });
    }
    throw error;
  }
}
