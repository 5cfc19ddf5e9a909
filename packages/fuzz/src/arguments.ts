import { parseArgs } from 'node:util';

/** The options of a run. */
export interface FuzzOptions {
  requests: number;
  /** The same seed makes the same requests, but for what the services gave in answers before. */
  seed: number;
  /** `sqlite`, or `mysql://user:password@host:port/name`: a user who may create databases. */
  database: string;
  /** Requests at the same time. */
  connections: number;
}

const usage = `npm run fuzz -- [options]

  --requests n         how many, 100000
  --seed n             of an earlier run; a new one where left out
  --database url       sqlite or mysql://user:password@host:port/name, whose user may create databases; sqlite
  --connections n      at the same time, 64
  --help               this`;

/** Throws an Error with a text for the user: what is wrong, or with `--help` how it is used. */
export function parseArguments(args: string[], newSeed: () => number): FuzzOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      requests: text,
      seed: text,
      database: text,
      connections: text,
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) throw new Error(usage);
  return {
    requests: parseCount('requests', values.requests, 100_000),
    seed: parseCount('seed', values.seed, newSeed()),
    database: values.database ?? 'sqlite',
    connections: parseCount('connections', values.connections, 64),
  };
}

function parseCount(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new Error(`--${option} must be a whole number from 1`);
}
