import { createFieldsChecker, fieldsProblem, nameField } from '@gatehouse/shared';
import { type TObject, Type } from 'typebox';

/** `limit` of a list: how many a page holds at most. */
export const pageLength = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: 50,
  expected: 'be an integer from 1 to 200',
});

/** `cursor` of a list: what the page before gave as the key to go on from. */
export const buildPageCursor = (pattern: string) =>
  Type.Optional(
    Type.String({
      pattern,
      description: '`next_cursor` of the page before',
      expected: 'be the next_cursor of the page before',
    }),
  );

/**
 * The validator compiler of a list. It checks a query field by field, with the same error texts as a body: an unknown
 * parameter is a fault, and so is a repeated one. A query holds text, so {@link pageLength} is read from it.
 */
export function createQueryValidator({ schema }: { schema: unknown }) {
  const checkFields = createFieldsChecker(schema as TObject);
  return (query: unknown) => {
    const { limit = '50', ...others } = query as Record<string, unknown>;
    const repeated = Object.entries({ ...others, limit }).filter(([, value]) => Array.isArray(value));
    if (repeated.length > 0) return { error: repeatedProblem(repeated.map(([name]) => name)) };
    const result = checkFields({ ...others, limit: readNumber(limit) });
    return result.ok ? { value: result.value } : { error: fieldsProblem(result.errors) };
  };
}

function repeatedProblem(names: readonly string[]) {
  return fieldsProblem(names.map((name) => ({ field: nameField(name), detail: 'must stand in the query only once' })));
}

/** Anything that is no number is left as it is, for the check to refuse. */
function readNumber(text: unknown): unknown {
  return typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : text;
}
