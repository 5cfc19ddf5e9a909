import { parseArgs } from 'node:util';

/** Options of one run. */
export interface MutantsOptions {
  /** Source files and folders of them; none: the source files that changed. */
  paths: string[];
  /** The commit that the working tree is compared with to find the source files that changed. */
  since: string;
  /** Milliseconds of tests for one mutant. */
  budget: number;
}

const usage = `npm run mutants -- [options] [path …]

  path            a source file or a folder of them; without one, the source files that changed
  --since commit  compares with this commit, HEAD
  --seconds n     of tests for one mutant, 30
  --help          prints this`;

/** Throws an Error with a text for the user: what is wrong, or with `--help` the usage. */
export function parseArguments(args: string[]): MutantsOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      since: { type: 'string', default: 'HEAD' },
      seconds: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) throw new Error(usage);
  if (!/^\d+$/.test(values.seconds)) throw new Error(`--seconds takes a whole number\n\n${usage}`);
  return { paths: positionals, since: values.since, budget: Number(values.seconds) * 1_000 };
}
