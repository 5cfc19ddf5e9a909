/** Rows for `test.each` whose first column is the value on one short line. */
export function withTitles<T>(values: readonly T[]): [string, T][] {
  return values.map((value) => {
    const title = JSON.stringify(value);
    return [title.length > 80 ? `${title.slice(0, 60)}… (${title.length} characters)` : title, value];
  });
}
