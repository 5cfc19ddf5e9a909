import { type Clock, createId, toSeconds } from '@gatehouse/service-kit';
import {
  levels,
  type MfaPolicy,
  OAuthError,
  requiresMfa,
  secondStepDueText,
  wrongCredentialsText,
} from '@gatehouse/shared';
import { Type } from 'typebox';
import { letsIn, notLetInText } from '../clients/allowed-groups.ts';
import { type Client, isThirdParty } from '../clients/client.ts';
import type { Tell } from '../events/event.ts';
import { passwordAuthentication } from '../levels/authentication.ts';
import type { CheckPassword } from '../organization/check-password.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import type { TokenTarget } from '../resources/token-target.ts';
import type { TokenTargets } from '../resources/token-targets.ts';
import type { GrantHandler } from './grant-handler.ts';
import type { IssueRefreshToken } from './issue-refresh-token.ts';

interface Dependencies {
  config: { requireMfa: MfaPolicy };
  checkPassword: CheckPassword;
  issueRefreshToken: IssueRefreshToken;
  tokenTargets: Pick<TokenTargets, 'chooseForUser'>;
  tell: Tell;
  clock: Clock;
}

/** Resource owner password credentials (RFC 6749 4.3). */
export function createPasswordGrant(deps: Dependencies): GrantHandler {
  const { config, checkPassword, issueRefreshToken, tokenTargets, tell, clock } = deps;
  return {
    parameters: { username: Type.String(), password: Type.String(), scope: Type.String() },
    mayUse: (client) => client.grantTypes.includes('password'),
    async decide({ client, parameters, resource, context, dpopJkt }) {
      // The password grant shows no consent page. Clients registered by older releases may have both settings.
      if (isThirdParty(client)) {
        throw new OAuthError(
          'unauthorized_client',
          'this client needs the consent of its users, which the grant type password cannot ask for; use authorization_code',
        );
      }
      const username = getParameter(parameters, 'username');
      const password = getParameter(parameters, 'password');
      const chosen = await tokenTargets.chooseForUser(client, { resource, scope: parameters.get('scope') });
      checkLevels(client, chosen.target);

      const proof = await checkPassword({ username, password, clientId: client.clientId }, context);
      if (proof === undefined) throw new OAuthError('invalid_grant', wrongCredentialsText);
      const isUnfinished = proof.secondStep !== undefined || requiresMfa(config.requireMfa, proof.user);
      if (isUnfinished) throw new OAuthError('invalid_grant', secondStepDueText);
      if (!letsIn(client, proof.user)) {
        tell({ type: 'user.not_let_in', by: 'password_grant', user: proof.user, clientId: client.clientId, context });
        throw new OAuthError('invalid_grant', notLetInText);
      }

      const grant = {
        grantId: createId(),
        user: proof.user,
        authentication: passwordAuthentication(toSeconds(clock())),
        claims: { idToken: [], userinfo: [] },
        nonce: undefined,
        sessionId: undefined,
        ...chosen,
      };
      return {
        grant,
        settle: async (status) => ({
          status,
          refreshToken: await issueRefreshToken({ client, dpopJkt, status, ...grant }),
        }),
      };
    },
  };
}

/** A password alone reaches the lowest level. Told before the password is checked: no password would do. */
function checkLevels({ metadata }: Client, { audience, requiredAcr }: TokenTarget): void {
  const [password] = levels;
  const advice = 'which the grant type password cannot reach; use authorization_code';
  if (metadata.required_acr !== undefined && metadata.required_acr !== password) {
    throw new OAuthError('unauthorized_client', `this client requires the level ${metadata.required_acr}, ${advice}`);
  }
  if (requiredAcr !== undefined && requiredAcr !== password) {
    throw new OAuthError('invalid_grant', `${audience} requires the level ${requiredAcr}, ${advice}`);
  }
}
