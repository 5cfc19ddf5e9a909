import { parseArgs } from 'node:util';

/** The arguments of a run. */
export interface BenchOptions {
  /** `sqlite`, or `mysql://user:password@host:port/name`: a user who may create databases. */
  database: string;
  /** Names of cases; undefined: all. */
  cases: string[] | undefined;
  /** The number of windows of each variant. */
  rounds: number;
  /** Length of a window. */
  seconds: number;
  /** Warm-up before each window. */
  warmupSeconds: number;
  /** Length of the one warm-up of code that runs so seldom that V8 compiles it late. */
  settleSeconds: number;
  /** How long a server rests after its start before its memory is read. */
  restSeconds: number;
  /** Whether a run is long enough to say that a goal is met or missed. */
  judgesGoals: boolean;
  connections: number;
  /** Number of clients, users and tokens in the cases that use many. */
  population: number;
  /** The name of the result files. */
  name: string;
  /** Folder for the services' logs. */
  logs: string | undefined;
  list: boolean;
  /** Of `bench:large`: the share of its rows, 1 for all. */
  scale: number;
}

const full = {
  rounds: 5,
  seconds: 5,
  warmupSeconds: 1,
  settleSeconds: 30,
  restSeconds: 30,
  judgesGoals: true,
  population: 10_000,
};
const quick: typeof full = {
  rounds: 1,
  seconds: 1,
  warmupSeconds: 0.3,
  settleSeconds: 0,
  restSeconds: 4,
  judgesGoals: false,
  population: 1_000,
};

const usage = `npm run bench -- [options]

  --quick              one short round of everything, less than 2 minutes; judges no goal
  --cases a,b          only these cases (--list names them)
  --rounds n           turns of each variant, ${full.rounds}
  --seconds n          length of a window, ${full.seconds}
  --connections n      at the same time, 64
  --database url       sqlite or mysql://user:password@host:port/name; BENCH_MYSQL_URL, TEST_MYSQL_URL, else sqlite
  --name name          of the result files, from the database and --quick
  --logs folder        keeps the services' logs there
  --list               names the cases
  --scale n            of bench:large, the share of its millions of rows, 1
  --help               this`;

/** Throws an Error with a text for the user: what is wrong, or with `--help` how it is used. */
export function parseArguments(args: string[], env: Record<string, string | undefined>): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      cases: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      database: { type: 'string' },
      name: { type: 'string' },
      logs: { type: 'string' },
      scale: { type: 'string' },
    },
  });
  if (values.help) throw new Error(usage);
  const size = values.quick ? quick : full;
  const database = values.database ?? env.BENCH_MYSQL_URL ?? env.TEST_MYSQL_URL ?? 'sqlite';
  return {
    ...size,
    database,
    cases: values.cases?.split(','),
    rounds: parseCount('rounds', values.rounds, size.rounds),
    seconds: parseCount('seconds', values.seconds, size.seconds),
    connections: parseCount('connections', values.connections, 64),
    name: parseName(values.name ?? `${database === 'sqlite' ? 'sqlite' : 'mysql'}${values.quick ? '-quick' : ''}`),
    logs: values.logs,
    list: values.list,
    scale: parseShare('scale', values.scale),
  };
}

function parseCount(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`--${option} must be a number from 1 to 9999`);
}

function parseShare(option: string, text = '1'): number {
  const share = Number(text);
  if (share > 0 && share <= 1) return share;
  throw new Error(`--${option} must be a number above 0, at most 1`);
}

function parseName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw new Error('--name must be 1–64 letters, digits, dots, hyphens or underscores');
}
