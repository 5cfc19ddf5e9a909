const limits = { network: 100, total: 1_000, ofSubject: 3, subjects: 10_000 };

/** The refusals of a window that something is written of. */
export interface RefusalCounts {
  /**
   * Whether one more is written: the first three of each subject that exists, for at most 10,000 subjects; in addition at most 100 of a
   * network, and 1,000 in all. `network`: a result of `networkOf`.
   */
  take(network: string, subject: string | undefined): boolean;
}

/** Keeps a flood of refusals from becoming a flood of rows, and from hiding other refusals. */
export function createRefusalCounts(): RefusalCounts {
  let total = 0;
  const byNetwork = new Map<string, number>();
  const bySubject = new Map<string, number>();
  const takeOfSubject = (subject: string): boolean => {
    const count = bySubject.get(subject) ?? 0;
    if (count >= limits.ofSubject || (count === 0 && bySubject.size >= limits.subjects)) return false;
    bySubject.set(subject, count + 1);
    return true;
  };
  const takeOfNetwork = (network: string): boolean => {
    const count = byNetwork.get(network) ?? 0;
    if (count >= limits.network || total >= limits.total) return false;
    total += 1;
    byNetwork.set(network, count + 1);
    return true;
  };
  return {
    take: (network, subject) => (subject !== undefined && takeOfSubject(subject)) || takeOfNetwork(network),
  };
}
