import type { Environment } from './environment.ts';

/** Longer names may differ by two letters: `AUTH_ULR`, `DATABSE_UR`. In a short one, two letters make another word: `HOME`. */
const shortName = 6;

/**
 * One line for each variable whose name is one or two letters away from a known one: nobody reads it. `NAME_FILE` is known
 * where `NAME` is. No line repeats a value.
 */
export function describeMisspeltVariables(known: readonly string[], env: Environment): string[] {
  const isKnown = (name: string) => known.includes(name.replace(/_FILE$/, '')) || known.includes(name);
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !isKnown(name))
    .flatMap((name) => {
      const meant = findNearest(name, known) ?? findNearestFile(name, known);
      return meant === undefined ? [] : [`${name} is set, and Gatehouse has no such variable: did you mean ${meant}?`];
    });
}

function findNearestFile(name: string, known: readonly string[]): string | undefined {
  if (!name.endsWith('_FILE')) return undefined;
  const meant = findNearest(name.slice(0, -'_FILE'.length), known);
  return meant && `${meant}_FILE`;
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((meant) => ({ meant, distance: countEdits(name, meant) }))
    .filter(({ meant, distance }) => distance <= (meant.length <= shortName ? 1 : 2))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.meant;
}

/** Letters left out, added or changed, and neighbours exchanged (optimal string alignment). */
function countEdits(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const change = at(last, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const edits = Math.min(change, at(last, column) + 1, at(current, column - 1) + 1);
      const isExchange = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = isExchange ? Math.min(edits, at(beforeLast, column - 2) + 1) : edits;
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
