import { fileURLToPath } from 'node:url';
import { type BenchOptions, parseArguments } from './arguments.ts';
import type { BenchCase } from './cases/bench-case.ts';
import { cases, chooseCases } from './cases/index.ts';
import { describeConditions } from './conditions.ts';
import { note, print, runScript } from './console.ts';
import { openLab } from './lab.ts';
import { cleanUpOnSignal } from './machine/clean-up.ts';
import { buildCaseSection, buildHeadline, type CaseReport, reportOn, writeReport } from './report/report.ts';

/* `npm run bench`: measures the product next to others, prints tables and writes them into `results/`. */

const resultsFolder = fileURLToPath(new URL('../results/', import.meta.url));

await runScript(() => main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  const options = parseArguments(args, process.env);
  const chosen = chooseCases(options.cases);
  if (options.list) {
    print(cases.map(({ name, title }) => `${name.padEnd(28)}${title}`).join('\n'));
    return 0;
  }
  return runCases(options, chosen);
}

async function runCases(options: BenchOptions, chosen: readonly BenchCase[]): Promise<number> {
  const lab = await openLab(options, { say: note, cleanUp: cleanUpOnSignal() });
  try {
    const conditions = describeConditions(lab, 'bench');
    print(buildHeadline(conditions));
    const reports: CaseReport[] = [];
    for (const one of chosen) {
      note(one.title);
      const report = reportOn(one, await one.run(lab), conditions);
      reports.push(report);
      print(`\n${buildCaseSection(report)}`);
    }
    await writeReport({ folder: resultsFolder, name: options.name }, conditions, reports);
    return reports.every(({ valid }) => valid) ? 0 : 1;
  } finally {
    await lab.close();
  }
}
