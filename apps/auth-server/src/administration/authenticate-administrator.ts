import { mayAdministerClients, ProblemError, parsePresentedToken } from '@gatehouse/shared';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import type { Tell } from '../events/event.ts';
import type { AskPassword } from '../organization/check-password.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import { parseBasicCredentials } from '../protocol/basic-credentials.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import type { Administrator, AdministratorRequest } from './administrator.ts';
import { createAdministratorChallenge } from './administrator-challenge.ts';
import { findAdministratorRefusal } from './administrator-refusal.ts';
import { createBasicAuthentication } from './authenticate-by-basic.ts';
import { createTokenAuthentication } from './authenticate-by-token.ts';

/**
 * Gives the user on whose behalf clients are administered, with the roles that count. Throws 401 where the caller does
 * not prove to be a user or a Robot, 403 where that user is disabled or may use neither role. The roles are those of the
 * organization database at this moment, as far as the client through which the user acts allows.
 */
export type AuthenticateAdministrator = (request: AdministratorRequest) => Promise<Administrator>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'findUserById'>;
  askPassword: AskPassword;
  authenticateClient: AuthenticateClient;
  findActiveAccessToken: FindActiveAccessToken;
  tell: Tell;
  realm: string;
  /** The `aud` of the tokens that open client administration. */
  audience: string;
}

export function createAdministratorAuthentication(deps: Dependencies): AuthenticateAdministrator {
  const { tell, realm } = deps;
  const challenge = createAdministratorChallenge(realm);
  const authenticateByBasic = createBasicAuthentication({ ...deps, challenge });
  const authenticateByToken = createTokenAuthentication({ ...deps, challenge });

  const authenticate = async (request: AdministratorRequest): Promise<Administrator> => {
    const basic = parseBasicCredentials(request.authorization);
    if (basic) return authenticateByBasic(basic, request.context);
    const presented = parsePresentedToken(request.authorization);
    if (presented) return authenticateByToken(presented, request);
    throw challenge.unauthenticated(
      basic === null || presented === null
        ? 'the Authorization header must hold Basic, Bearer or DPoP credentials'
        : 'credentials are required; send them by Basic, Bearer or DPoP',
    );
  };

  return async (request) => {
    let caller: Administrator | undefined;
    try {
      caller = await authenticate(request);
      checkMayAdminister(caller);
      return caller;
    } catch (error) {
      const refusal = findAdministratorRefusal(error, request.authorization);
      if (refusal) tell({ type: 'administrator.refused', ...refusal, user: caller?.user, context: request.context });
      throw error;
    }
  };
}

function checkMayAdminister({ user, roles }: Administrator): void {
  if (!user.enabled) throw new ProblemError(403, 'the user is disabled');
  if (mayAdministerClients(roles)) return;
  throw new ProblemError(
    403,
    mayAdministerClients(user.roles)
      ? 'the client may not use the role SystemAdministrator or IdpAdministrator of its user'
      : 'the role SystemAdministrator or IdpAdministrator is required in the organization',
  );
}
