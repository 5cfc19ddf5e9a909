import { type Clock, findAdministrationLevel, noteKnown, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import {
  type Level,
  levels,
  limitRoles,
  type MfaPolicy,
  parsePresentedToken,
  type Role,
  requiresMfa,
  satisfies,
  secondStepDueText,
  wrongCredentialsText,
} from '@gatehouse/shared';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { ClientRefusal } from '../clients/client-refusal.ts';
import type { AdministratorRefused, Tell } from '../events/event.ts';
import type { AskPassword } from '../organization/check-password.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import {
  type BasicCredentials,
  decodeFormEncoded,
  listReadings,
  parseBasicCredentials,
  readAsClient,
} from '../protocol/basic-credentials.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';
import type {
  Administrator,
  AdministratorRequest,
  AdministratorRole,
  AuthenticatedAdministrator,
} from './administrator.ts';
import {
  type AdministratorChallenge,
  AdministratorRefusal,
  createAdministratorChallenge,
} from './administrator-challenge.ts';
import { createTokenAuthentication } from './authenticate-by-token.ts';

/**
 * Gives the user on whose behalf clients are administered, with the roles that count. Throws 401 where the caller does
 * not prove to be a user or a Robot, 403 where that user is disabled or may use neither role. The roles are those of the
 * organization database at this moment, as far as the client through which the user acts allows.
 */
export type AuthenticateAdministrator = (request: AdministratorRequest) => Promise<AuthenticatedAdministrator>;

interface Dependencies extends ClientAuthentication {
  directory: Pick<OrganizationDirectory, 'findUserById'>;
  askPassword: AskPassword;
  findActiveAccessToken: FindActiveAccessToken;
  tell: Tell;
  realm: string;
  config: { administrationAcr: Level; requireMfa: MfaPolicy };
  /** The `aud` of the tokens that open client administration. */
  audience: string;
  clock: Clock;
}

export function createAdministratorAuthentication(deps: Dependencies): AuthenticateAdministrator {
  const { tell, realm, config, clock } = deps;
  const challenge = createAdministratorChallenge(realm);
  const authenticateByBasic = createBasicAuthentication({ ...deps, challenge });
  const authenticateByToken = createTokenAuthentication({ ...deps, challenge });

  const authenticate = async (request: AdministratorRequest): Promise<Administrator> => {
    const basic = parseBasicCredentials(request.authorization);
    if (basic) return authenticateByBasic(basic, request.context);
    const presented = parsePresentedToken(request.authorization);
    if (presented) return authenticateByToken(presented, request);
    const unreadable = 'the Authorization header must hold Basic, Bearer or DPoP credentials';
    if (presented === null) throw challenge.noToken(unreadable);
    throw challenge.unauthenticated(
      basic === null ? unreadable : 'credentials are required; send them by Basic, Bearer or DPoP',
    );
  };

  const [password] = levels;

  /** A Robot has one secret. A Person reaches what administration, or the own second step, demands. */
  const findNeededLevel = ({ user }: Administrator): Level => {
    if (user.userType === 'Robot') return password;
    const hasSecondStep = user.secondStep === true || requiresMfa(config.requireMfa, user);
    return findAdministrationLevel(config.administrationAcr, hasSecondStep);
  };

  const checkLevel = (caller: Administrator, { authorization }: AdministratorRequest): void => {
    const needed = findNeededLevel(caller);
    if (satisfies(caller.acr ?? password, needed)) return;
    throw parseBasicCredentials(authorization)
      ? challenge.unauthenticated(secondStepDueText)
      : challenge.insufficientLevel(needed);
  };

  const demandFreshSignIn = (caller: Administrator): void => {
    const { user, freshness } = caller;
    if (freshness === undefined || user.userType === 'Robot') return;
    const { maxAge, signedInAt } = freshness;
    if (signedInAt >= toSeconds(clock()) - maxAge) return;
    const needed = findNeededLevel(caller);
    throw challenge.staleSignIn({ acr: needed === password ? undefined : needed, maxAge });
  };

  return async (request) => {
    let caller: Administrator | undefined;
    try {
      const found = await authenticate(request);
      caller = found;
      noteKnown(request.context, { client: found.clientId, user: found.user.username });
      checkMayAdminister(found, request.roles);
      checkLevel(found, request);
      return { ...found, demandFreshSignIn: () => demandFreshSignIn(found) };
    } catch (error) {
      if (error instanceof AdministratorRefusal) {
        const { why, claimed = readClaim(request.authorization) } = error;
        const { user, clientId } = caller ?? {};
        tell({ type: 'administrator.refused', why, claimed, user, clientId, context: request.context });
      }
      throw error;
    }
  };
}

/** The subject that the credentials name. */
function readClaim(authorization: string | undefined): AdministratorRefused['claimed'] {
  if (authorization === undefined) return 'nothing';
  const username = parseBasicCredentials(authorization)?.userId;
  return username === undefined ? 'nobody' : { username, id: undefined };
}

function checkMayAdminister({ user, roles }: Administrator, needed: readonly AdministratorRole[]): void {
  if (!user.enabled) throw new AdministratorRefusal('the user is disabled', { why: 'not_allowed' });
  const suffices = (held: readonly Role[]) => needed.some((role) => held.includes(role));
  if (suffices(roles)) return;
  const named = needed.join(' or ');
  throw new AdministratorRefusal(
    suffices(user.roles)
      ? `the client may not use the role ${named} of its user`
      : `the role ${named} is required in the organization`,
    { why: 'not_allowed' },
  );
}

/** Gives the user of Basic credentials; throws 401 or 429. */
type AuthenticateByBasic = (basic: BasicCredentials, context: RequestContext) => Promise<Administrator>;

/** A user sends username and password. A client of the service-account kind sends its secret and acts as its Robot. */
function createBasicAuthentication(
  deps: Pick<Dependencies, 'directory' | 'askPassword' | 'authenticateClient'> & { challenge: AdministratorChallenge },
): AuthenticateByBasic {
  const { directory, askPassword, authenticateClient, challenge } = deps;

  const authenticateUser: AuthenticateByBasic = async ({ userId, password }, context) => {
    const result = await askPassword({ username: userId, password }, 'administration', context);
    if (result.outcome === 'limited') throw tooManyAttempts(result.retryAfter);
    if (result.outcome === 'wrong') {
      const claimed = { username: userId, id: result.userId };
      throw challenge.unauthenticated(wrongCredentialsText, { claimed });
    }
    if (result.secondStep !== undefined) throw challenge.unauthenticated(secondStepDueText, { claimed: result.user });
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

/** The error for a client that does not prove who it is; any other failure stays as it is. */
function toRefusal(error: unknown, { unauthenticated }: AdministratorChallenge): unknown {
  if (!(error instanceof ClientRefusal)) return error;
  const { why, message, reason, client: claimed, retryAfter } = error;
  return why === 'limited' ? tooManyAttempts(retryAfter) : unauthenticated(message, { reason, claimed });
}

function tooManyAttempts(retryAfter = 60): AdministratorRefusal {
  const detail = `too many wrong credentials from this address; try again in ${retryAfter} seconds`;
  return new AdministratorRefusal(detail, { why: 'limited', retryAfter });
}
