import type { Database } from '../database/database.ts';
import type { SearchPlace, WordPlace } from './search-place.ts';
import { mostExamined, type SearchQuery, type Total } from './search-query.ts';
import type { TermTable } from './term-table.ts';
import { termOfWord } from './words.ts';

/** The entries to which each term is counted, to begin with the rarest. */
const countedTo = 1_000;
/** Words that are looked for by the index; the rows are checked for all of them. */
const mostIndexedWords = 8;
/** No character of a term comes after it. */
const last = '\u{10ffff}';

export interface SearchRequest extends SearchQuery {
  place: SearchPlace | undefined;
  /** Must hold of a row, too. */
  isListed?: Condition | undefined;
  /** The most objects of a page. */
  limit: number;
}

/** A page of ids: of rows that may be gone, or may have changed since their terms were written. */
export interface FoundPage {
  ids: string[];
  /** Undefined on the last page. A page that examined its 10,000 entries may be short, or empty, and not be the last. */
  next: SearchPlace | undefined;
}

/** A piece of SQL with its values. */
export interface Condition {
  sql: string;
  values: unknown[];
}

/** A word or a facet; `word`: which word it is. */
interface Matcher {
  term: string;
  word: number | undefined;
}

interface Entry {
  term: string;
  id: string;
}

/** Entries of one term, or of all terms from one on and before another. */
export type TermRange = { term: string } | { from: string; before: string };

/** Objects of the first entries of a range. */
export interface Examined {
  ids: string[];
  /** False where there are more entries. */
  isExact: boolean;
}

export type TermSearch = ReturnType<typeof createTermSearch>;

/**
 * Finds objects by their terms: reads the entries of the rarest of what is searched for, in the order of the index, and asks
 * of each by the other index whether its object has the rest.
 */
export function createTermSearch(database: Database, table: TermTable) {
  const { terms, objects, id, objectId, readId, writeId } = table;
  /** Entries of one object and one matcher, counted: a subquery that no optimizer turns into a join. */
  const countOf = (alias: string, condition: string) =>
    `(SELECT COUNT(*) FROM ${terms} ${alias} WHERE ${alias}.${id} = t.${id} AND ${condition})`;

  const hasAlso = (matcher: Matcher): Condition => {
    const { sql, values } = rangeOf('o', matcher);
    return { sql: `${countOf('o', sql)} > 0`, values };
  };
  /** An object that has several words with one beginning is found by the first of them. */
  const isFirst = ({ term, word }: Matcher): Condition[] =>
    word === undefined ? [] : [{ sql: `${countOf('e', 'e.term >= ? AND e.term < t.term')} = 0`, values: [term] }];

  /** MariaDB would sort by a term that is the same in all entries. */
  const order = ({ word }: Matcher) => `ORDER BY ${word === undefined ? '' : 't.term, '}t.${id}`;
  /** The entry so many places after the first that fits; undefined where there are fewer. */
  const findEntry = async (first: Matcher, conditions: readonly Condition[], offset: number) => {
    const { sql, values } = allOf(conditions);
    const [entry] = await listEntries(`${sql} ${order(first)} LIMIT 1 OFFSET ${offset}`, values);
    return entry;
  };
  const listEntries = async (where: string, values: unknown[]): Promise<Entry[]> => {
    const rows = await database.query<{ term: string; id: never }>(
      `SELECT t.term, t.${id} AS id FROM ${terms} t WHERE ${where}`,
      values,
    );
    return rows.map((row) => ({ term: row.term, id: readId(row.id) }));
  };
  /** Up to an entry. Written out: MariaDB reads more than it must for a comparison of rows. */
  const isBefore = (entry: Entry | undefined, comparison: '<' | '<='): Condition[] => {
    if (entry === undefined) return [];
    const sql = `t.term <= ? AND (t.term < ? OR t.${id} ${comparison} ?)`;
    return [{ sql, values: [entry.term, entry.term, writeId(entry.id)] }];
  };
  const isAfter = (matcher: Matcher, place: SearchPlace | undefined): Condition[] => {
    if (place === undefined) return [rangeOf('t', matcher)];
    const ids = place.after === undefined ? [] : [{ sql: `t.${id} > ?`, values: [writeId(place.after)] }];
    return 'word' in place ? [...goOn(matcher, place), ...ids] : [rangeOf('t', matcher), ...ids];
  };
  const goOn = (matcher: Matcher, { term, id: after }: WordPlace): Condition[] => [
    { sql: 't.term >= ? AND t.term < ?', values: [term, matcher.term + last] },
    { sql: `(t.term > ? OR t.term = ? AND t.${id} > ?)`, values: [term, term, writeId(after)] },
  ];

  /** The entries of each, counted to a limit. */
  const countEach = async (matchers: readonly Matcher[], limit: number): Promise<number[]> => {
    const ranges = matchers.map((matcher) => rangeOf('t', matcher));
    const counts = ranges.map(
      ({ sql }, index) =>
        `(SELECT COUNT(*) FROM (SELECT 1 FROM ${terms} t WHERE ${sql} LIMIT ${limit}) c${index}) AS n${index}`,
    );
    const sql = `SELECT ${counts.join(', ')}`;
    const [row = {}] = await database.query<Record<string, number>>(
      sql,
      ranges.flatMap(({ values }) => values),
    );
    return matchers.map((_matcher, index) => Number(row[`n${index}`]));
  };
  /** The rarest of several; undefined where an object has none of one of them. */
  const chooseFirst = async (matchers: readonly Matcher[]): Promise<Matcher | undefined> => {
    const [only] = matchers;
    if (matchers.length === 1) return only;
    const counts = await countEach(matchers, countedTo);
    const byCount = matchers.map((matcher, index) => ({ matcher, count: counts[index] ?? 0 }));
    const rarest = byCount.reduce((one, other) => (other.count < one.count ? other : one));
    return rarest.count === 0 ? undefined : rarest.matcher;
  };
  /** Begins where the page before did: in the order of ids by a value, in the order of terms by the same word. */
  const chooseAt = (matchers: readonly Matcher[], place: SearchPlace | undefined) => {
    if (place === undefined) return chooseFirst(matchers);
    if ('word' in place) return matchers.find(({ word }) => word === place.word);
    const facets = matchers.filter(({ word }) => word === undefined);
    return chooseFirst(facets.length > 0 ? facets : matchers);
  };

  const placeAfter = ({ word }: Matcher, entry: Entry, place: SearchPlace | undefined): SearchPlace =>
    word === undefined ? { after: entry.id } : { word, ...entry, after: place?.after };

  /** Whether the row of an entry is there, and is one that is listed. */
  const hasRow = (isListed: Condition = { sql: '1 = 1', values: [] }): Condition => ({
    sql: `(SELECT COUNT(*) FROM ${objects} WHERE ${objects}.${objectId} = t.${id} AND ${isListed.sql}) > 0`,
    values: isListed.values,
  });

  return {
    /** Gives a page of what is found; at least one word or facet is searched for. */
    async find({ place, limit, isListed, ...query }: SearchRequest): Promise<FoundPage> {
      const matchers = matchersOf(query);
      const first = await chooseAt(matchers, place);
      if (first === undefined) return { ids: [], next: undefined };
      const range = isAfter(first, place);
      const end = await findEntry(first, range, mostExamined - 1);
      const others = matchers.filter((matcher) => matcher !== first).map(hasAlso);
      const listed = isListed === undefined ? [] : [hasRow(isListed)];
      const { sql, values } = allOf([...range, ...isBefore(end, '<='), ...others, ...isFirst(first), ...listed]);
      const found = await listEntries(`${sql} ${order(first)} LIMIT ${limit + 1}`, values);
      const page = found.slice(0, limit);
      const lastRead = found.length > limit ? page.at(-1) : end;
      return { ids: page.map((entry) => entry.id), next: lastRead && placeAfter(first, lastRead, place) };
    },
    /** Whether 10,000 entries hold all that is found: those of one of the words or facets. There is at least one. */
    async isBounded(query: SearchQuery): Promise<boolean> {
      const counts = await countEach(matchersOf(query), mostExamined + 1);
      return counts.some((count) => count <= mostExamined);
    },
    /**
     * Counts what is found, of at most 10,000 entries; at least one word or facet is searched for. `isListed`: what else must
     * hold of a row.
     */
    async count(query: SearchQuery, { isListed }: Pick<SearchRequest, 'isListed'> = {}): Promise<Total> {
      const matchers = matchersOf(query);
      const first = await chooseFirst(matchers);
      if (first === undefined) return { total: 0, isExact: true };
      const range = [rangeOf('t', first)];
      const end = await findEntry(first, range, mostExamined);
      const others = matchers.filter((matcher) => matcher !== first).map(hasAlso);
      const { sql, values } = allOf([...range, ...isBefore(end, '<'), ...others, hasRow(isListed)]);
      // An object may have several words with one beginning, and one entry of a facet.
      const counted = first.word === undefined ? '*' : `DISTINCT t.${id}`;
      const [row] = await database.query<{ found: number }>(
        `SELECT COUNT(${counted}) AS found FROM ${terms} t WHERE ${sql}`,
        values,
      );
      return { total: Number(row?.found), isExact: end === undefined };
    },
    /** Examines the first `limit` entries of a range, and gives those whose row is there and is listed. */
    async examine(range: TermRange, limit: number, isListed: Condition): Promise<Examined> {
      const { sql, values } =
        'term' in range
          ? { sql: `t.term = ? ORDER BY t.${id}`, values: [range.term] }
          : { sql: `t.term >= ? AND t.term < ? ORDER BY t.term, t.${id}`, values: [range.from, range.before] };
      const first = `SELECT t.term, t.${id} FROM ${terms} t WHERE ${sql} LIMIT ${limit + 1}`;
      const row = hasRow(isListed);
      const entries = await database.query<{ id: never; listed: number }>(
        `SELECT t.${id} AS id, CASE WHEN ${row.sql} THEN 1 ELSE 0 END AS listed FROM (${first}) t`,
        [...row.values, ...values],
      );
      const listed = entries.slice(0, limit).filter((entry) => Number(entry.listed) === 1);
      return { ids: listed.map((entry) => readId(entry.id)), isExact: entries.length <= limit };
    },
  };
}

/** Whether a place is one of this search. */
export function isPlaceOf({ words }: SearchQuery, place: SearchPlace): boolean {
  if (!('word' in place)) return true;
  const word = words[place.word];
  return word !== undefined && place.word < mostIndexedWords && place.term.startsWith(termOfWord(word));
}

function matchersOf({ words, facets }: SearchQuery): Matcher[] {
  return [
    ...facets.map((term) => ({ term, word: undefined })),
    ...words.slice(0, mostIndexedWords).map((word, index) => ({ term: termOfWord(word), word: index })),
  ];
}

/** The condition on terms that a word begins them. `alias`: of the table of terms. */
export function wordRange(alias: string, word: string): Condition {
  return rangeOf(alias, { term: termOfWord(word), word: 0 });
}

function rangeOf(alias: string, { term, word }: Matcher): Condition {
  if (word === undefined) return { sql: `${alias}.term = ?`, values: [term] };
  return { sql: `${alias}.term >= ? AND ${alias}.term < ?`, values: [term, term + last] };
}

export function allOf(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.map(({ sql }) => sql).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}
