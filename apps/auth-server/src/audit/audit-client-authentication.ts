import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { AuthenticateClient, ClientCredentials } from '../clients/authenticate-client.ts';
import type { Origin } from '../origin.ts';
import type { ClientStore } from '../storage/stores.ts';
import { describeClient } from './parties.ts';

interface Dependencies {
  authenticateClient: AuthenticateClient;
  clients: Pick<ClientStore, 'find'>;
  audit: Pick<AuditTrail, 'note'>;
}

/**
 * The authentication of clients, with every refusal told to the audit trail, except what the guess limit refuses
 * unheard. A client_id that is nobody's is not repeated: what stands there may be a secret.
 */
export function auditClientAuthentication({ authenticateClient, clients, audit }: Dependencies): AuthenticateClient {
  const noteRefusal = (credentials: ClientCredentials, origin: Origin) => {
    const known: AuditEntry = {
      type: 'client_authentication.refused',
      reason: 'wrong_credentials',
      actor: { kind: 'anonymous' },
      details: { method: credentials.method },
      origin,
    };
    audit.note(known, async () => {
      const client = await clients.find(claimedClientId(credentials));
      if (client === undefined) return { ...known, reason: 'unknown_client' };
      return { ...known, subject: describeClient(client), clientId: client.clientId };
    });
  };
  return async (credentials, origin) => {
    try {
      return await authenticateClient(credentials, origin);
    } catch (error) {
      const isRefused = error instanceof OAuthError && error.code === 'invalid_client';
      if (isRefused) noteRefusal(credentials, origin);
      throw error;
    }
  };
}

function claimedClientId(credentials: ClientCredentials): string {
  return 'readings' in credentials ? (credentials.readings[0]?.clientId ?? '') : credentials.clientId;
}
