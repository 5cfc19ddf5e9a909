import { isJsonObject, isNestedWithin } from '@gatehouse/resource-server/parts';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { quoteName, unloggedName } from './error-texts.ts';
import { findMeantField } from './meant-field.ts';
import type { FieldError } from './problem-details.ts';

export type FieldsResult<T> = { ok: true; value: T } | { ok: false; errors: FieldError[] };

/** Unknown fields that are compared with the known ones. A body may have thousands. */
const mostCompared = 10;

/** Levels of objects and lists. No body of the interface has as many. */
const deepestBody = 8;

/**
 * Makes a checker that reports every faulty field once, in the words of the field's own `expected` annotation.
 * Nothing is coerced; an unknown field is an error that names it, and the known one that it is almost.
 */
export function createFieldsChecker<S extends TObject>(schema: S): (body: unknown) => FieldsResult<Static<S>> {
  const required = new Set<string>((schema.required as string[] | undefined) ?? []);
  const fields = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    required: required.has(name),
    ...describeProperty(property),
  }));
  const known = new Set(fields.map(({ name }) => name));
  const { patternProperties = {} } = schema as { patternProperties?: Record<string, TSchema> };
  const patterns = Object.entries(patternProperties).map(([pattern, property]) => ({
    pattern: new RegExp(pattern, 'u'),
    ...describeProperty(property),
  }));
  const describeUnknown = (name: string, index: number): FieldError => {
    const meant = index < mostCompared ? findMeantField(name, [...known]) : undefined;
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return { ...nameSentField(name), detail: `is not a known field${hint}` };
  };

  /** Of a field that no name stands for: a pattern may. */
  const findFaultOfOther = (name: string, value: unknown, index: number): FieldError[] => {
    const found = patterns.find(({ pattern }) => pattern.test(name));
    if (found === undefined) return [describeUnknown(name, index)];
    return found.isValid(value) ? [] : [{ ...nameSentField(name), detail: `must ${found.expected}` }];
  };
  const findFieldFaults = (body: Readonly<Record<string, unknown>>): FieldError[] => {
    const unknown = Object.keys(body).filter((name) => !known.has(name));
    const errors = unknown.flatMap((name, index) => findFaultOfOther(name, body[name], index));
    for (const { name, required, expected, isValid } of fields) {
      const present = Object.hasOwn(body, name);
      if (!present && required) errors.push({ field: name, detail: `is required and must ${expected}` });
      else if (present && !isValid(body[name])) errors.push({ field: name, detail: `must ${expected}` });
    }
    return errors;
  };

  return (body) => {
    const bodyFault = findBodyFault(body);
    const errors = bodyFault === undefined ? findFieldFaults(body as Record<string, unknown>) : [bodyFault];
    return errors.length > 0 ? { ok: false, errors } : { ok: true, value: body as Static<S> };
  };
}

/** Its check is compiled at the first value: no start waits for it (docs/adr/0055-schemas-are-compiled-late.md). */
function describeProperty(property: TSchema) {
  let validator: ReturnType<typeof Compile> | undefined;
  const isValid = (value: unknown): boolean => {
    validator ??= Compile(property);
    return validator.Check(value);
  };
  return { expected: (property as { expected?: string }).expected ?? 'be valid', isValid };
}

/** Finds a body with too many levels, which would overflow the stack of later code, such as the JSON writer. */
function findBodyFault(body: unknown): FieldError | undefined {
  if (!isJsonObject(body)) return { field: 'body', detail: 'must be a JSON object' };
  if (isNestedWithin(body, deepestBody)) return undefined;
  return { field: 'body', detail: `must be nested at most ${deepestBody} levels deep` };
}

/** A field that the caller named. The name may stand in the answer, quoted and shortened unless it is plain, and not in the log. */
export function nameSentField(name: string): Pick<FieldError, 'field' | 'loggedField'> {
  return { field: /^[\w.-]{1,64}$/.test(name) ? name : quoteName(name), loggedField: unloggedName };
}

/** A list of strings from a closed set: at least one, no repeats. */
export function namedValues<const T extends readonly string[]>(values: T, description: string) {
  return Type.Array(Type.Enum(values as unknown as [T[number], ...T[number][]]), {
    minItems: 1,
    uniqueItems: true,
    description,
    expected: `be an array of at least one of ${values.join(', ')}, without repeats`,
  });
}
