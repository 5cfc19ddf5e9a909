interface Page<Item> {
  items: readonly Item[];
  next?: string | undefined;
}

/**
 * Lists as one, the newest first: ids are times, and cursors. An item of several lists stands once. `before` is the id down to which
 * the list is whole: of a list that goes on, nothing is known below its last item.
 */
export function mergePages<Item extends { id: string }>(
  pages: readonly Page<Item>[],
): { items: Item[]; before: string | undefined } {
  const byId = new Map(pages.flatMap(({ items }) => items.map((item) => [item.id, item])));
  const ends = pages.flatMap(({ items, next }) => (next === undefined ? [] : (items.at(-1)?.id ?? [])));
  const before = ends.toSorted().at(-1);
  const items = [...byId.values()].filter(({ id }) => before === undefined || id >= before);
  return { items: items.toSorted((one, other) => (one.id < other.id ? 1 : -1)), before };
}
