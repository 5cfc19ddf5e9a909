import {
  limitRoles,
  mayAdministerClients,
  OAuthError,
  type PresentedToken,
  ProblemError,
  parsePresentedToken,
  wrongCredentialsText,
} from '@gatehouse/shared';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import { listReadings } from '../clients/read-client-credentials.ts';
import { findRefusedClient } from '../clients/refused-client.ts';
import type { AdministratorRefused, Tell } from '../events/event.ts';
import type { AskPassword } from '../organization/check-password.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import { type BasicCredentials, decodeFormEncoded, parseBasicCredentials } from '../protocol/basic-credentials.ts';
import type { Origin } from '../protocol/request-context.ts';
import type { AccessTokenClaims } from '../tokens/access-token-claims.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import type { Administrator } from './administrator.ts';
import { createAdministratorChallenge } from './administrator-challenge.ts';
import { WrongPasswordError } from './wrong-password.ts';

/**
 * Gives the user on whose behalf clients are administered, with the roles that it may use; throws 401 where nobody is
 * proved to call, 403 where that user is disabled or may use neither role. The roles are those of the organization
 * database at this moment, as far as the client through which the user acts allows.
 */
export type AuthenticateAdministrator = (request: AdministratorRequest) => Promise<Administrator>;

export interface AdministratorRequest {
  /** The header, as it was sent. */
  authorization: string | undefined;
  origin: Origin;
  /** Throws where a token that is bound to a key comes without a proof of it (RFC 9449 7.1). */
  checkHolder(presented: PresentedToken, claims: AccessTokenClaims): Promise<void>;
}

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
  const { directory, askPassword, authenticateClient, findActiveAccessToken, tell, realm, audience } = deps;
  const { unauthenticated, invalidToken, invalidProof } = createAdministratorChallenge(realm);

  const findByPassword = async ({ userId, password }: BasicCredentials, origin: Origin): Promise<Administrator> => {
    const result = await askPassword({ username: userId, password }, 'administration', origin);
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter);
    if (result.outcome === 'wrong') {
      throw unauthenticated(wrongCredentialsText, { cause: new WrongPasswordError(userId, result.userId) });
    }
    return { user: result.user, roles: result.user.roles };
  };

  /** A client of the service-account kind acts as its Robot. */
  const findRobot = async (basic: BasicCredentials, origin: Origin): Promise<Administrator> => {
    const readings = listReadings(basic);
    const client = await authenticateClient(
      { method: 'client_secret_basic', readings },
      origin,
      'administration',
    ).catch(refuseClient);
    if (client.serviceAccount === undefined) throw unauthenticated('this client is not of the service-account kind');
    const user = await directory.findUserById(client.serviceAccount.userId, origin);
    if (user === undefined) throw unauthenticated('the user is gone');
    return { user, roles: limitRoles(user.roles, client.ceiling) };
  };
  const refuseClient = (error: unknown): never => {
    if (!(error instanceof OAuthError)) throw error;
    throw error.retryAfter === undefined ? unauthenticated(error.message, error) : tooManyAttempts(error.retryAfter);
  };

  const findByBasic = (basic: BasicCredentials, origin: Origin) => {
    // A username has an @, which a client_id cannot have; some clients percent-encode it.
    const asUser = [basic, decodeFormEncoded(basic)].find((reading) => reading?.userId.includes('@'));
    return asUser === undefined ? findRobot(basic, origin) : findByPassword(asUser, origin);
  };

  const findByToken = async (presented: PresentedToken, request: AdministratorRequest): Promise<Administrator> => {
    const active = await findActiveAccessToken(presented.token, request.origin, { disabledUser: true });
    if (active === undefined) {
      tell({ type: 'access_token.refused' });
      throw invalidToken('the access token is malformed, expired or revoked');
    }
    const { client, claims, user } = active;
    if (claims.aud !== audience) throw invalidToken('the access token is meant for another resource server');
    await request.checkHolder(presented, claims).catch(refuseHolder);
    if (claims.third_party && !claims.scope.split(' ').includes('roles')) {
      throw notAllowed('the user did not allow this application to act with its roles (scope roles)');
    }
    if (user === undefined) throw notAllowed('the access token stands for no user');
    return { user, roles: limitRoles(limitRoles(user.roles, client.ceiling), claims.ceiling ?? client.ceiling) };
  };
  const refuseHolder = (error: unknown): never => {
    if (!(error instanceof OAuthError)) throw error;
    if (error.code === 'invalid_token') throw invalidToken(error.message);
    throw error.code === 'invalid_dpop_proof' || error.code === 'use_dpop_nonce' ? invalidProof(error) : error;
  };

  const findCaller = async (request: AdministratorRequest): Promise<Administrator> => {
    const basic = parseBasicCredentials(request.authorization);
    if (basic) return findByBasic(basic, request.origin);
    const presented = parsePresentedToken(request.authorization);
    if (presented) return findByToken(presented, request);
    throw unauthenticated(
      basic === null || presented === null
        ? 'the Authorization header is not readable'
        : 'credentials are required, by Basic, Bearer or DPoP',
    );
  };

  return async (request) => {
    let caller: Administrator | undefined;
    try {
      caller = await findCaller(request);
      checkMayAdminister(caller);
      return caller;
    } catch (error) {
      const why = findRefusal(error);
      const { authorization, origin } = request;
      if (why !== undefined) {
        const claimed = findClaim(authorization, error);
        tell({ type: 'administrator.refused', why, user: caller?.user, claimed, origin });
      }
      throw error;
    }
  };
}

function checkMayAdminister({ user, roles }: Administrator): void {
  if (!user.enabled) throw notAllowed('the user is disabled');
  if (mayAdministerClients(roles)) return;
  throw notAllowed(
    mayAdministerClients(user.roles)
      ? 'the client may not use the role SystemAdministrator or IdpAdministrator of its user'
      : 'the role SystemAdministrator or IdpAdministrator is required in the organization',
  );
}

function notAllowed(detail: string): ProblemError {
  return new ProblemError(403, detail);
}

function tooManyAttempts(retryAfter: number): ProblemError {
  const detail = `too many wrong credentials from this address; try again in ${retryAfter} seconds`;
  return new ProblemError(429, detail, { retryAfter });
}

/** Undefined for what is no refusal: a failure inside, or the first proof of a sender, which has no nonce (RFC 9449 9). */
function findRefusal(error: unknown): AdministratorRefused['why'] | undefined {
  if (!(error instanceof ProblemError) || error.reason === 'use_dpop_nonce') return undefined;
  if (error.status === 401) return 'not_authenticated';
  if (error.status === 403) return 'not_allowed';
  return error.status === 429 ? 'limited' : undefined;
}

function findClaim(authorization: string | undefined, error: unknown): AdministratorRefused['claimed'] {
  if (authorization === undefined) return 'nothing';
  if (error instanceof Error && error.cause instanceof WrongPasswordError) return error.cause.claimed;
  const username = parseBasicCredentials(authorization)?.userId;
  return findRefusedClient(error) ?? (username === undefined ? 'nobody' : { username, id: undefined });
}
