import type { Lab } from '../lab.ts';
import type { CaseResult } from '../report/case-result.ts';

/** A case measures the product and what it is compared with. */
export interface BenchCase {
  name: string;
  /** For the report. */
  title: string;
  /** Runs only where it is named: it needs what not every machine has. */
  isExtra?: true;
  run(lab: Lab): Promise<CaseResult>;
}

/** Runs `use` and ends the servers afterwards, also where `use` throws. */
export async function withServers<S extends { stop(): Promise<void> }, T>(
  starting: Promise<S>[],
  use: (...servers: S[]) => Promise<T>,
): Promise<T> {
  const settled = await Promise.allSettled(starting);
  const servers = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    const failed = settled.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return await use(...servers);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
