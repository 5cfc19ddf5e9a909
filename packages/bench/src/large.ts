import { fileURLToPath } from 'node:url';
import { hash } from '@node-rs/argon2';
import { type BenchOptions, parseArguments } from './arguments.ts';
import { describeConditions } from './conditions.ts';
import { note, print, runScript } from './console.ts';
import { type Lab, openLab } from './lab.ts';
import { insertBulkMembers } from './large/bulk-members.ts';
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
import type { Pair } from './large/growth.ts';
import { chooseLargeCases, type LargeCase, largeCases } from './large/index.ts';
import { cleanUpOnSignal } from './machine/clean-up.ts';
import { argon2Parameters } from './product/population.ts';
import { buildCaseSection, buildHeadline, type CaseReport, reportOn, writeReport } from './report/report.ts';

/*
 * `npm run bench:large`: does the product become slower as its databases fill up? One run compares a product on nearly
 * empty databases with one on millions of rows. It shows how each statement finds its rows, how soon administrators get their
 * lists, and what purging costs.
 */

const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));
const all: BulkCounts = { clients: 1_000_000, users: 1_000_000, refreshTokens: 10_000_000 };
/** The clients, users and tokens that the requests use, of all that the databases hold. */
const asked = 1_000;

await runScript(() => main(parseArguments(process.argv.slice(2), process.env)));

async function main(options: BenchOptions): Promise<number> {
  const chosen = chooseLargeCases(options.cases);
  if (options.list) {
    print(largeCases.map(({ name, title }) => `${name.padEnd(28)}${title}`).join('\n'));
    return 0;
  }
  if (options.database === 'sqlite') throw new Error('bench:large needs MySQL or MariaDB: --database, BENCH_MYSQL_URL');
  const cleanUp = cleanUpOnSignal();
  const few = await openLab({ ...options, population: asked }, { say: note, cleanUp });
  const labs = [few];
  const openMany = async () => {
    const many = await openLab({ ...options, population: asked }, { say: note, cleanUp, cores: few.cores });
    labs.push(many);
    return many;
  };
  try {
    return await measure(few, openMany, chosen);
  } finally {
    for (const lab of labs.reverse()) await lab.close();
  }
}

async function measure(few: Lab, openMany: () => Promise<Lab>, chosen: readonly LargeCase[]): Promise<number> {
  const { scale, name } = few.options;
  const counts = {
    clients: Math.ceil(all.clients * scale),
    users: Math.ceil(all.users * scale),
    refreshTokens: chosen.some(({ rows }) => rows === 'tokens') ? Math.ceil(all.refreshTokens * scale) : 0,
  };
  const conditions = describeConditions(few, 'bench:large');
  print(buildHeadline(conditions));
  const needsMany = chosen.some(({ rows }) => rows !== 'none');
  const pair = needsMany ? await fill(few, await openMany(), counts) : undefined;
  const reports: CaseReport[] = [];
  for (const one of chosen) {
    note(one.title);
    const result = await (one.rows === 'none' ? one.run(few, counts) : one.run(pair as Pair, counts));
    const report = reportOn(one, result, conditions);
    reports.push(report);
    print(`\n${buildCaseSection(report)}`);
  }
  await writeReport({ folder: resultsFolder, name: `large-${name}` }, conditions, reports);
  return reports.every(({ valid }) => valid) ? 0 : 1;
}

/** Fills the databases of `many`. The people of its population are then some of the millions. */
async function fill(few: Lab, many: Lab, counts: BulkCounts): Promise<Pair> {
  const { writers, population } = many;
  const { password: secret } = population;
  note(`${counts.users} users, ${counts.clients} clients, ${counts.refreshTokens} refresh tokens are inserted`);
  await insertBulkUsers(writers.org, counts.users);
  await insertBulkClients(writers.auth, counts, await hash(secret, argon2Parameters));
  await insertBulkMembers(writers.org, counts.users);
  await insertBulkUserTerms(writers.org, counts.users);
  await insertBulkClientTerms(writers.auth, counts);
  const { users, refreshTokens: count } = counts;
  await insertBulkRefreshTokens(writers.auth, population, { count, users, expiresAt: Date.now() + 12 * 3_600_000 });
  await insertBulkRevocations(writers.auth, counts.clients);
  const filled = {
    auth: ['clients', 'client_terms', 'refresh_tokens', 'revocations'],
    org: ['users', 'user_terms', 'group_members'],
  };
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
