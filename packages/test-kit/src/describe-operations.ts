/** As much of an OpenAPI document as is read here. */
export interface DescribedInterface {
  openapi: string;
  info: { title: string };
  tags?: readonly { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components?: { schemas?: Record<string, DescribedSchema>; securitySchemes?: Record<string, DescribedSchema> };
}

interface DescribedOperation {
  operationId?: string;
  tags?: readonly string[];
  security?: readonly object[];
  parameters?: readonly { in: string; name: string; required?: boolean; schema?: DescribedSchema }[];
  requestBody?: { content: DescribedContent };
  responses?: Record<string, { content?: DescribedContent }>;
}

type DescribedContent = Record<string, { schema?: DescribedSchema }>;

/** A JSON schema. */
type DescribedSchema = Readonly<Record<string, unknown>>;

/** Words of a schema that are for people. */
const forPeople = new Set(['description', 'examples', 'example', 'title', 'expected', '$id']);

/**
 * Says in lines what credentials an interface knows, and what each operation takes and answers: its credentials, its parameters,
 * the members of its body and of its answers, each with its bounds. Texts for people are left out. Pure.
 */
export function describeOperations(document: DescribedInterface): string {
  const { paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      ...describeOperation(operation),
    ]),
  );
  const shared = Object.entries(components?.schemas ?? {}).map(([name, schema]) => [name, ...describeSchema(schema)]);
  const join = (parts: string[][]) => parts.map((lines) => lines.join('\n')).sort();
  return `${[describeDocument(document), ...join(operations), ...join(shared)].join('\n\n')}\n`;
}

function describeDocument({ openapi, info, tags = [], components }: DescribedInterface): string {
  const schemes = Object.entries(components?.securitySchemes ?? {});
  return [
    `${info.title}, OpenAPI ${openapi}`,
    `  of ${tags.map(({ name }) => name).join(', ')}`,
    ...schemes.map(([name, scheme]) => describeMember(`  by ${name}`, scheme, false)),
  ].join('\n');
}

function describeOperation(operation: DescribedOperation): string[] {
  const { operationId, tags = [], security = [], parameters = [], requestBody, responses = {} } = operation;
  return [
    ...(operationId === undefined ? [] : [`  named ${operationId}`]),
    `  of ${tags.join(', ')}`,
    ...(security.length === 0 ? [] : [`  by ${JSON.stringify(security)}`]),
    ...parameters.map(({ in: place, name, required = false, schema = {} }) =>
      describeMember(`  takes ${place} ${name}`, schema, required),
    ),
    ...(requestBody === undefined ? [] : ['  takes', ...describeContent(requestBody.content)]),
    ...describeAnswers(responses),
  ];
}

/** Statuses that answer alike stand together. */
function describeAnswers(responses: NonNullable<DescribedOperation['responses']>): string[] {
  const statuses = new Map<string, string[]>();
  for (const [status, { content }] of Object.entries(responses)) {
    const text = describeContent(content).join('\n');
    statuses.set(text, [...(statuses.get(text) ?? []), status]);
  }
  return [...statuses].flatMap(([text, alike]) => [`  answers ${alike.join(' ')}`, ...(text === '' ? [] : [text])]);
}

function describeContent(content: DescribedContent = {}): string[] {
  return Object.entries(content).flatMap(([type, { schema = {} }]) => [`    ${type}`, ...describeSchema(schema)]);
}

/** A line for each member; one for what has none. */
function describeSchema(schema: DescribedSchema): string[] {
  const { properties = {}, required = [], ...rest } = schema;
  const members = Object.entries(properties as Record<string, DescribedSchema>);
  return [
    `      ${JSON.stringify(pickWords(rest))}`,
    ...members.map(([name, member]) => describeMember(`      ${name}`, member, (required as string[]).includes(name))),
  ];
}

function describeMember(name: string, schema: DescribedSchema, isRequired: boolean): string {
  return `${name}${isRequired ? ', required' : ''}: ${JSON.stringify(pickWords(schema))}`;
}

function pickWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(pickWords);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, ...words } = schema as Record<string, unknown>;
  const entries = Object.entries(words).filter(([word]) => !forPeople.has(word));
  const members = Object.entries(properties ?? {}).map(([name, member]) => [name, pickWords(member)]);
  return {
    ...Object.fromEntries(entries.map(([word, value]) => [word, pickWords(value)])),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
  };
}
