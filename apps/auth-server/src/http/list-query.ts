import { truthQuery } from '@gatehouse/service-kit/http';
import { listSearchWords, splitSearch, type Total } from '@gatehouse/service-kit/terms';
import { fieldsProblem } from '@gatehouse/shared';
import { Type } from 'typebox';

/** The most words of a search. */
const mostWords = 4;

/** A parameter of a list that is a text. */
export const textQuery = (description: string, maxLength: number) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength, description, expected: `be a text of 1 to ${maxLength} characters` }),
  );

/** `total` of a list. */
export const totalQuery = truthQuery('`true`: the answer says how many there are, counted to 10,000');

/** `search` of a list. */
export const searchQuery = (description: string) => textQuery(description, 64);

/** The members of a page that `total` adds. */
export const TotalMembers = {
  total: Type.Optional(Type.Integer({ description: '10,000 at most' })),
  total_is_exact: Type.Optional(Type.Boolean({ description: 'false: there may be more' })),
};

export function showTotal(counted: Total | undefined) {
  return counted === undefined ? {} : { total: counted.total, total_is_exact: counted.isExact };
}

/** The words of `search`; none where there is no search. Throws 400 where it has no word, or too many. */
export function readSearch(search: string | undefined): string[] {
  if (search === undefined) return [];
  const words = splitSearch(search).length;
  if (words < 1 || words > mostWords) {
    throw fieldsProblem([{ field: 'search', detail: `must hold one to ${mostWords} words` }]);
  }
  return listSearchWords(search);
}
