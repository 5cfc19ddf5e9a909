import { describeChange, type Explained } from './explained.ts';
import { isAlive, type Result } from './result.ts';

/** A survivor in one line: its place, the change, and how many test files did not notice it. */
export function describeSurvivor({ source, mutant, outcome, reaching, ran }: Result): string {
  const unnoticed = outcome === 'not reached' ? 'no test comes by' : `${ran} of ${reaching} test files ran`;
  return `${source}:${mutant.line}: ${describeChange(source, mutant)} (${unnoticed})`;
}

/** The last line of a run. */
export function describeCounts(results: readonly Result[], explained: Explained): string {
  const alive = results.filter(isAlive);
  const known = alive.filter((result) => explained.has(result));
  const killed = results.length - alive.length;
  return `${killed} killed, ${alive.length - known.length} survived, ${known.length} explained`;
}
