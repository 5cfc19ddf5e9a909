import { type Static, type TObject, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { quoteName } from './error-texts.ts';
import type { FieldError } from './problem-details.ts';

export type FieldsResult<T> = { ok: true; value: T } | { ok: false; errors: FieldError[] };

/**
 * Compiles a checker that reports every faulty field once, in the words of the field's own `expected` annotation.
 * Nothing is coerced; an unknown field is an error that names it.
 */
export function createFieldsChecker<S extends TObject>(schema: S): (body: unknown) => FieldsResult<Static<S>> {
  const required = new Set<string>((schema.required as string[] | undefined) ?? []);
  const fields = Object.entries(schema.properties).map(([name, property]) => ({
    name,
    required: required.has(name),
    expected: (property as { expected?: string }).expected ?? 'be valid',
    validator: Compile(property),
  }));
  const known = new Set(fields.map(({ name }) => name));

  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return { ok: false, errors: [{ field: 'body', detail: 'must be a JSON object' }] };
    }
    const unknown = Object.keys(body).filter((name) => !known.has(name));
    const errors: FieldError[] = unknown.map((name) => ({ field: nameField(name), detail: 'is not a known field' }));
    for (const { name, required, expected, validator } of fields) {
      const present = Object.hasOwn(body, name);
      if (!present && required) errors.push({ field: name, detail: `is required and must ${expected}` });
      else if (present && !validator.Check((body as Record<string, unknown>)[name])) {
        errors.push({ field: name, detail: `must ${expected}` });
      }
    }
    return errors.length > 0 ? { ok: false, errors } : { ok: true, value: body as Static<S> };
  };
}

function nameField(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : quoteName(name);
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
