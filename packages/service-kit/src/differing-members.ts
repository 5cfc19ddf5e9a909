import { isDeepStrictEqual } from 'node:util';

/** The names of the members by which two views of an object differ, those of the first one first, but for the ignored ones. */
export function listDifferingMembers(before: object, after: object, ignored: readonly string[]): string[] {
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...from.keys(), ...to.keys()])].filter(
    (name) => !ignored.includes(name) && !isDeepStrictEqual(from.get(name), to.get(name)),
  );
}
