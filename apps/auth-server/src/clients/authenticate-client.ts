import type { Attempt, CheckGuess, GuessLimit } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { ClientPlace, Tell } from '../events/event.ts';
import type { Origin } from '../protocol/request-context.ts';
import { type Client, isPublic } from './client.ts';
import type { FindAssertionFault } from './client-assertion.ts';
import { type ClientSecrets, isOfMadeForm } from './client-secret.ts';
import type { ClientStore } from './client-store.ts';
import { findRefusedClient, RefusedClientError } from './refused-client.ts';

/** How a client proves who it is (RFC 6749 2.3), as it stood in the request. */
export type ClientCredentials =
  /** More than one reading, where the client may have sent Basic raw or form-urlencoded. */
  | { method: 'client_secret_basic' | 'client_secret_post'; readings: readonly ClientSecretReading[] }
  | { method: 'private_key_jwt'; clientId: string; assertion: string }
  | { method: 'none'; clientId: string };

export interface ClientSecretReading {
  clientId: string;
  secret: string;
}

interface RememberedClient {
  client: Client;
  /** Its secret was made by the server. */
  isMade: boolean;
}

/** Who may be meant by a reading, as the database has it now. */
interface Candidate {
  client: Client | undefined;
  secret: string;
}

/** `place`: where the client proves itself; at an endpoint for clients where left out. */
export type AuthenticateClient = (
  credentials: ClientCredentials,
  origin: Origin,
  place?: ClientPlace,
) => Promise<Client>;

interface Dependencies {
  clients: ClientStore;
  clientSecrets: ClientSecrets;
  guessLimit: Pick<GuessLimit, 'findRetryAfter'>;
  checkGuess: CheckGuess;
  findAssertionFault: FindAssertionFault;
  tell: Tell;
}

/** Gives the client, or throws `invalid_client`: one text for every way it can be wrong, but for the time of an assertion. */
export function createClientAuthentication(deps: Dependencies): AuthenticateClient {
  const { clients, clientSecrets, guessLimit, checkGuess, findAssertionFault, tell } = deps;

  const authenticatePublic = async (clientId: string): Promise<Client> => {
    const client = await clients.find(clientId);
    if (client === undefined) throw invalidClient(`no client ${clientId}`);
    if (!isPublic(client)) throw invalidClient(`${clientId} is confidential and sent no secret`, client);
    return client;
  };

  const authenticateByKey = async (clientId: string, assertion: string): Promise<Client> => {
    const client = await clients.find(clientId);
    if (client?.metadata.jwks === undefined) {
      throw invalidClient(`${clientId} has no keys to verify an assertion with`, client);
    }
    const fault = await findAssertionFault(client, assertion);
    if (fault?.isOfTime) throw untimelyAssertion(fault.reason, client);
    if (fault !== undefined) throw invalidClient(`client assertion: ${fault.reason}`, client);
    return client;
  };

  /** The way of almost every request: a client whose secret matched a moment ago. What the database has now decides the rest. */
  const findRemembered = async (readings: readonly ClientSecretReading[]): Promise<RememberedClient | undefined> => {
    for (const { clientId, secret } of readings) {
      const client = await clients.findRecent(clientId);
      if (client === undefined) continue;
      if (clientSecrets.isMade(client, secret)) return { client, isMade: true };
      if (clientSecrets.isRemembered(client, secret)) return { client, isMade: false };
    }
    return undefined;
  };

  const authenticateBySecret = async (
    readings: readonly ClientSecretReading[],
    { address }: Origin,
  ): Promise<Client> => {
    const attempt = { subject: readings[0]?.clientId ?? '', address };
    const findWait = () => guessLimit.findRetryAfter(attempt);
    const mayBeMade = readings.some(({ secret }) => isOfMadeForm(secret));
    const [remembered, waitOfChosen] = await Promise.all([
      findRemembered(readings),
      mayBeMade ? undefined : findWait(),
    ]);
    // Nobody guesses a secret that the server made: no limit keeps it out.
    if (remembered?.isMade) return remembered.client;
    const wait = mayBeMade ? await findWait() : waitOfChosen;
    if (remembered !== undefined && wait === undefined) return remembered.client;
    return authenticateByStored(readings, attempt, wait);
  };

  const authenticateByStored = async (
    readings: readonly ClientSecretReading[],
    attempt: Attempt,
    wait: number | undefined,
  ): Promise<Client> => {
    const candidates = await Promise.all(readings.map(findCandidate));
    const made = candidates.find(({ client, secret }) => client !== undefined && clientSecrets.isMade(client, secret));
    if (made?.client !== undefined) return made.client;
    if (!candidates.some(({ client }) => clientSecrets.isGuessable(client))) throw wrongSecret(candidates);
    if (wait !== undefined) throw tooManyAttempts(wait);
    return authenticateByHash(candidates, attempt);
  };
  const findCandidate = async ({ clientId, secret }: ClientSecretReading): Promise<Candidate> => ({
    client: await clients.find(clientId),
    secret,
  });

  const authenticateByHash = async (candidates: readonly Candidate[], attempt: Attempt): Promise<Client> => {
    const guess = { ...attempt, secret: candidates.map(({ secret }) => secret).join('\0') };
    const checked = await checkGuess(guess, async (turn) => {
      for (const { client, secret } of candidates) {
        if (await clientSecrets.verify(client, secret, turn)) return 'right';
      }
      return 'wrong';
    });
    if (checked.outcome === 'limited') throw tooManyAttempts(checked.retryAfter);
    // The same guess may have been checked for somebody else a moment ago: what matched is remembered.
    const match = candidates.find(({ client, secret }) => client && clientSecrets.isRemembered(client, secret));
    if (checked.outcome === 'right' && match?.client !== undefined) return match.client;
    throw wrongSecret(candidates);
  };

  const prove = (credentials: ClientCredentials, origin: Origin): Promise<Client> => {
    switch (credentials.method) {
      case 'none':
        return authenticatePublic(credentials.clientId);
      case 'private_key_jwt':
        return authenticateByKey(credentials.clientId, credentials.assertion);
      default:
        return authenticateBySecret(credentials.readings, origin);
    }
  };

  const tellRefusal = (error: unknown, { method }: ClientCredentials, origin: Origin, place: ClientPlace) => {
    if (!(error instanceof OAuthError)) return;
    const about = { type: 'client.refused', place, method, client: findRefusedClient(error), origin } as const;
    if (error.status === 429) tell({ ...about, why: 'limited' });
    else if (error.code === 'invalid_client') tell({ ...about, why: 'wrong_credentials' });
  };

  return async (credentials, origin, place = 'client') => {
    try {
      const client = await prove(credentials, origin);
      checkMethod(client, credentials);
      return client;
    } catch (error) {
      tellRefusal(error, credentials, origin, place);
      throw error;
    }
  };
}

/** OpenID Connect Registration 2: a client that registered one method uses no other. */
function checkMethod(client: Client, { method }: ClientCredentials): void {
  const registered = client.metadata.token_endpoint_auth_method;
  if (registered === undefined || registered === method) return;
  throw invalidClient(`authenticated by ${method}, registered for ${registered}`, client);
}

/** `client` is the one that was claimed, where it exists: the audit trail tells it, the answer does not. */
function invalidClient(reason: string, client?: Client): OAuthError {
  return new OAuthError('invalid_client', 'client authentication failed: check client_id and credentials', {
    reason,
    cause: client && new RefusedClientError(client),
  });
}

/** Told to nobody but a holder of the client's key, who can act on it. */
function untimelyAssertion(reason: string, client: Client): OAuthError {
  const description = 'the time of client_assertion (exp, nbf, iat) is not acceptable: check the clock';
  const cause = new RefusedClientError(client);
  return new OAuthError('invalid_client', description, { reason: `client assertion: ${reason}`, cause });
}

function wrongSecret(candidates: readonly Candidate[]): OAuthError {
  const meant = candidates.find(({ client }) => client !== undefined)?.client;
  return invalidClient('no such client, or another secret', meant);
}

function tooManyAttempts(retryAfter: number): OAuthError {
  const description = `too many wrong client secrets from this address; try again in ${retryAfter} seconds`;
  return new OAuthError('temporarily_unavailable', description, { status: 429, retryAfter });
}
