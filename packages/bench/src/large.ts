import { fileURLToPath } from 'node:url';
import { hash } from '@node-rs/argon2';
import { type BenchOptions, parseArguments } from './arguments.ts';
import { describeConditions } from './conditions.ts';
import { note, print, runScript } from './console.ts';
import { type Lab, openLab } from './lab.ts';
import {
  type BulkCounts,
  chooseBulkClients,
  chooseBulkRefreshTokens,
  insertBulkClients,
  insertBulkClientTerms,
  insertBulkRefreshTokens,
  insertBulkRevocations,
  insertBulkUsers,
  insertBulkUserTerms,
} from './large/bulk-rows.ts';
import { growthCases, type Pair } from './large/growth.ts';
import { listCases } from './large/lists.ts';
import { describePlan, explainHotPaths } from './large/plans.ts';
import { measurePurge } from './large/purge.ts';
import { cleanUpOnSignal } from './machine/clean-up.ts';
import { argon2Parameters } from './product/population.ts';
import type { CaseResult } from './report/case-result.ts';
import { buildCaseSection, buildHeadline, type CaseReport, reportOn, writeReport } from './report/report.ts';

/*
 * `npm run bench:large`: does the product become slower as its databases fill up? One run compares a product on nearly
 * empty databases with one on millions of rows. It shows how each statement finds its rows, how soon administrators get their
 * lists, and what purging costs.
 */

const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));
const all: BulkCounts = { clients: 1_000_000, users: 1_000_000, refreshTokens: 10_000_000 };
const purgedRows = 1_000_000;
/** The clients, users and tokens that the requests use, of all that the databases hold. */
const asked = 1_000;

await runScript(() => main(parseArguments(process.argv.slice(2), process.env)));

async function main(options: BenchOptions): Promise<number> {
  if (options.database === 'sqlite') throw new Error('bench:large needs MySQL or MariaDB: --database, BENCH_MYSQL_URL');
  const cleanUp = cleanUpOnSignal();
  const few = await openLab({ ...options, population: asked }, { say: note, cleanUp });
  const labs = [few];
  try {
    const many = await openLab({ ...options, population: asked }, { say: note, cleanUp, cores: few.cores });
    labs.push(many);
    return await compare(few, many);
  } finally {
    for (const lab of labs.reverse()) await lab.close();
  }
}

async function compare(few: Lab, many: Lab): Promise<number> {
  const { scale, name } = few.options;
  const counts = {
    clients: Math.ceil(all.clients * scale),
    users: Math.ceil(all.users * scale),
    refreshTokens: Math.ceil(all.refreshTokens * scale),
  };
  const conditions = describeConditions(few, 'bench:large');
  print(buildHeadline(conditions));
  const pair = await fill(few, many, counts);

  const plans = await explainHotPaths(pair.many);
  const plansSection = `\n## Plans of the hot paths' statements\n\n\`\`\`\n${plans.map(describePlan).join('\n')}\n\`\`\`\n`;
  print(plansSection);

  const reports: CaseReport[] = [];
  const keep = (one: Pick<CaseReport, 'name' | 'title'>, result: CaseResult) => {
    const report = reportOn(one, result, conditions);
    reports.push(report);
    print(`\n${buildCaseSection(report)}`);
  };
  for (const one of growthCases) keep(one, await one.run(pair));
  for (const one of listCases) keep(one, await one.run(pair.many, counts[one.rows]));
  const rows = Math.ceil(purgedRows * scale);
  const purge = await measurePurge(pair.many, { rows, users: counts.users, first: counts.refreshTokens });
  keep({ name: 'purge', title: `Purge of ${rows.toLocaleString('en')} expired rows` }, purge);
  await writeReport({ folder: resultsFolder, name: `large-${name}` }, conditions, reports, plansSection);
  return plans.every(({ usesIndexes }) => usesIndexes) && reports.every(({ valid }) => valid) ? 0 : 1;
}

/** Fills the databases of `many`. The people of its population are then some of the millions. */
async function fill(few: Lab, many: Lab, counts: BulkCounts): Promise<Pair> {
  const { writers, population } = many;
  const { password: secret } = population;
  note(`${counts.users} users, ${counts.clients} clients, ${counts.refreshTokens} refresh tokens are inserted`);
  await insertBulkUsers(writers.org, counts.users);
  await insertBulkClients(writers.auth, counts, await hash(secret, argon2Parameters));
  await insertBulkUserTerms(writers.org, counts.users);
  await insertBulkClientTerms(writers.auth, counts);
  const { users, refreshTokens: count } = counts;
  await insertBulkRefreshTokens(writers.auth, population, { count, users, expiresAt: Date.now() + 12 * 3_600_000 });
  await insertBulkRevocations(writers.auth, counts.clients);
  const filled = { auth: ['clients', 'client_terms', 'refresh_tokens', 'revocations'], org: ['users', 'user_terms'] };
  for (const table of filled.auth) await writers.auth.run(`ANALYZE TABLE ${table}`);
  for (const table of filled.org) await writers.org.run(`ANALYZE TABLE ${table}`);
  const chosen = chooseBulkClients(counts, asked, secret);
  let turn = 0;
  return {
    few,
    many: { ...many, population: { ...population, serviceClients: chosen.clients, robots: chosen.users } },
    chooseRefreshTokens() {
      turn += 1;
      return chooseBulkRefreshTokens(counts, 4 * asked, turn);
    },
  };
}
