import { isDeepStrictEqual } from 'node:util';
import { type Clock, createId } from '@gatehouse/service-kit';
import { clientLinkNames, type FieldError, fieldsProblem } from '@gatehouse/shared';
import { buildClient } from '../administration/build-client.ts';
import { chooseGenerations, chooseUpdatedAt, endEarlierGenerations } from '../administration/client-version.ts';
import type { Client } from '../clients/client.ts';
import { type ClientSecrets, makeClientSecret } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { redirectUrisOf } from '../clients/redirect-uri.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { BuildRegistration, BuiltRegistration } from './build-registration.ts';
import { type DynamicClientBody, parseDynamicClient } from './dynamic-client-body.ts';

/**
 * Replaces all of a client's registration by what it sends (RFC 7592 2.2). Gives the client, with the secret where a new
 * one was made; undefined where the client was changed meanwhile. Throws a 400 that names each member at fault.
 */
export type ReplaceRegistration = (
  client: Client,
  body: unknown,
) => Promise<{ client: Client; secret: string | undefined } | undefined>;

interface Dependencies {
  clients: Pick<ClientStore, 'replace'>;
  clientSecrets: ClientSecrets;
  buildRegistration: BuildRegistration;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  clock: Clock;
}

export function createReplaceRegistration(deps: Dependencies): ReplaceRegistration {
  const { clients, clientSecrets, buildRegistration, statusLists, clock } = deps;
  return async (seen, sent) => {
    const limits = seen.dynamic?.initialToken?.limits;
    const body = parseDynamicClient(sent, limits);
    await checkIdentity(clientSecrets, seen, sent as Record<string, unknown>);
    const built = await buildRegistration(body, seen.clientId, limits);
    const now = clock();
    const { credentials, secret } = chooseCredentials(seen, built, now);
    const client = { ...buildReplacement(seen, built, body), ...credentials };
    client.updatedAt = chooseUpdatedAt(seen, now);
    const isAnother = isSeenDifferently(seen, client);
    const ofAnother = { registrationId: createId(), tokenGeneration: seen.tokenGeneration + 1 };
    Object.assign(client, isAnother ? ofAnother : chooseGenerations(seen, client));
    if (!(await clients.replace(seen, client))) return undefined;
    // Consents, codes and refresh tokens name a registration. Those of the one before are no longer valid.
    if (isAnother) await statusLists.revokeRegistration(seen.registrationId);
    else await endEarlierGenerations(statusLists, client);
    return { client, secret };
  };
}

/** RFC 7592 2.2: the request names the client, and its secret only as the current one. */
async function checkIdentity(
  clientSecrets: ClientSecrets,
  client: Client,
  { client_id: clientId, client_secret: secret }: Record<string, unknown>,
): Promise<void> {
  const faults: FieldError[] = [];
  if (clientId !== client.clientId) faults.push({ field: 'client_id', detail: 'must be the one of this registration' });
  if (secret !== undefined && !(await isCurrentSecret(clientSecrets, client, secret))) {
    faults.push({ field: 'client_secret', detail: 'must be the current one, or left out' });
  }
  if (faults.length > 0) throw fieldsProblem(faults);
}

async function isCurrentSecret(clientSecrets: ClientSecrets, client: Client, secret: unknown): Promise<boolean> {
  if (typeof secret !== 'string' || secret.length > 1024 || client.secretHash === undefined) return false;
  const current = { ...client, previousSecret: undefined };
  if (clientSecrets.findMade(current, secret) !== undefined) return true;
  // Only a secret that an administrator chose is hashed slowly.
  return clientSecrets.isGuessable(current) && clientSecrets.verify(current, secret);
}

/** A client that authenticates by a secret keeps the one it has, or gets one; every other client has none. */
function chooseCredentials(seen: Client, { hasSecret }: BuiltRegistration, now: number) {
  const { secretHash, secretDigest, importedSecret, secretSetAt, previousSecret } = seen;
  const none = {
    ...{ secretHash: undefined, secretDigest: undefined, importedSecret: undefined, secretSetAt: undefined },
    previousSecret: undefined,
  };
  if (!hasSecret) return { credentials: none, secret: undefined };
  if (secretHash !== undefined) {
    return {
      credentials: { secretHash, secretDigest, importedSecret, secretSetAt, previousSecret },
      secret: undefined,
    };
  }
  const { secret, stored } = makeClientSecret();
  return { credentials: { previousSecret: undefined, secretSetAt: now, ...stored }, secret };
}

/** A field that is not sent is gone. The registration itself stays: its origin, its ceiling, its limit at administration, and whether it is disabled. */
function buildReplacement(
  seen: Client,
  { registration, metadata }: BuiltRegistration,
  body: DynamicClientBody,
): Client {
  const { registrationId, enabled, tokenGeneration, grantGeneration, codeGeneration, ceiling, createdAt } = seen;
  const { lapsesAt, dynamic, ceilingGivenAt } = seen;
  const { administration_max_age: maxAge } = seen.metadata;
  return {
    ...buildClient(registration, ceiling, createdAt),
    metadata: { ...metadata, ...(maxAge !== undefined && { administration_max_age: maxAge }) },
    dynamic: dynamic && { ...dynamic, applicationType: body.application_type },
    registrationId,
    enabled,
    ceilingGivenAt,
    tokenGeneration,
    grantGeneration,
    codeGeneration,
    lapsesAt,
  };
}

/** Whether users would see another client, or the answers would go elsewhere or to the holder of another key. */
function isSeenDifferently(before: Client, after: Client): boolean {
  return !isDeepStrictEqual(describeIdentity(before), describeIdentity(after));
}

function describeIdentity(client: Client) {
  const { metadata, secretHash } = client;
  return {
    redirectUris: redirectUrisOf(client).sort(),
    name: metadata.client_name,
    jwks: metadata.jwks,
    jwksUri: metadata.jwks_uri,
    hasSecret: secretHash !== undefined,
    loopbackPorts: metadata.loopback_ports,
    signedOutUris: [...(metadata.post_logout_redirect_uris ?? [])].sort(),
    links: clientLinkNames.map((name) => metadata[name]),
  };
}
