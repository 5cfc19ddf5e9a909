import { createId } from '@gatehouse/service-kit';
import { type ClientRegistration, defaultAccessTokenValidity, isEveryRole, type Role } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { completeMetadata } from '../clients/client-demands.ts';
import { pickClientMetadata } from '../clients/client-metadata.ts';

/** The client of a registration that passed every check. It has no secret yet, and acts as no Robot. */
export function buildClient(registration: ClientRegistration, ceiling: readonly Role[], now: number): Client {
  return {
    clientId: registration.client_id,
    registrationId: createId(),
    enabled: true,
    secretHash: undefined,
    secretDigest: undefined,
    secretSetAt: undefined,
    previousSecret: undefined,
    scope: registration.scope,
    grantTypes: registration.authorized_grant_types,
    redirectUri: registration.redirect_uri,
    accessTokenValidity: registration.access_token_validity ?? defaultAccessTokenValidity,
    serviceAccount: undefined,
    metadata: completeMetadata(pickClientMetadata(registration)),
    ceiling,
    ceilingGivenAt: isEveryRole(ceiling) ? now : undefined,
    tokenGeneration: 0,
    grantGeneration: 0,
    codeGeneration: 0,
    dynamic: undefined,
    document: undefined,
    managedBy: undefined,
    lapsesAt: undefined,
    createdAt: now,
    updatedAt: now,
  };
}
