/** Longer names may differ by two letters: `AUTH_ULR`, `DATABSE_UR`. In a short one, two letters make another word: `HOME`. */
const shortName = 6;

/** The known name that is one or two letters away; undefined where none is. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
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
