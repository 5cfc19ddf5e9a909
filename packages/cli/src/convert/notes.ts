import type { NoteLine } from '../bundle/bundle-line.ts';

export function note(about: string, problem: string, value?: string): NoteLine {
  return { kind: 'note', about, problem, ...(value !== undefined && { value }) };
}

export type Tally = ReturnType<typeof createTally>;

/** Counts what many users have and what has no place, so that one note says it of all. */
export function createTally() {
  const counts = new Map<string, { about: string; problem: string; count: number }>();
  return {
    add(about: string, problem: string): void {
      const key = `${problem} ${about}`;
      const entry = counts.get(key) ?? { about, problem, count: 0 };
      entry.count += 1;
      counts.set(key, entry);
    },
    *list(): Generator<NoteLine> {
      for (const { about, problem, count } of counts.values()) {
        yield note(about, problem, count === 1 ? '1 user' : `${count} users`);
      }
    },
  };
}
