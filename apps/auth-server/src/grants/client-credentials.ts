import { randomUUID } from 'node:crypto';
import { type DirectoryUser, type GrantType, OAuthError } from '@gatehouse/shared';
import { Type } from 'typebox';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { TokenTargets } from '../resources/token-targets.ts';
import type { GrantHandler } from './grant-handler.ts';

interface Dependencies {
  config: { grantTypesOff: readonly GrantType[] };
  directory: OrganizationDirectory;
  tokenTargets: Pick<TokenTargets, 'chooseForClient'>;
}

/**
 * Client credentials (RFC 6749 4.4). A client of the service-account kind acts as its Robot, and may call the grant
 * type `service_account` as well; any other acts for itself.
 */
export function createClientCredentialsGrant({ config, directory, tokenTargets }: Dependencies): GrantHandler {
  return {
    parameters: { scope: Type.String() },
    mayUse: (client, grantType) =>
      client.grantTypes.includes('service_account') ||
      (grantType === 'client_credentials' && client.grantTypes.includes('client_credentials')),
    async decide({ client, parameters, resource, context }) {
      if (client.grantTypes.includes('service_account') && config.grantTypesOff.includes('service_account')) {
        throw new OAuthError('unsupported_grant_type', 'service accounts are switched off here');
      }
      const chosen = await tokenTargets.chooseForClient(client, { resource, scope: parameters.get('scope') });
      const robotId = client.serviceAccount?.userId;
      const user = robotId === undefined ? undefined : await directory.findRecentUser(robotId, isActiveRobot, context);
      if (robotId !== undefined && user === undefined) {
        throw new OAuthError(
          'invalid_grant',
          'the Robot user of this service account is deleted or disabled; ask an administrator of the organization',
        );
      }
      // Such a grant has no row, so its id needs no order.
      const grantId = randomUUID();
      return {
        grant: { grantId, user, claims, authentication: undefined, nonce: undefined, sessionId: undefined, ...chosen },
      };
    },
  };
}

/** Nobody asks for claims one by one where nobody signs in. */
const claims = { idToken: [], userinfo: [] };

/** Whether a service account may act as the user. */
function isActiveRobot({ enabled, userType }: DirectoryUser): boolean {
  return enabled && userType === 'Robot';
}
