import { type AuditTrail, originOf } from '@gatehouse/service-kit';
import {
  type DirectoryUser,
  mayAdministerClients,
  OAuthError,
  ProblemError,
  parsePresentedToken,
  wrongCredentialsText,
} from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import { findAdministratorRefusal } from '../audit/administrator-refusal.ts';
import { describeClaimedUser } from '../audit/parties.ts';
import { RefusedPartyError } from '../audit/refused-party.ts';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { Origin } from '../origin.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import { type BasicCredentials, decodeFormEncoded, parseBasicCredentials } from './basic-credentials.ts';
import { listReadings } from './client-authentication.ts';

/**
 * Gives the user on whose behalf clients are administered; throws 401 where nobody is proved to call, 403 where that
 * user is disabled or holds neither role. The roles are those of the organization database at this moment.
 */
export type AuthenticateAdministrator = (request: FastifyRequest) => Promise<DirectoryUser>;

interface Dependencies {
  directory: OrganizationDirectory;
  authenticateClient: AuthenticateClient;
  findActiveAccessToken: FindActiveAccessToken;
  audit: Pick<AuditTrail, 'note'>;
  realm: string;
}

export function createAdministratorAuthentication(deps: Dependencies): AuthenticateAdministrator {
  const { directory, authenticateClient, findActiveAccessToken, audit, realm } = deps;
  const challenge = `Basic realm="${realm}", charset="UTF-8", Bearer realm="${realm}"`;
  const unauthenticated = (detail: string, why: { reason?: string | undefined; cause?: unknown } = {}) =>
    new ProblemError(401, detail, { challenge, cause: why.cause, ...(why.reason && { reason: why.reason }) });

  const findUserByPassword = async ({ userId, password }: BasicCredentials, origin: Origin) => {
    const result = await directory.checkPassword({ username: userId, password }, origin);
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter);
    if (result.outcome === 'wrong') {
      throw unauthenticated(wrongCredentialsText, {
        cause: new RefusedPartyError(describeClaimedUser(userId, result.userId)),
      });
    }
    return result.user;
  };

  /** A client of the service-account kind acts as its Robot. */
  const findRobot = async (basic: BasicCredentials, origin: Origin) => {
    const readings = listReadings(basic);
    const client = await authenticateClient({ method: 'client_secret_basic', readings }, origin).catch(refuseClient);
    if (client.serviceAccount === undefined) throw unauthenticated('this client is not of the service-account kind');
    return directory.findUserById(client.serviceAccount.userId, origin);
  };
  const refuseClient = (error: unknown): never => {
    if (!(error instanceof OAuthError)) throw error;
    throw error.retryAfter === undefined ? unauthenticated(error.message, error) : tooManyAttempts(error.retryAfter);
  };

  const findByBasic = (basic: BasicCredentials, origin: Origin) => {
    // A username has an @, which a client_id cannot have; some clients percent-encode it.
    const asUser = [basic, decodeFormEncoded(basic)].find((reading) => reading?.userId.includes('@'));
    return asUser === undefined ? findRobot(basic, origin) : findUserByPassword(asUser, origin);
  };
  const findByBearer = async (token: string, origin: Origin) => {
    const active = await findActiveAccessToken(token, origin, { disabledUser: true });
    if (active === undefined) throw unauthenticated('the access token is malformed, expired or revoked');
    const { third_party: isThirdParty, scope } = active.claims;
    if (isThirdParty && !scope.split(' ').includes('roles')) {
      throw notAllowed('the user did not allow this application to act with its roles (scope roles)');
    }
    if (active.claims.cnf !== undefined) throw unauthenticated('the access token is bound to a key (DPoP)');
    if (active.user === undefined) throw notAllowed('the access token stands for no user');
    return active.user;
  };

  const findCaller = async (request: FastifyRequest) => {
    const { authorization } = request.headers;
    const basic = parseBasicCredentials(authorization);
    if (basic) return findByBasic(basic, originOf(request));
    const presented = parsePresentedToken(authorization);
    if (presented?.scheme === 'Bearer') return findByBearer(presented.token, originOf(request));
    throw unauthenticated(
      basic === null || presented === null
        ? 'the Authorization header is not readable'
        : 'credentials are required, by Basic or Bearer',
    );
  };

  const tellRefusal = (request: FastifyRequest, error: unknown, user: DirectoryUser | undefined) => {
    // Nobody who sends no credentials has tried anything.
    if (request.headers.authorization === undefined) return;
    const claimedName = parseBasicCredentials(request.headers.authorization)?.userId;
    const refusal = findAdministratorRefusal(error, { user, claimedName, origin: originOf(request) });
    if (refusal !== undefined) audit.note(refusal);
  };

  return async (request) => {
    let user: DirectoryUser | undefined;
    try {
      user = await findCaller(request);
      if (user === undefined) throw unauthenticated('the user is gone');
      checkMayAdminister(user);
      return user;
    } catch (error) {
      tellRefusal(request, error, user);
      throw error;
    }
  };
}

function checkMayAdminister({ enabled, roles }: DirectoryUser): void {
  if (!enabled) throw notAllowed('the user is disabled');
  if (mayAdministerClients(roles)) return;
  throw notAllowed('the role SystemAdministrator or IdpAdministrator is required in the organization');
}

function notAllowed(detail: string): ProblemError {
  return new ProblemError(403, detail);
}

function tooManyAttempts(retryAfter: number): ProblemError {
  const detail = `too many wrong credentials from this address; try again in ${retryAfter} seconds`;
  return new ProblemError(429, detail, { retryAfter });
}
