import type { Attempt, CheckGuess } from '@gatehouse/service-kit/guess-limit';
import type { ClientSecretReading } from '../protocol/basic-credentials.ts';
import type { Client } from './client.ts';
import { type ClientRefusal, tooManyWrongSecrets, wrongCredentials } from './client-refusal.ts';
import type { ClientSecrets } from './client-secret.ts';
import type { ClientStore } from './client-store.ts';

/** The client that a reading may mean, as the database has it now. */
interface Candidate {
  client: Client | undefined;
  secret: string;
}

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  clientSecrets: ClientSecrets;
  checkGuess: CheckGuess;
}

/**
 * Gives the client whose secret, as the database has it now, is one of those read; throws `invalid_client`, or a 429.
 * `wait`: seconds for which the limit of guesses keeps this attempt out.
 */
export async function authenticateByStoredSecret(
  deps: Dependencies,
  readings: readonly ClientSecretReading[],
  attempt: Attempt,
  wait: number | undefined,
): Promise<Client> {
  const { clients, clientSecrets } = deps;
  const findCandidate = async ({ clientId, secret }: ClientSecretReading): Promise<Candidate> => ({
    client: await clients.find(clientId),
    secret,
  });
  const candidates = await Promise.all(readings.map(findCandidate));
  const made = candidates.find(({ client, secret }) => client !== undefined && clientSecrets.isMade(client, secret));
  if (made?.client !== undefined) return made.client;
  if (!candidates.some(({ client }) => clientSecrets.isGuessable(client))) throw wrongSecret(candidates);
  if (wait !== undefined) throw tooManyWrongSecrets(wait);
  return authenticateByHash(deps, candidates, attempt);
}

async function authenticateByHash(
  { clientSecrets, checkGuess }: Dependencies,
  candidates: readonly Candidate[],
  attempt: Attempt,
): Promise<Client> {
  const secrets = candidates.map(({ secret }) => secret);
  // A header that is read as two secrets is two guesses.
  const guess = { ...attempt, secret: secrets.join('\0'), tries: new Set(secrets).size };
  const checked = await checkGuess(guess, async (turn) => {
    for (const { client, secret } of candidates) {
      if (await clientSecrets.verify(client, secret, turn)) return 'right';
    }
    return 'wrong';
  });
  if (checked.outcome === 'limited') throw tooManyWrongSecrets(checked.retryAfter);
  // The same guess may have been checked for another caller a moment ago: a secret that matched is remembered.
  const match = candidates.find(({ client, secret }) => client && clientSecrets.isRemembered(client, secret));
  if (checked.outcome === 'right' && match?.client !== undefined) return match.client;
  throw wrongSecret(candidates);
}

function wrongSecret(candidates: readonly Candidate[]): ClientRefusal {
  const meant = candidates.find(({ client }) => client !== undefined)?.client;
  return wrongCredentials('no such client, or another secret', meant);
}
