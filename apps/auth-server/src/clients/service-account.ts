import { type FieldError, fieldsProblem } from '@gatehouse/shared';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../origin.ts';
import type { Client } from './client.ts';

const field = 'srvc_ac_user_name';

/** The Robot that `username` names; throws a 400 that says what is wrong with it. */
export async function getServiceAccount(
  directory: OrganizationDirectory,
  username: string,
  origin: Origin,
): Promise<NonNullable<Client['serviceAccount']>> {
  const user = await directory.findUserByUsername(username, origin);
  if (user === undefined) throw refuse('must name an existing Robot user of the organization; there is no such user');
  if (user.userType !== 'Robot') throw refuse('must name a Robot user of the organization; this user is none');
  if (!user.enabled) throw refuse('must name an enabled Robot user of the organization; this one is disabled');
  return { userId: user.id, username: user.username };
}

function refuse(detail: string) {
  const error: FieldError = { field, detail };
  return fieldsProblem([error]);
}
