import { OAuthError, type OAuthErrorOptions } from '@gatehouse/shared';
import type { ClientFacts, ClientRefused } from '../events/event.ts';

/** A client does not prove who it is. `why` and `client` are for the audit trail; the answer does not tell them. */
export class ClientRefusal extends OAuthError {
  readonly why: ClientRefused['why'];
  /** The client that was claimed, where it exists. */
  readonly client: ClientFacts | undefined;

  constructor(
    description: string,
    { why, client, ...options }: OAuthErrorOptions & Pick<ClientRefusal, 'why'> & { client?: ClientFacts | undefined },
  ) {
    super(why === 'limited' ? 'temporarily_unavailable' : 'invalid_client', description, options);
    this.why = why;
    this.client = client && { registrationId: client.registrationId, clientId: client.clientId };
  }
}

/** One text for every way in which credentials can be wrong. `client`: the one that was claimed, where it exists. */
export function wrongCredentials(reason: string, client?: ClientFacts): ClientRefusal {
  const description = 'client authentication failed: check client_id and credentials';
  return new ClientRefusal(description, { why: 'wrong_credentials', reason, client });
}

/** The text is for a holder of the client's key alone, who can act on it. */
export function untimelyAssertion(reason: string, client: ClientFacts): ClientRefusal {
  const description = 'the time of client_assertion (exp, nbf, iat) is not acceptable: check the clock';
  return new ClientRefusal(description, { why: 'wrong_credentials', reason: `client assertion: ${reason}`, client });
}

/** The text is for callers who proved to be the client, and for a public one, which has no proof. */
export function clientIsDisabled(client: ClientFacts): ClientRefusal {
  return new ClientRefusal('this client is disabled', { why: 'disabled', client });
}

/** `retryAfter` in seconds. */
export function tooManyWrongSecrets(retryAfter: number): ClientRefusal {
  const description = `too many wrong client secrets from this address; try again in ${retryAfter} seconds`;
  return new ClientRefusal(description, { why: 'limited', status: 429, retryAfter });
}
