import { randomUUID } from 'node:crypto';
import { type DirectoryUser, OAuthError } from '@gatehouse/shared';
import { type Client, mayUse } from '../clients/client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../protocol/request-context.ts';
import { chooseScope } from '../protocol/scope.ts';
import type { AllocateStatus } from '../status-lists/allocate-status.ts';
import { type Grant, unauthorizedClient } from './grant.ts';
import type { IssueTokens } from './issue-tokens.ts';

interface Dependencies {
  directory: OrganizationDirectory;
  allocateStatus: AllocateStatus;
  issueTokens: IssueTokens;
}

/**
 * Client credentials (RFC 6749 4.4). A client of the service-account kind acts as its Robot, and may call the grant
 * type `service_account` as well; any other acts for itself.
 */
export function createClientCredentialsGrant(deps: Dependencies): Grant {
  const { directory, allocateStatus, issueTokens } = deps;
  return async ({ client, parameters, origin, dpopJkt }) => {
    const grantType = parameters.get('grant_type') ?? 'client_credentials';
    checkMayUse(client, grantType);
    const scope = chooseScope(parameters.get('scope'), client.scope);
    const user = client.serviceAccount && (await getRobot(directory, client.serviceAccount.userId, origin));
    return issueTokens.first({
      // Of such a grant no row is kept, so its id need not lie beside others.
      grantId: randomUUID(),
      client,
      user,
      scope,
      authTime: undefined,
      claims: { idToken: [], userinfo: [] },
      nonce: undefined,
      sessionId: undefined,
      status: await allocateStatus(client),
      dpopJkt,
    });
  };
}

function checkMayUse(client: Client, grantType: string): void {
  if (mayUse(client, 'service_account')) return;
  if (grantType === 'client_credentials' && mayUse(client, 'client_credentials')) return;
  throw unauthorizedClient(grantType);
}

/** The Robot; `invalid_grant` where it is gone or disabled. */
async function getRobot(directory: OrganizationDirectory, userId: string, origin: Origin): Promise<DirectoryUser> {
  const robot = await directory.findRecentUser(userId, mayAct, origin);
  if (robot !== undefined) return robot;
  throw new OAuthError('invalid_grant', 'the Robot user of this service account is gone or disabled');
}

function mayAct({ enabled, userType }: DirectoryUser): boolean {
  return enabled && userType === 'Robot';
}
