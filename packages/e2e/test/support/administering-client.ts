import type { Role } from '@gatehouse/shared';
import { call, type Gatehouse } from '@gatehouse/test-kit';
import { passwordKind, registerClient, serviceAccountKind } from './clients.ts';
import { getAdministratorToken } from './tokens.ts';
import { uniqueName } from './unique.ts';

/** Registers a service account whose Robot has this role; gives it as the environment of the command line. */
export async function registerAdministeringClient(
  gatehouse: Gatehouse,
  role: Role = 'SystemAdministrator',
): Promise<Record<string, string>> {
  const username = `${uniqueName('administering')}@example.com`;
  const bearer = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
  const users = `${gatehouse.baseUrl}/organization/api/organization/user`;
  const json = { username, userType: 'Robot', roles: [role] };
  const { status, text } = await call(users, { bearer, json });
  if (status !== 201) throw new Error(`${status} ${text}`);
  const [id, secret] = await registerClient(gatehouse, serviceAccountKind({ srvc_ac_user_name: username }));
  return { GATEHOUSE_CLIENT_ID: id, GATEHOUSE_CLIENT_SECRET: secret };
}
