import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseResult } from './case-result.ts';
import type { GoalResult } from './goal.ts';
import { buildPlot } from './plot.ts';

/** One case as it was measured. */
export interface CaseReport extends CaseResult {
  name: string;
  title: string;
}

/** The conditions that one must know to repeat a run. */
export interface Conditions {
  date: string;
  command: string;
  machine: string;
  node: string;
  database: string;
  cores: string;
  load: string;
  rounds: number;
  seconds: number;
  connections: number;
  /** Whether the run is long enough to say that a goal is met or missed. */
  judgesGoals: boolean;
}

/** The result of a run that judges no goals. */
const tooShort =
  'judges no goal: V8 is still compiling what has been at work for a second, so ratios favour what ran in the cases before';

/** The head of the report of a run, before its first case. */
export function buildHeadline({ machine, database, cores, judgesGoals }: Conditions): string {
  return [`${machine}; ${database}; ${cores}`, ...(judgesGoals ? [] : [tooShort])].join('\n');
}

/** The report of a case: a run that judges no goals leaves them out. */
export function reportOn(
  { name, title }: Pick<CaseReport, 'name' | 'title'>,
  result: CaseResult,
  { judgesGoals }: Pick<Conditions, 'judgesGoals'>,
): CaseReport {
  return { ...result, name, title, goals: judgesGoals ? result.goals : [] };
}

export function buildCaseSection({ title, table, goals }: Pick<CaseReport, 'title' | 'table' | 'goals'>): string {
  const sections = [`## ${title}`, table];
  if (goals.length > 0) sections.push(goals.map(formatGoal).join('\n'));
  return sections.join('\n\n');
}

function formatGoal({ text, met }: GoalResult): string {
  const verdict = met === undefined ? 'not known' : met ? 'met' : 'MISSED';
  return `- ${verdict}: ${text}`;
}

export function buildMarkdown(conditions: Conditions, reports: readonly CaseReport[]): string {
  const { date, command, machine, node, database, cores, load, rounds, seconds, connections, judgesGoals } = conditions;
  const facts = [
    `${date}, \`${command}\``,
    `${machine}; Node.js ${node}; ${database}`,
    cores,
    `${connections} connections, ${rounds} rounds of ${seconds} s, variants in turn, medians; load by ${load}`,
    ...(judgesGoals ? [] : [tooShort]),
  ].map((fact) => `- ${fact}`);
  return `${['# Benchmark', facts.join('\n'), ...reports.map(buildCaseSection)].join('\n\n')}\n`;
}

/** Writes `<name>.json`, `<name>.md` and `<name>.svg`. */
export async function writeReport(
  { folder, name }: { folder: string; name: string },
  conditions: Conditions,
  reports: readonly CaseReport[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (extension: string, content: string) => writeFile(join(folder, `${name}.${extension}`), content);
  const cases = reports.map(({ name: caseName, title, goals, measured }) => ({
    name: caseName,
    title,
    goals,
    measured,
  }));
  await write('json', `${JSON.stringify({ conditions, cases }, undefined, 2)}\n`);
  await write('md', buildMarkdown(conditions, reports));
  const drawn = reports.filter(({ bars }) => bars.values.length > 0);
  await write('svg', buildPlot(drawn.map(({ title, bars }) => ({ title, ...bars }))));
}
