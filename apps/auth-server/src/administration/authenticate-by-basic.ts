import type { RequestContext } from '@gatehouse/service-kit';
import { limitRoles, OAuthError, ProblemError, wrongCredentialsText } from '@gatehouse/shared';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import type { ClaimedUser } from '../events/event.ts';
import type { AskPassword } from '../organization/check-password.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import { type BasicCredentials, decodeFormEncoded, listReadings, readAsClient } from '../protocol/basic-credentials.ts';
import type { Administrator } from './administrator.ts';
import type { AdministratorChallenge } from './administrator-challenge.ts';

/** The cause of a refusal: the user has another password. The audit trail names the user; the answer does not. */
export class WrongPasswordError extends Error {
  override readonly name = 'WrongPasswordError';
  readonly claimed: ClaimedUser;

  constructor(username: string, id: string | undefined) {
    super('the user has another password');
    this.claimed = { username, id };
  }
}

/** Gives the user of Basic credentials; throws 401 or 429. */
export type AuthenticateByBasic = (basic: BasicCredentials, context: RequestContext) => Promise<Administrator>;

interface Dependencies {
  directory: Pick<OrganizationDirectory, 'findUserById'>;
  askPassword: AskPassword;
  authenticateClient: AuthenticateClient;
  challenge: AdministratorChallenge;
}

/** A user sends username and password. A client of the service-account kind sends its secret and acts as its Robot. */
export function createBasicAuthentication(deps: Dependencies): AuthenticateByBasic {
  const { directory, askPassword, authenticateClient, challenge } = deps;

  const authenticateUser: AuthenticateByBasic = async ({ userId, password }, context) => {
    const result = await askPassword({ username: userId, password }, 'administration', context);
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter);
    if (result.outcome === 'wrong') {
      throw challenge.unauthenticated(wrongCredentialsText, { cause: new WrongPasswordError(userId, result.userId) });
    }
    return { user: result.user, roles: result.user.roles };
  };

  const authenticateRobot: AuthenticateByBasic = async (basic, context) => {
    const credentials = { method: 'client_secret_basic', readings: readAsClient(listReadings(basic)) } as const;
    const client = await authenticateClient(credentials, context, 'administration').catch((error: unknown) => {
      throw toRefusal(error, challenge);
    });
    if (client.serviceAccount === undefined) {
      throw challenge.unauthenticated(
        'this client is not of the service-account kind; only such a client may call with its secret',
      );
    }
    const user = await directory.findUserById(client.serviceAccount.userId, context);
    if (user === undefined) throw challenge.unauthenticated('the Robot user of this client no longer exists');
    return { user, roles: limitRoles(user.roles, client.ceiling) };
  };

  return (basic, context) => {
    // A username has an @, which a client_id cannot have; some clients percent-encode it.
    const asUser = [basic, decodeFormEncoded(basic)].find((reading) => reading?.userId.includes('@'));
    return asUser === undefined ? authenticateRobot(basic, context) : authenticateUser(asUser, context);
  };
}

/** What is thrown for a client that does not prove who it is; any other failure stays as it is. */
function toRefusal(error: unknown, { unauthenticated }: AdministratorChallenge): unknown {
  if (!(error instanceof OAuthError)) return error;
  return error.retryAfter === undefined ? unauthenticated(error.message, error) : tooManyAttempts(error.retryAfter);
}

function tooManyAttempts(retryAfter: number): ProblemError {
  const detail = `too many wrong credentials from this address; try again in ${retryAfter} seconds`;
  return new ProblemError(429, detail, { retryAfter });
}
