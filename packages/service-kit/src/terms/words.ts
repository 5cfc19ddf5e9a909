import { hash } from 'node:crypto';

/** Characters of a word that its term has. */
const longestWord = 32;
/** Words of one text that are found. */
const mostWordsOfText = 32;
/** Characters of a value that its term has as it is. */
const longestValue = 40;

/**
 * The words of a text, in one form for each: without case, and with accents apart from their letters, so that the start of a
 * word stays the start of its form. Anything that is neither letter nor digit parts them. A text that begins with
 * something else also has its beginning, up to a space, as a word.
 */
export function listWords(text: string): string[] {
  const folded = fold(text);
  const [start = ''] = folded.split(/\s/u, 1);
  const beginning = /^[^\p{L}\p{N}]/u.test(start) ? [start] : [];
  return [...new Set([...beginning, ...listParts(folded)])].slice(0, mostWordsOfText);
}

/** The words of what is searched for; its parts between spaces that have neither letter nor digit are words as they are. */
export function listSearchWords(search: string): string[] {
  const words = splitSearch(search).flatMap((part) => {
    const folded = fold(part);
    const parts = listParts(folded);
    return parts.length === 0 ? [folded] : parts;
  });
  return [...new Set(words)];
}

/** The parts between the spaces of a search. */
export function splitSearch(search: string): string[] {
  return search.split(/\s+/u).filter((part) => part !== '');
}

/** Whether each of the words that are searched for begins a word of an object. */
export function matchesWords(searched: readonly string[], words: readonly string[]): boolean {
  return searched.every((word) => words.some((own) => own.startsWith(word)));
}

/** The terms under which words are stored. */
export function termsOfWords(words: readonly string[]): string[] {
  return [...new Set(words.map(termOfWord))];
}

/** The term that a word has, or begins. */
export function termOfWord(word: string): string {
  return [...word].slice(0, longestWord).join('');
}

/** The term of a value that an object has, for filters. No word equals it, since none begins with `=`. */
export function facetTerm(name: string, value: string): string {
  return `=${name}:${value.length <= longestValue ? value : hash('sha256', value, 'base64url')}`;
}

function listParts(folded: string): string[] {
  return folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
}

function fold(text: string): string {
  // Sigma has another form at the end of a word, where what is typed may end.
  return text.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll('ς', 'σ');
}
