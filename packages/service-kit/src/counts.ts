/** How many there are of each name. A name of which there is none takes no memory. */
export function createCounts() {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    of: (name: string) => counts.get(name) ?? 0,
    total: () => total,
    add(name: string, change: number): void {
      total += change;
      const count = (counts.get(name) ?? 0) + change;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    },
    /** Of several with the most, the one that came first. */
    largest: (): [name: string, count: number] =>
      [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0]),
  };
}
