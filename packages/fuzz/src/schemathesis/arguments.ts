import { parseArgs } from 'node:util';

/** The version on PyPI that the configuration is written for. */
export const schemathesisVersion = '4.32.5';

/** The options of a run. */
export interface SchemathesisOptions {
  seed: number;
  /** Requests an operation at most, in each phase that generates them. */
  examples: number;
  /** Seconds after which the run of one document is ended, as a failure. */
  seconds: number;
}

const usage = `npm run schemathesis -- [options]

  --seed n       of an earlier run; a new one where left out
  --examples n   at most for each operation, 25
  --seconds n    after which the run of one document is ended, 900
  --help         this`;

/** Throws an Error with a text for the user: what is wrong, or with `--help` how it is used. */
export function parseArguments(args: string[], newSeed: () => number): SchemathesisOptions {
  const text = { type: 'string' } as const;
  const options = { seed: text, examples: text, seconds: text, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help) throw new Error(usage);
  return {
    seed: parseCount('seed', values.seed) ?? newSeed(),
    examples: parseCount('examples', values.examples) ?? 25,
    seconds: parseCount('seconds', values.seconds) ?? 900,
  };
}

function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Error(`--${option} must be a whole number from 1`);
}
