/** Where a search goes on: after an id, in the order of ids; or after a term that a word of the search begins, in the order of terms. */
export type SearchPlace = { after: string } | WordPlace;

export interface WordPlace {
  /** Which of the words. */
  word: number;
  term: string;
  id: string;
  /** Leaves out the ids up to this one, which pages before gave in the order of ids. */
  after: string | undefined;
}

/** A cursor: an id, or a text of at most 512 characters that begins with `!`. */
export function formatPlace(place: SearchPlace): string {
  if (!('word' in place)) return place.after;
  const { word, term, id, after = '' } = place;
  return `!${word}!${id}!${after}!${Buffer.from(term).toString('base64url')}`;
}

const wordPlace = /^!(?<word>\d{1,2})!(?<id>[^!]+)!(?<after>[^!]*)!(?<term>[\w-]+)$/;

/** Reads a cursor; undefined for what is none. `isId`: the form of an id. */
export function parsePlace(cursor: string, isId: RegExp): SearchPlace | undefined {
  if (isId.test(cursor)) return { after: cursor };
  const { word, id = '', after = '', term = '' } = wordPlace.exec(cursor)?.groups ?? {};
  if (!isId.test(id) || !(after === '' || isId.test(after))) return undefined;
  return { word: Number(word), id, after: after || undefined, term: Buffer.from(term, 'base64url').toString() };
}
