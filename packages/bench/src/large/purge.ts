import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../lab.ts';
import { measureVariant, type Variant } from '../measurement/measure.ts';
import type { Sample } from '../measurement/sample.ts';
import type { CaseResult } from '../report/case-result.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { expirySpan, insertBulkRefreshTokens } from './bulk-rows.ts';
import { mixedLoad, p99Of } from './growth.ts';

const quiet = 'Gatehouse, nothing to purge';
const purging = 'Gatehouse, while expired rows are purged';

/** The most that p99 may be during the purge, as a multiple of p99 without it. */
const bound = 1.5;
/** Milliseconds until purging has to begin, and windows for which it is watched. */
const beginsWithin = 90_000;
const mostWindows = 24;
/** Milliseconds for which a row may take to be inserted. */
const insertTime = 0.24;

export interface PurgePlan {
  rows: number;
  users: number;
  /** Number of the first row: greater than that of any row that exists. */
  first: number;
}

/** Measures client_credentials and refreshes before and during the purge of rows that all expire at once. */
export async function measurePurge(lab: Lab, { rows, users, first }: PurgePlan): Promise<CaseResult> {
  const variant: Variant = {
    name: quiet,
    server: () => lab.product.authServer,
    prepare: () => mixedLoad(lab),
  };
  await measureVariant(lab, variant);
  const before: Sample[] = [];
  for (let round = 0; round < lab.options.rounds; round += 1) before.push(await measureVariant(lab, variant));

  // The rows expire after the last of them is inserted, so no purge begins before.
  const expiresAt = Date.now() + 30_000 + rows * insertTime;
  await insertBulkRefreshTokens(lab.writers.auth, lab.population, { first, count: rows, users, expiresAt });
  await untilPurgeBegins(lab, expiresAt);
  const during: Sample[] = [];
  for (let window = 0; window < mostWindows && (await findFirstExpiry(lab)) < expiresAt + expirySpan; window += 1) {
    during.push(await measureVariant(lab, variant));
    lab.say(`  while purging: p99 ${during.at(-1)?.p99.toFixed(1)} ms`);
  }
  return buildResult([
    { variant: quiet, samples: before },
    { variant: purging, samples: during },
  ]);
}

function buildResult(rows: { variant: string; samples: Sample[] }[]): CaseResult {
  const result = buildRateResult(rows, { reference: quiet });
  const ratio = p99Of(rows, purging) / p99Of(rows, quiet);
  const text = `${purging}: p99 at most ${bound} × ${quiet}: ${ratio.toFixed(2)}`;
  return { ...result, goals: [{ text, met: Number.isNaN(ratio) ? undefined : ratio <= bound }] };
}

/** The purge, every half minute, deletes rows in the order in which they expired, so the first row tells whether it began. */
async function untilPurgeBegins(lab: Lab, expiresAt: number): Promise<void> {
  if (Date.now() > expiresAt) throw new Error('the rows took so long to insert that some were purged meanwhile');
  lab.say('  waiting for the rows to expire and to be purged');
  while ((await findFirstExpiry(lab)) <= expiresAt) {
    if (Date.now() > expiresAt + beginsWithin) throw new Error('the service does not purge');
    await sleep(200);
  }
}

async function findFirstExpiry({ writers }: Lab): Promise<number> {
  const [row] = (await writers.auth.run('SELECT MIN(expires_at) AS first FROM refresh_tokens')) as { first: unknown }[];
  return Number(row?.first);
}
