import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, type FieldError, fieldsProblem } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Administrator } from './administrator.ts';
import { checkMayEmploy } from './client-ceiling.ts';

const field = 'srvc_ac_user_name';

/** The administrator lets a client act as the Robot that `username` names. */
interface Employment {
  username: string;
  administrator: Administrator;
  context: RequestContext;
}

/** The Robot; throws a 400 that says what is wrong with it, or a 403 where it has a role that the administrator lacks. */
export async function getServiceAccount(
  directory: Pick<OrganizationDirectory, 'findUserByUsername'>,
  { username, administrator, context }: Employment,
): Promise<NonNullable<Client['serviceAccount']>> {
  const user = await directory.findUserByUsername(username, context);
  checkIsRobot(user);
  checkMayEmploy(administrator, user);
  return { userId: user.id, username: user.username };
}

function checkIsRobot(user: DirectoryUser | undefined): asserts user is DirectoryUser {
  if (user === undefined) throw refuse('must name an existing Robot user of the organization; there is no such user');
  if (user.userType !== 'Robot') throw refuse('must name a Robot user of the organization; this user is a Person');
  if (!user.enabled) throw refuse('must name an enabled Robot user of the organization; this Robot is disabled');
}

function refuse(detail: string) {
  const error: FieldError = { field, detail };
  return fieldsProblem([error]);
}
