import { ProblemError } from '@gatehouse/shared';
import type { Tell } from '../events/event.ts';
import { type Author, describeAdministrator } from './administrator.ts';

/** An administrator lacks a role that a client, or its Robot, has (403). */
export class MissingRoleError extends ProblemError {
  constructor(detail: string) {
    super(403, detail);
  }
}

/** Waits for a change of a client, and tells where the administrator lacks a role that the client has. */
export async function tellMissingRole<T>(
  tell: Tell,
  { administrator, context }: Author,
  clientId: string | undefined,
  change: Promise<T>,
): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof MissingRoleError) {
      tell({ type: 'client.kept', administrator: describeAdministrator(administrator), clientId, context });
    }
    throw error;
  }
}
