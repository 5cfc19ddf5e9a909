/** Merges lists of events to one, newest first: ids are times, on every service. An event that stands in several counts once. */
export function mergeEvents<Event extends { id: string }>(
  lists: readonly (readonly Event[])[],
  limit: number,
): Event[] {
  const byId = new Map(lists.flat().map((event) => [event.id, event]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit);
}
