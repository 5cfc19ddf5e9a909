/*
 * The URL of a Client ID Metadata Document, which is the client_id of a client. It is compared byte for byte and never normalized:
 * another spelling of the same address is another client.
 */

const longestUrl = 255;
/** An authority without user information, a path, and nothing after it. */
const shape = /^https:\/\/[^/?#@\\]+(\/[^?#\\]+)$/;
const dotSegment = /^(?:\.|%2e){1,2}$/i;

/** Whether a client_id names a document, also one of a bad form. No registered client has such an id. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.startsWith('https://');
}

/** Whether a client_id has the form of such a URL. */
export function isWellFormedDocumentUrl(clientId: string): boolean {
  if (clientId.length > longestUrl || !/^[!-~]+$/.test(clientId) || !URL.canParse(clientId)) return false;
  const [, path] = shape.exec(clientId) ?? [];
  return path !== undefined && !path.split('/').some((segment) => dotSegment.test(segment));
}

/** Whether administrators named the URL, or a prefix of it: such a prefix ends in `/`. */
export function isListedDocument(url: string, listed: readonly string[]): boolean {
  return listed.some((one) => url === one || (one.endsWith('/') && url.startsWith(one)));
}

/** The host that the URL names, which only its holder has. */
export function hostOfDocument(url: string): string {
  return new URL(url).host;
}
