import type { RequestContext } from '@gatehouse/service-kit';
import { OAuthError, ProblemError } from '@gatehouse/shared';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { parseBasicReadings, readAsClient } from '../protocol/basic-credentials.ts';

/**
 * Finds the client that authenticates by Basic while it asks to wait; undefined where the request has no such credentials.
 * Throws a 401 or 429 where they are wrong.
 */
export type FindWaitingClient = (
  authorization: string | undefined,
  context: RequestContext,
) => Promise<string | undefined> | undefined;

interface Dependencies extends ClientAuthentication {
  realm: string;
}

export function createFindWaitingClient({ authenticateClient, realm }: Dependencies): FindWaitingClient {
  const challenge = `Basic realm="${realm}", charset="UTF-8"`;
  const find = async (authorization: string, context: RequestContext): Promise<string> => {
    const basic = parseBasicReadings(authorization);
    if (!basic) throw new ProblemError(401, 'the Authorization header is not valid Basic', { challenge });
    const credentials = { method: 'client_secret_basic', readings: readAsClient(basic) } as const;
    try {
      return (await authenticateClient(credentials, context)).clientId;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const { status, message, retryAfter, reason, cause } = error;
      throw new ProblemError(status, message, { challenge, retryAfter, reason, cause });
    }
  };
  // A list is public, so credentials of another kind are none.
  return (authorization, context) =>
    authorization !== undefined && /^basic /i.test(authorization) ? find(authorization, context) : undefined;
}
