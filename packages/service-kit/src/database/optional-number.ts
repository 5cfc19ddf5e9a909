/** The number of a column that may be NULL. A driver may give a text for a large one. */
export function optionalNumber(value: number | null): number | undefined {
  return value === null ? undefined : Number(value);
}
