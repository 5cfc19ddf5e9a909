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
