import type { Clock } from '@gatehouse/service-kit';
import type { CheckGuess } from '@gatehouse/service-kit/guess-limit';
import { ProblemError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import type { ClientSecrets } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Author, Change } from './administrator.ts';
import { createRefuseLate } from './change-client.ts';
import type { ManageableClients } from './client-ceiling.ts';
import { chooseUpdatedAt } from './client-version.ts';
import { countSecretCheck } from './count-secret-check.ts';

interface PreviousSecretDependencies {
  clients: Pick<ClientStore, 'endPreviousSecret'>;
  manageableClients: ManageableClients;
  clock: Clock;
}

/** Ends the secret before the present one at once, and gives the client; throws 403, 404, 409 or 412. */
export type EndPreviousSecret = (clientId: string, by: Change) => Promise<Client>;

export function createEndPreviousSecret(deps: PreviousSecretDependencies): EndPreviousSecret {
  const { clients, manageableClients, clock } = deps;
  const refuseLate = createRefuseLate(manageableClients);
  return async (clientId, by) => {
    const client = await manageableClients.getToChange(by, clientId);
    if (client.previousSecret === undefined || client.previousSecret.expiresAt <= clock()) {
      throw new ProblemError(404, 'the client has no previous secret that works');
    }
    if (!(await clients.endPreviousSecret(client, chooseUpdatedAt(client, clock())))) return refuseLate(by, clientId);
    return client;
  };
}

interface CheckDependencies {
  manageableClients: ManageableClients;
  clientSecrets: Pick<ClientSecrets, 'findMade' | 'verify'>;
  checkGuess: CheckGuess;
}

/**
 * Whether a secret is one that works for a client, the previous one too; throws 403, 404 and 429. A wrong one counts as a guess of the
 * administrator, never as one of the client.
 */
export type CheckClientSecret = (clientId: string, secret: string, by: Author) => Promise<boolean>;

export function createCheckClientSecret(deps: CheckDependencies): CheckClientSecret {
  const { manageableClients, clientSecrets, checkGuess } = deps;
  return async (clientId, secret, by) => {
    const client = await manageableClients.getFor(by, clientId);
    if (client.secretHash === undefined) throw new ProblemError(400, 'the client has no secret');
    const check = { owner: client.registrationId, secret };
    return countSecretCheck(checkGuess, by, check, async (turn) => {
      const isMade = clientSecrets.findMade(client, secret) !== undefined;
      return isMade || clientSecrets.verify(client, secret, turn);
    });
  };
}
