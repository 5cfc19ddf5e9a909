import { type Clock, createId, toSeconds } from '@gatehouse/service-kit';
import { OAuthError, wrongCredentialsText } from '@gatehouse/shared';
import { isThirdParty, mayUse } from '../clients/client.ts';
import type { CheckPassword } from '../organization/check-password.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import { chooseScope } from '../protocol/scope.ts';
import type { AllocateStatus } from '../status-lists/allocate-status.ts';
import { type Grant, unauthorizedClient } from './grant.ts';
import type { IssueTokens } from './issue-tokens.ts';

interface Dependencies {
  checkPassword: CheckPassword;
  allocateStatus: AllocateStatus;
  issueTokens: IssueTokens;
  clock: Clock;
}

/** Resource owner password credentials (RFC 6749 4.3). */
export function createPasswordGrant({ checkPassword, allocateStatus, issueTokens, clock }: Dependencies): Grant {
  return async ({ client, parameters, origin, dpopJkt }) => {
    if (!mayUse(client, 'password')) throw unauthorizedClient('password');
    // Nobody is asked here, so nothing could be allowed. Clients from before may be registered for both.
    if (isThirdParty(client)) throw new OAuthError('unauthorized_client', 'this client must ask its users first');
    const username = getParameter(parameters, 'username');
    const password = getParameter(parameters, 'password');
    const scope = chooseScope(parameters.get('scope'), client.scope);

    const user = await checkPassword({ username, password, clientId: client.clientId }, origin);
    if (user === undefined) throw new OAuthError('invalid_grant', wrongCredentialsText);

    return issueTokens.first({
      grantId: createId(),
      client,
      user,
      scope,
      authTime: toSeconds(clock()),
      claims: { idToken: [], userinfo: [] },
      nonce: undefined,
      sessionId: undefined,
      status: await allocateStatus(client),
      dpopJkt,
    });
  };
}
