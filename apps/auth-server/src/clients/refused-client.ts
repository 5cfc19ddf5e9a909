import { OAuthError } from '@gatehouse/shared';
import type { ClientFacts } from '../events/event.ts';

/** The cause of a refusal: this existing client was claimed. For those who watch, never sent. */
export class RefusedClientError extends Error {
  override readonly name = 'RefusedClientError';
  readonly client: ClientFacts;

  constructor({ registrationId, clientId }: ClientFacts) {
    super('the credentials are wrong, or of another kind');
    this.client = { registrationId, clientId };
  }
}

/** The client that a refusal is about; undefined where nobody has the client_id that was claimed. */
export function findRefusedClient(error: unknown): ClientFacts | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof RefusedClientError ? cause.client : undefined;
}

/** `client` is the one that was claimed, where it exists: the audit trail tells it, the answer does not. */
export function invalidClient(reason: string, client?: ClientFacts): OAuthError {
  return new OAuthError('invalid_client', 'client authentication failed: check client_id and credentials', {
    reason,
    cause: client && new RefusedClientError(client),
  });
}
