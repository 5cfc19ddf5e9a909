import type { AuditTrail } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { AuthenticateClient, ClientCredentials } from '../clients/authenticate-client.ts';
import type { Origin } from '../protocol/request-context.ts';
import { findRefusedParty } from './refused-party.ts';

interface Dependencies {
  authenticateClient: AuthenticateClient;
  audit: Pick<AuditTrail, 'note'>;
}

/**
 * The authentication of clients, with every refusal told to the audit trail, except what the guess limit refuses
 * unheard. The refusal itself says which client it is about, so nothing is asked for it. A client_id that is nobody's is
 * not repeated: what stands there may be a secret.
 */
export function auditClientAuthentication({ authenticateClient, audit }: Dependencies): AuthenticateClient {
  const noteRefusal = (error: OAuthError, { method }: ClientCredentials, origin: Origin) => {
    const client = findRefusedParty(error);
    audit.note({
      type: 'client_authentication.refused',
      reason: client === undefined ? 'unknown_client' : 'wrong_credentials',
      actor: { kind: 'anonymous' },
      subject: client,
      clientId: client?.name,
      details: { method },
      origin,
    });
  };
  return async (credentials, origin) => {
    try {
      return await authenticateClient(credentials, origin);
    } catch (error) {
      if (error instanceof OAuthError && error.code === 'invalid_client') noteRefusal(error, credentials, origin);
      throw error;
    }
  };
}
