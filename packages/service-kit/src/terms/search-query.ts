import { matchesWords } from './words.ts';

/** The words and values that an object must have to be found, all of them. */
export interface SearchQuery {
  /** Each begins a word of the object. */
  words: readonly string[];
  /** Terms of values that the object has. */
  facets: readonly string[];
}

/** Whether an object is found. `words` are those of its texts. */
export function isFound(query: SearchQuery, { words, facets }: SearchQuery): boolean {
  return query.facets.every((facet) => facets.includes(facet)) && matchesWords(query.words, words);
}

/** The number of objects that are found. */
export interface Total {
  /** 10,000 at most. */
  total: number;
  isExact: boolean;
}

/** The most entries that a page examines, and the most that are counted. */
export const mostExamined = 10_000;

/** The total of what was counted to one more than {@link mostExamined}. */
export function totalOf(counted: number): Total {
  return { total: Math.min(counted, mostExamined), isExact: counted <= mostExamined };
}
