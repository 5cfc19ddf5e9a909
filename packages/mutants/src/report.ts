import { describeChange, type Explained } from './explained.ts';
import { isAlive, type Result } from './result.ts';

/** A survivor in one line: where it is, what changed, and how many test files did not notice. */
export function describeSurvivor({ source, mutant, outcome, reaching, ran }: Result): string {
  const unnoticed = outcome === 'not reached' ? 'no test comes by' : `${ran} of ${reaching} test files ran`;
  return `${source}:${mutant.line}: ${describeChange(source, mutant)} (${unnoticed})`;
}

/** Killed, survived and the share, for each folder and for all. */
export function describeResults(results: readonly Result[], explained: Explained): string {
  const folders = groupByFolder(results);
  const lines = [...folders].map(([folder, own]) => describeShare(folder, own, explained));
  return [...lines, describeShare('all', results, explained), ''].join('\n');
}

/** The share of mutants that are killed, of those that are not explained: 0 to 100. */
export function shareOfKilled(results: readonly Result[], explained: Explained): number {
  const judged = results.filter((result) => !isAlive(result) || !explained.has(result));
  return judged.length === 0 ? 100 : (100 * judged.filter((result) => !isAlive(result)).length) / judged.length;
}

function describeShare(name: string, results: readonly Result[], explained: Explained): string {
  const alive = results.filter(isAlive);
  const known = alive.filter((result) => explained.has(result));
  const counts = [
    `${results.length - alive.length} killed`,
    `${alive.length - known.length} survived`,
    `${known.length} explained`,
  ];
  const seconds = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const share = shareOfKilled(results, explained).toFixed(1);
  return `${name}: ${counts.join(', ')}: ${share} % (${(seconds / Math.max(1, results.length)).toFixed(1)} s for each)`;
}

function groupByFolder(results: readonly Result[]): Map<string, Result[]> {
  const folders = new Map<string, Result[]>();
  for (const result of results) {
    const folder = result.source.slice(0, result.source.lastIndexOf('/'));
    folders.set(folder, [...(folders.get(folder) ?? []), result]);
  }
  return folders;
}
