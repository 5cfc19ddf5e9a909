/**
 * Chooses numbers that none of the taken ones is, from 1 to `most`; undefined where too few are left. A unique index of the number
 * decides how many rows there are: of two that take one number at the same moment one is inserted, and the other one chooses again.
 */
export function chooseFreeNumbers(taken: ReadonlySet<number>, wanted: number, most: number): number[] | undefined {
  const chosen: number[] = [];
  for (let number = 1; number <= most && chosen.length < wanted; number += 1) {
    if (!taken.has(number)) chosen.push(number);
  }
  return chosen.length < wanted ? undefined : chosen;
}
