import type { Clock } from '@gatehouse/service-kit';
import { ProblemError } from '@gatehouse/shared';
import type { ChosenSecrets } from '../clients/chosen-secret.ts';
import type { Client } from '../clients/client.ts';
import { buildSecretDigest, type ClientSecrets, generateClientSecret } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { Author } from './administrator.ts';
import { lowerCeiling } from './client-ceiling.ts';
import { changedMeanwhile, chooseUpdatedAt } from './client-version.ts';
import type { ManageableClients } from './manageable-clients.ts';
import { chooseTokenGeneration, endEarlierGenerations } from './token-generation.ts';

export interface SecretReplacement {
  /** The server makes one where it is left out. */
  clientSecret: string | undefined;
  /** Seconds for which the old secret keeps working. */
  graceSeconds: number;
}

/** Gives the new secret, which is shown this once, with its client; throws 400, 403, 404 or 409. */
export type ReplaceClientSecret = (
  clientId: string,
  replacement: SecretReplacement,
  by: Author,
) => Promise<{ client: Client; secret: string }>;

interface Dependencies {
  clients: Pick<ClientStore, 'replaceSecret'>;
  manageableClients: ManageableClients;
  clientSecrets: Pick<ClientSecrets, 'hash'>;
  chosenSecrets: ChosenSecrets;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

export function createReplaceClientSecret(deps: Dependencies): ReplaceClientSecret {
  const { clients, manageableClients, clientSecrets, chosenSecrets, statusLists, clock } = deps;

  return async (clientId, { clientSecret, graceSeconds }, by) => {
    if (clientSecret !== undefined) chosenSecrets.check(clientSecret);
    const client = await manageableClients.getFor(by, clientId);
    if (client.secretHash === undefined)
      throw new ProblemError(400, 'the client has no secret, so there is none to replace');
    const secret = clientSecret ?? generateClientSecret();
    const newHash = await clientSecrets.hash(secret);
    const changed: Client = { ...client, ceiling: lowerCeiling(client, by.administrator) };
    changed.tokenGeneration = chooseTokenGeneration(client, changed);
    const replaced = await clients.replaceSecret(client, {
      newHash,
      newDigest: clientSecret === undefined ? buildSecretDigest(newHash, secret) : undefined,
      previousExpiresAt: clock() + graceSeconds * 1000,
      ceiling: changed.ceiling,
      tokenGeneration: changed.tokenGeneration,
      updatedAt: chooseUpdatedAt(client, clock()),
    });
    if (!replaced) throw changedMeanwhile();
    await endEarlierGenerations(statusLists, changed);
    chosenSecrets.warnIfShort(clientId, secret);
    return { client, secret };
  };
}
