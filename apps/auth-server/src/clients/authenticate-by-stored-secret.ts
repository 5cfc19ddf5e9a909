import type { Attempt, CheckGuess } from '@gatehouse/service-kit/guess-limit';
import type { ClientSecretReading } from '../protocol/basic-credentials.ts';
import type { Client } from './client.ts';
import { type ClientRefusal, tooManyWrongSecrets, wrongCredentials } from './client-refusal.ts';
import type { ClientSecrets, GoodSecret } from './client-secret.ts';
import type { ClientStore } from './client-store.ts';

/** The client that a reading may mean, as the database has it now. */
interface Candidate {
  client: Client | undefined;
  secret: string;
}

/** A client that proved itself, and the secret by which it did. */
export interface ProvenBySecret {
  client: Client;
  secret: GoodSecret;
}

interface Dependencies {
  clients: Pick<ClientStore, 'find'>;
  clientSecrets: ClientSecrets;
  checkGuess: CheckGuess;
}

/**
 * Gives the client whose secret, as the database has it now, is one of those read, and that secret; throws `invalid_client`, or a 429.
 * `wait`: seconds for which the limit of guesses keeps this attempt out.
 */
export async function authenticateByStoredSecret(
  deps: Dependencies,
  readings: readonly ClientSecretReading[],
  attempt: Attempt,
  wait: number | undefined,
): Promise<ProvenBySecret> {
  const { clients, clientSecrets } = deps;
  const findCandidate = async ({ clientId, secret }: ClientSecretReading): Promise<Candidate> => ({
    client: await clients.find(clientId),
    secret,
  });
  const candidates = await Promise.all(readings.map(findCandidate));
  const made = findProven(candidates, clientSecrets.findMade);
  if (made !== undefined) return made;
  if (!candidates.some(({ client }) => clientSecrets.isGuessable(client))) throw wrongSecret(candidates);
  if (wait !== undefined) throw tooManyWrongSecrets(wait);
  return authenticateByHash(deps, candidates, attempt);
}

async function authenticateByHash(
  { clientSecrets, checkGuess }: Dependencies,
  candidates: readonly Candidate[],
  attempt: Attempt,
): Promise<ProvenBySecret> {
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
  const match = findProven(candidates, clientSecrets.findRemembered);
  if (checked.outcome === 'right' && match !== undefined) return match;
  throw wrongSecret(candidates);
}

/** The first candidate of whose client `find` finds the secret. */
function findProven(candidates: readonly Candidate[], find: ClientSecrets['findMade']): ProvenBySecret | undefined {
  for (const { client, secret } of candidates) {
    const found = client && find(client, secret);
    if (client !== undefined && found !== undefined) return { client, secret: found };
  }
  return undefined;
}

function wrongSecret(candidates: readonly Candidate[]): ClientRefusal {
  const meant = candidates.find(({ client }) => client !== undefined)?.client;
  return wrongCredentials('no such client, or another secret', meant);
}
