import serializerSelector from '@fastify/fast-json-stringify-compiler';
import { createFieldsChecker, fieldsProblem } from '@gatehouse/shared';
import { Ajv } from 'ajv';
import type { FastifySchemaCompiler, FastifySchemaValidationError, FastifyServerOptions } from 'fastify';
import type { TObject } from 'typebox';

/*
 * A schema is compiled when the first request or answer needs it: most answers of most operations are never given,
 * and to compile them all took a fifth of a start (docs/adr/0055-schemas-are-compiled-late.md).
 */

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/** Fastify's own writers of answers. */
export const buildSerializer: NonNullable<Compilers['buildSerializer']> = (externalSchemas, options) => {
  const compile = serializerSelector()(externalSchemas, options);
  return (route) => compileLate(() => compile(route));
};

// A query string and a path hold text only, so Ajv reads their numbers from text. It reads 1e999 as Infinity, and with
// strict numbers Infinity would pass every minimum and maximum.
const fromText = new Ajv({ coerceTypes: 'array', useDefaults: true, strictNumbers: false, keywords: ['expected'] });

/** Checks bodies field by field with our own error texts and without coercion, queries and paths by Ajv. */
export const validatorCompiler: FastifySchemaCompiler<TObject> = ({ schema, httpPart }) =>
  compileLate(() => (httpPart === 'body' ? compileBodyCheck(schema) : compileTextCheck(schema)));

type Check = (value: unknown) => { value: unknown } | { error: Error | FastifySchemaValidationError[] };

function compileBodyCheck(schema: TObject): Check {
  const checkFields = createFieldsChecker(schema);
  return (body: unknown) => {
    const result = checkFields(body);
    return result.ok ? { value: result.value } : { error: fieldsProblem(result.errors) };
  };
}

function compileTextCheck(schema: TObject): Check {
  const check = fromText.compile(schema);
  return (values: unknown) =>
    check(values) ? { value: values } : { error: (check.errors ?? []) as FastifySchemaValidationError[] };
}

/** A function that `compile` makes at its first call. */
function compileLate<Value, Result>(compile: () => (value: Value) => Result): (value: Value) => Result {
  let compiled: ((value: Value) => Result) | undefined;
  return (value) => {
    compiled ??= compile();
    return compiled(value);
  };
}
