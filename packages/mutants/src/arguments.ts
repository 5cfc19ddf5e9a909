import { parseArgs } from 'node:util';

/** What a run is asked to do. */
export interface MutantsOptions {
  /** Files and folders of sources; none: all. */
  paths: string[];
  /** Processes that run tests. */
  workers: number;
  /** Milliseconds of tests for one mutant. */
  budget: number;
  /** Of the names of the test files that run; undefined: all that may come by the sources. */
  tests: RegExp | undefined;
  /** The least share of killed mutants, in percent, with which the run is good. */
  atLeast: number;
  /** Percent of the mutants that are tried. */
  sample: number;
  /** Forgets what earlier runs found. */
  fresh: boolean;
}

const usage = `npm run mutants -- [options] [path …]

  path            a source file, or a folder of them; all rules of both services, service-kit and resource-server
  --workers n     processes that run tests, 1
  --seconds n     of tests for one mutant, 30
  --tests pattern only test files whose name matches; what the others would kill survives
  --sample n      tries n percent of the mutants, 100
  --at-least n    exits with 1 where less than n percent are killed, 0
  --fresh         forgets what earlier runs found
  --help          this`;

/** Throws an Error with a text for the user: what is wrong, or with `--help` how it is used. */
export function parseArguments(args: string[]): MutantsOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      workers: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '30' },
      tests: { type: 'string' },
      sample: { type: 'string', default: '100' },
      'at-least': { type: 'string', default: '0' },
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) throw new Error(usage);
  const number = (name: 'workers' | 'seconds' | 'sample' | 'at-least') => checkNumber(name, values[name]);
  return {
    paths: positionals,
    workers: number('workers'),
    budget: number('seconds') * 1_000,
    tests: values.tests === undefined ? undefined : new RegExp(values.tests),
    sample: number('sample'),
    atLeast: number('at-least'),
    fresh: values.fresh,
  };
}

function checkNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} takes a whole number\n\n${usage}`);
  return Number(text);
}
