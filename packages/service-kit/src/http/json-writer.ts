/** Media type of what `createJsonWriter` writes. */
export const jsonMediaType = 'application/json; charset=utf-8';

/** Gives an object as JSON text. An object that many answers share is written once: it must never change. */
export function createJsonWriter<Shared extends object>(
  build: (shared: Shared) => unknown,
): (shared: Shared) => string {
  const written = new WeakMap<Shared, string>();
  return (shared) => {
    const known = written.get(shared);
    if (known !== undefined) return known;
    const text = JSON.stringify(build(shared));
    written.set(shared, text);
    return text;
  };
}

/**
 * Remembers the latest text alone: for objects that only answers of one moment share, such as a row that one query read
 * for several requests.
 */
export function rememberLatestText<Shared extends object, Context>(
  write: (shared: Shared, context: Context) => string,
): (shared: Shared, context: Context) => string {
  let latest: { shared: Shared; text: string } | undefined;
  return (shared, context) => {
    if (latest?.shared !== shared) latest = { shared, text: write(shared, context) };
    return latest.text;
  };
}
