import { isSameResource } from '../protocol/resource-uri.ts';
import type { Client } from './client.ts';

/** An access token, as far as it decides who may exchange it. */
interface SubjectToken {
  client_id: string;
  aud: string;
}

/** Says why a client may not exchange a token, by its registration; undefined where it may. */
export function findExchangeFault({ clientId, metadata }: Client, token: SubjectToken): string | undefined {
  const { exchange_from: from = [clientId], exchange_audiences: audiences = [] } = metadata;
  if (!from.includes(token.client_id)) {
    return 'the subject token was issued to a client whose tokens this client may not exchange (exchange_from)';
  }
  if (audiences.some((uri) => isSameResource(uri, token.aud))) return undefined;
  return 'the subject token is meant for a resource whose tokens this client may not exchange (exchange_audiences)';
}
