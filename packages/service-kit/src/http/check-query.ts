import { createFieldsChecker, fieldsProblem, nameSentField } from '@gatehouse/shared';
import { type TObject, Type } from 'typebox';

/** `limit` of a list: how many a page holds at most. */
export const pageLength = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: 50,
  expected: 'be an integer from 1 to 200',
});

/** A parameter of a list that is true or false. */
export const truthQuery = (description: string) =>
  Type.Optional(Type.Enum(['true', 'false'], { description, expected: 'be true or false' }));

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
 * The validator compiler of a query. It checks a query field by field, with the same error texts as a body: an unknown
 * parameter is a fault, and so is a repeated one. A query holds text, so {@link pageLength} is read from it, where there is one.
 */
export function createQueryValidator({ schema }: { schema: unknown }) {
  const checkFields = createFieldsChecker(schema as TObject);
  const hasPages = Object.hasOwn((schema as TObject).properties, 'limit');
  return (query: unknown) => {
    const given = query as Record<string, unknown>;
    const repeated = Object.entries(given).filter(([, value]) => Array.isArray(value));
    if (repeated.length > 0) return { error: repeatedProblem(repeated.map(([name]) => name)) };
    const { limit = '50' } = given;
    const result = checkFields(hasPages ? { ...given, limit: readNumber(limit) } : given);
    return result.ok ? { value: result.value } : { error: fieldsProblem(result.errors) };
  };
}

function repeatedProblem(names: readonly string[]) {
  return fieldsProblem(names.map((name) => ({ ...nameSentField(name), detail: 'must stand in the query only once' })));
}

/** Anything that is no number is left as it is, for the check to refuse. */
function readNumber(text: unknown): unknown {
  return typeof text === 'string' && /^\d{1,4}$/.test(text) ? Number(text) : text;
}
