import type { SearchPlace } from '@gatehouse/service-kit/terms';
import { isDocumentUrl, isWellFormedDocumentUrl } from '../clients/document-url.ts';

/** A client_id as cursors hold it. The URL of a document could hold what separates the parts of a cursor. */
export const idInCursor = /^(?:[A-Za-z0-9._~-]{1,255}|\*[\w-]{1,340})$/;

export function formatId(clientId: string): string {
  return isDocumentUrl(clientId) ? `*${Buffer.from(clientId).toString('base64url')}` : clientId;
}

/** Of an {@link idInCursor}. One that holds no URL stays as it is: it is the id of no client. */
export function parseId(text: string): string {
  const url = text.startsWith('*') ? Buffer.from(text.slice(1), 'base64url').toString() : '';
  return isWellFormedDocumentUrl(url) ? url : text;
}

export function mapIds(place: SearchPlace, map: (id: string) => string): SearchPlace {
  if (!('word' in place)) return { after: map(place.after) };
  const { id, after } = place;
  return { ...place, id: map(id), after: after === undefined ? undefined : map(after) };
}
