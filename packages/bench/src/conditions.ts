import { cpus } from 'node:os';
import type { Lab } from './lab.ts';
import type { Conditions } from './report/report.ts';

/** The conditions that one must know to repeat this run; `script`: the npm script that started it. */
export function describeConditions({ options, databases, cores, generators }: Lab, script: string): Conditions {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    command: `npm run ${script} -- ${process.argv.slice(2).map(hidePassword).join(' ')}`.trim(),
    machine: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}`,
    node: process.version,
    database: databases.description,
    cores: cores.description,
    load: generators.description,
    rounds: options.rounds,
    seconds: options.seconds,
    connections: options.connections,
    judgesGoals: options.judgesGoals,
  };
}

/** A result is to be published; the address of a database is not. */
function hidePassword(argument: string): string {
  return argument.replace(/mysql:\/\/.*/, 'mysql://…');
}
