import { randomUUID } from 'node:crypto';
import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, OAuthError } from '@gatehouse/shared';
import { Type } from 'typebox';
import { mayUse } from '../clients/client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import { chooseScope } from '../protocol/scope.ts';
import type { GrantType } from './grant-type.ts';

/**
 * Client credentials (RFC 6749 4.4). A client of the service-account kind acts as its Robot, and may call the grant
 * type `service_account` as well; any other acts for itself.
 */
export function createClientCredentialsGrant({ directory }: { directory: OrganizationDirectory }): GrantType {
  return {
    parameters: { scope: Type.String() },
    mayUse: (client, grantType) =>
      mayUse(client, 'service_account') || (grantType === 'client_credentials' && mayUse(client, 'client_credentials')),
    async decide({ client, parameters, context }) {
      const scope = chooseScope(parameters.get('scope'), client.scope);
      const user = client.serviceAccount && (await getRobot(directory, client.serviceAccount.userId, context));
      // Such a grant has no row, so its id needs no order.
      const grantId = randomUUID();
      return { grant: { ...ofNoSignIn, grantId, user, scope } };
    },
  };
}

const ofNoSignIn = {
  authTime: undefined,
  claims: { idToken: [], userinfo: [] },
  nonce: undefined,
  sessionId: undefined,
};

/** The Robot; `invalid_grant` where it is gone or disabled. */
async function getRobot(
  directory: OrganizationDirectory,
  userId: string,
  context: RequestContext,
): Promise<DirectoryUser> {
  const robot = await directory.findRecentUser(userId, mayAct, context);
  if (robot !== undefined) return robot;
  throw new OAuthError('invalid_grant', 'the Robot user of this service account is gone or disabled');
}

function mayAct({ enabled, userType }: DirectoryUser): boolean {
  return enabled && userType === 'Robot';
}
