import type { Lab } from '../lab.ts';
import type { CaseResult } from '../report/case-result.ts';
import type { BulkCounts } from './bulk-rows.ts';
import { growthCases, type Pair } from './growth.ts';
import { measureImport } from './import.ts';
import { listCases } from './lists.ts';
import { showPlans } from './plans.ts';
import { measurePurge } from './purge.ts';

interface Named {
  name: string;
  /** For the report. */
  title: string;
}

interface NeedsNothing extends Named {
  rows: 'none';
  run(few: Lab, counts: BulkCounts): Promise<CaseResult>;
}

interface NeedsRows extends Named {
  rows: 'objects' | 'tokens';
  run(pair: Pair, counts: BulkCounts): Promise<CaseResult>;
}

/** A case of `npm run bench:large`; `rows`: whether it needs full databases, and refresh tokens in them. */
export type LargeCase = NeedsNothing | NeedsRows;

const purgedRows = 1_000_000;

/** In the order in which they run. The import comes last, since it restarts services. */
export const largeCases: readonly LargeCase[] = [
  { name: 'plans', title: "Plans of the hot paths' statements", rows: 'tokens', run: ({ many }) => showPlans(many) },
  ...growthCases.map((one): NeedsRows => ({ ...one, rows: 'tokens' })),
  ...listCases.map(
    ({ name, title, run }): NeedsRows => ({
      ...{ name, title, rows: 'objects' },
      run: ({ many }, counts) => run(many, counts),
    }),
  ),
  {
    name: 'purge',
    title: 'Purge of expired rows',
    rows: 'tokens',
    run({ many }, { users, refreshTokens: first }) {
      // As many of the ten million tokens as of the million rows.
      const rows = Math.ceil((purgedRows * first) / 10_000_000);
      return measurePurge(many, { rows, users, first });
    },
  },
  {
    name: 'import',
    title: 'Users imported by `gatehouse import` on all cores, while others come',
    rows: 'none',
    run: (few, { users }) => measureImport(few, users),
  },
];

/** Throws an Error that lists the cases where there is none of that name. */
export function chooseLargeCases(names: readonly string[] | undefined): readonly LargeCase[] {
  const unknown = names?.find((name) => !largeCases.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(`no case ${unknown}: ${largeCases.map(({ name }) => name).join(', ')}`);
  return names === undefined ? largeCases : largeCases.filter(({ name }) => names.includes(name));
}
