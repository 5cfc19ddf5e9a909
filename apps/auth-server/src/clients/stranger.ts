import { type Client, isOpenlyRegistered } from './client.ts';
import { isListedDocument } from './document-url.ts';

/**
 * Whether nobody vouches for a client: no administrator and no holder of an initial access token registered it, and no
 * administrator listed its document.
 */
export type IsOfStranger = (client: Client) => boolean;

export function createIsOfStranger({ clientIdMetadataUrls: listed }: { clientIdMetadataUrls: readonly string[] }) {
  return (client: Client): boolean => isOpenlyRegistered(client) && !isListedDocument(client.clientId, listed);
}
