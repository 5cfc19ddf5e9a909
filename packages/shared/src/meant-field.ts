import { findNearest } from './nearest-name.ts';

/** Characters: no known name has as many, and the comparison takes their product. */
const longestName = 64;

/**
 * The known field that an unknown one means: the same words in another case (`clientId`), one or two wrong letters, or the
 * last words of one field alone, as RFC 7591 has `grant_types` for `authorized_grant_types`.
 */
export function findMeantField(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  const wanted = inSnakeCase(name);
  const words = new Map(known.map((field) => [inSnakeCase(field), field]));
  const longer = [...words.keys()].filter((field) => field.endsWith(`_${wanted}`));
  const meant = findNearest(wanted, [...words.keys()]) ?? (longer.length === 1 ? longer[0] : undefined);
  return meant === undefined ? undefined : words.get(meant);
}

function inSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
