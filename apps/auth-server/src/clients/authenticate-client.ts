import { noteKnown, type RequestContext } from '@gatehouse/service-kit';
import type { CheckGuess, GuessLimit } from '@gatehouse/service-kit/guess-limit';
import { OAuthError } from '@gatehouse/shared';
import type { ClientPlace, Tell } from '../events/event.ts';
import type { NamesIssuer } from '../issuers/verify-federated-jwt.ts';
import type { ClientSecretReading } from '../protocol/basic-credentials.ts';
import { authenticateByStoredSecret, type ProvenBySecret } from './authenticate-by-stored-secret.ts';
import type { Client } from './client.ts';
import type { FindAssertionFault } from './client-assertion.ts';
import type { ClientCredentials, FederatedCredentials, OwnCredentials } from './client-credentials.ts';
import { demandsOf, isPublic } from './client-demands.ts';
import { ClientRefusal, clientIsDisabled, untimelyAssertion, wrongCredentials } from './client-refusal.ts';
import type { ClientSecrets, GoodSecret } from './client-secret.ts';
import type { ClientStore } from './client-store.ts';
import type { ClientUses } from './client-uses.ts';
import { isDocumentUrl } from './document-url.ts';
import { describeNames, type FindFederatedFault } from './federated-assertion.ts';
import type { RequestBudget } from './request-budget.ts';

/** A client that proved itself; by no secret where there is none here. */
interface Proven {
  client: Client;
  secret?: GoodSecret;
}

interface RememberedClient extends ProvenBySecret {
  /** Its secret was made by the server. */
  isMade: boolean;
}

interface Dependencies {
  clients: ClientStore;
  clientSecrets: ClientSecrets;
  clientUses: Pick<ClientUses, 'noteSecret'>;
  guessLimit: Pick<GuessLimit, 'findRetryAfter'>;
  checkGuess: CheckGuess;
  findAssertionFault: FindAssertionFault;
  assertionBudget: RequestBudget;
  findFederatedFault: FindFederatedFault;
  namesIssuer: NamesIssuer;
  findByDocument: FindByDocument;
  tell: Tell;
}

/**
 * Finds the client whose client_id is the URL of its metadata document; undefined where there is none. Throws 429 and 503 where that
 * cannot be read, and `invalid_client` where it is not good.
 */
export type FindByDocument = (url: string, context: RequestContext) => Promise<Client | undefined>;

export type ClientAuthentication = ReturnType<typeof createClientAuthentication>;

export function createClientAuthentication(deps: Dependencies) {
  const prove = (credentials: SettledCredentials, context: RequestContext): Promise<Proven> => {
    switch (credentials.method) {
      case 'none':
        return authenticatePublic(deps, credentials.clientId, context);
      case 'private_key_jwt':
        return authenticateByKey(deps, credentials, context);
      case 'federated_jwt':
        return authenticateByIssuer(deps, credentials, context);
      default:
        return authenticateBySecret(deps, credentials.readings, context);
    }
  };

  return {
    /**
     * Gives the client, or throws `invalid_client`: one text for every way it can be wrong, but for the time of an assertion
     * and for a client that is disabled.
     * `place`: where the client proves itself.
     */
    async authenticateClient(
      sent: ClientCredentials,
      context: RequestContext,
      place: ClientPlace = 'client',
    ): Promise<Client> {
      const credentials = await settle(deps, sent);
      try {
        const { client, secret } = await prove(credentials, context);
        noteKnown(context, { client: client.clientId });
        // OpenID Connect Registration 2: a client that registered one method uses no other.
        const registered = demandsOf(client).authenticationMethod ?? credentials.method;
        if (registered !== credentials.method) {
          throw wrongCredentials(`authenticated by ${credentials.method}, registered for ${registered}`, client);
        }
        if (!client.enabled) throw clientIsDisabled(client);
        if (secret !== undefined) deps.clientUses.noteSecret(client, secret);
        return client;
      } catch (error) {
        if (error instanceof ClientRefusal) {
          const { why, client } = error;
          deps.tell({ type: 'client.refused', why, client, place, method: credentials.method, context });
        }
        throw error;
      }
    },
  };
}

/** Credentials that are what they look like. */
type SettledCredentials = OwnCredentials | ProofByIssuer;

/** A token of an issuer, and the client that is registered for it. */
interface ProofByIssuer extends Pick<FederatedCredentials, 'method' | 'assertion' | 'isSvid'> {
  client: Client;
}

/** A token of another issuer counts for a client that is registered for it alone. Throws what is wrong with the request elsewhere. */
async function settle(
  { clients, namesIssuer }: Dependencies,
  credentials: ClientCredentials,
): Promise<SettledCredentials> {
  if (credentials.method !== 'federated_jwt') return credentials;
  const { clientId, assertion, isSvid, otherwise } = credentials;
  if (clientId === undefined && (await namesIssuer(assertion))) {
    throw new OAuthError('invalid_request', 'client_id is required with a client_assertion of an issuer');
  }
  const client = clientId === undefined ? undefined : await clients.find(clientId);
  if (client !== undefined && demandsOf(client).authenticationMethod === 'federated_jwt') {
    return { method: 'federated_jwt', client, assertion, isSvid };
  }
  if (otherwise instanceof OAuthError) throw otherwise;
  return otherwise;
}

async function authenticateByIssuer(
  { findFederatedFault }: Dependencies,
  proof: ProofByIssuer,
  context: RequestContext,
): Promise<Proven> {
  const { client, assertion } = proof;
  const fault = await findFederatedFault(client, proof, context);
  if (fault === undefined) return { client };
  const reason = `${fault.reason}; ${describeNames(assertion)}`;
  throw fault.isOfTime ? untimelyAssertion(reason, client) : wrongCredentials(`client assertion: ${reason}`, client);
}

/** A client that proves itself by no secret: one of a document may do so, too. */
function findWithoutSecret(
  { clients, findByDocument }: Dependencies,
  clientId: string,
  context: RequestContext,
): Promise<Client | undefined> {
  return isDocumentUrl(clientId) ? findByDocument(clientId, context) : clients.find(clientId);
}

async function authenticatePublic(deps: Dependencies, clientId: string, context: RequestContext): Promise<Proven> {
  const client = await findWithoutSecret(deps, clientId, context);
  if (client === undefined) throw wrongCredentials('no client has this client_id');
  if (!isPublic(client)) throw wrongCredentials(`${clientId} is confidential and sent no secret`, client);
  return { client };
}

async function authenticateByKey(
  deps: Dependencies,
  { clientId, assertion }: { clientId: string; assertion: string },
  context: RequestContext,
): Promise<Proven> {
  const client = await findWithoutSecret(deps, clientId, context);
  // The keys of a client that is registered for another method serve its signed requests alone.
  if (client === undefined || demandsOf(client).authenticationMethod !== 'private_key_jwt') {
    throw wrongCredentials(`${clientId} is not registered for private_key_jwt`, client);
  }
  const spend = () => deps.assertionBudget.spend(client, context.address);
  const fault = await deps.findAssertionFault(client, assertion, spend);
  if (fault?.isOfTime) throw untimelyAssertion(fault.reason, client);
  if (fault !== undefined) throw wrongCredentials(`client assertion: ${fault.reason}`, client);
  return { client };
}

async function authenticateBySecret(
  deps: Dependencies,
  readings: readonly ClientSecretReading[],
  { address }: RequestContext,
): Promise<Proven> {
  const attempt = { subject: readings[0]?.clientId ?? '', address };
  const remembered = await findRemembered(deps, readings);
  // Nobody guesses a secret that the server made: no limit keeps it out.
  if (remembered?.isMade) return remembered;
  const wait = await deps.guessLimit.findRetryAfter(attempt);
  if (remembered !== undefined && wait === undefined) return remembered;
  return authenticateByStoredSecret(deps, readings, attempt, wait);
}

/** The way of almost every request: a client whose secret matched a moment ago. The database decides the rest now. */
async function findRemembered(
  { clients, clientSecrets }: Dependencies,
  readings: readonly ClientSecretReading[],
): Promise<RememberedClient | undefined> {
  for (const { clientId, secret } of readings) {
    const client = await clients.findRecent(clientId);
    if (client === undefined) continue;
    const made = clientSecrets.findMade(client, secret);
    if (made !== undefined) return { client, secret: made, isMade: true };
    const matched = clientSecrets.findRemembered(client, secret);
    if (matched !== undefined) return { client, secret: matched, isMade: false };
  }
  return undefined;
}
