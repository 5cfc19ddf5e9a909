/** JSON that has broken readers of claims before, by what it is. */
export const hostileJson: Record<string, string> = {
  'a list in a list': '[["web"]]',
  zero: '0',
  'a number': '1',
  true: 'true',
  null: 'null',
  'an object': '{"a":1}',
  'an object with a toString': '{"toString":1}',
  'an object of the prototype': '{"__proto__":{"a":1}}',
  'an empty list': '[]',
  'a list nested 5,000 deep': nestList(5_000),
  'an object nested 1,600 deep': `${'{"a":'.repeat(1_600)}1${'}'.repeat(1_600)}`,
  'a number beyond all': '1e999',
  'a text of 5,000 characters': `"${'x'.repeat(5_000)}"`,
  'a text with a NUL': '"a\\u0000b"',
  'half a character': '"\\ud800"',
};

function nestList(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** A JSON object of texts that are JSON already; what is undefined is left out. */
export function buildJsonObject(members: Record<string, string | undefined>): string {
  const given = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${given.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Each value as the JSON of itself, for members that are not hostile. */
export function toJsonTexts(values: object): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
}
