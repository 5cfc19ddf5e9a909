import { formatSums, writeBundle } from '../bundle/write-bundle.ts';
import type { Call, Command } from '../command.ts';
import { convertAuth0 } from '../convert/auth0/convert-auth0.ts';
import type { Conversion, ConvertOptions } from '../convert/conversion.ts';
import { type Database, openDatabase } from '../convert/database.ts';
import { convertKeycloak } from '../convert/keycloak/convert-keycloak.ts';
import { type OpenTable, readTable } from '../convert/read-table.ts';
import { convertSpring } from '../convert/spring/convert-spring.ts';
import { springTables } from '../convert/spring/tables.ts';
import { convertUaa } from '../convert/uaa/convert-uaa.ts';
import { uaaTables } from '../convert/uaa/tables.ts';
import { readUsernameRule } from '../convert/usernames.ts';
import { type ExitCode, exitCodes, UsageError } from '../failures.ts';

const common = { out: 'string', usernames: 'string', 'expand-wildcards': 'string' } as const;

const keycloak: Command = {
  words: ['convert', 'keycloak'],
  args: ['FOLDER|FILE…'],
  summary: 'make a bundle of an export of a realm of Keycloak; --rp-id HOST is the domain of its passkeys',
  options: { ...common, 'rp-id': 'string' },
  run: (call) => convert(call, (options) => convertKeycloak(call.args, { ...options, rpId: findText(call, 'rp-id') })),
};

const isClear = (call: Call) => call.options['clear-text'] === true;

const spring: Command = {
  words: ['convert', 'spring'],
  summary:
    'make a bundle of tables of Spring Security, files or those of a database; --clear-text hashes passwords and secrets that stand there as they are',
  options: { ...common, ...{ clients: 'string', users: 'string', 'database-url': 'string', 'clear-text': 'boolean' } },
  run: (call) =>
    convert(call, (options) => {
      const tables = openTables(call, springTables);
      return convertSpring({ ...options, ...tables, isClear: isClear(call), now: new Date() });
    }),
};

const uaa: Command = {
  words: ['convert', 'uaa'],
  summary:
    'make a bundle of tables of UAA, files or those of a database, of one zone (uaa); --providers names the issuers of users from elsewhere; --clear-text as of spring',
  options: {
    ...{ ...common, clients: 'string', users: 'string', groups: 'string', members: 'string' },
    ...{ providers: 'string', 'database-url': 'string', zone: 'string', 'clear-text': 'boolean' },
  },
  run: (call) =>
    convert(call, (options) => {
      const tables = openTables(call, uaaTables);
      if ((tables.groups === undefined) !== (tables.members === undefined))
        throw new UsageError('--groups and --members come together');
      return convertUaa({ ...options, ...tables, zone: findText(call, 'zone') ?? 'uaa', isClear: isClear(call) });
    }),
};

const auth0: Command = {
  words: ['convert', 'auth0'],
  summary:
    'make a bundle of an export of users of Auth0 (NDJSON), with that of their hashes, and of a list of clients (JSON)',
  options: { ...common, users: 'string', hashes: 'string', clients: 'string' },
  run: (call) =>
    convert(call, (options) => {
      const [users, hashes, clients] = ['users', 'hashes', 'clients'].map((name) => findText(call, name));
      if (users === undefined) throw new UsageError('--users names the export of users');
      return convertAuth0({ ...options, users, hashes, clients });
    }),
};

/** How a database has the tables of a source, by the options that name their files. */
type SourceTables = Record<string, (database: Database) => OpenTable | undefined>;

/** Reads the options that all sources take, and writes what is found into the bundle. */
async function convert(call: Call, read: (options: ConvertOptions) => Conversion): Promise<ExitCode> {
  const out = findText(call, 'out');
  if (out === undefined) throw new UsageError('--out names the bundle to write');
  const usernames = readUsernameRule(findText(call, 'usernames'));
  const { source, lines } = read({ usernames, expandWildcards: findText(call, 'expand-wildcards') });
  const sums = await writeBundle(out, { source, now: new Date(), lines: lines() });
  call.output.print({ bundle: out, ...sums }, formatSums(out, sums));
  return sums.lines.note === 0 ? exitCodes.done : exitCodes.toRead;
}

/** The tables that a source is made of, by the options that name their files: those, or the ones of `--database-url`. */
function openTables<Tables extends SourceTables>(
  call: Call,
  tables: Tables,
): { [Name in keyof Tables]: OpenTable | undefined } {
  const address = findText(call, 'database-url');
  const files = Object.keys(tables).filter((name) => findText(call, name) !== undefined);
  if (address !== undefined && files.length > 0) throw new UsageError(`--database-url comes without --${files[0]}`);
  const database = address === undefined ? undefined : openDatabase(address, call.environment);
  const open = (name: string, find: SourceTables[string]) =>
    database ? find(database) : openFile(findText(call, name));
  const opened = Object.fromEntries(Object.entries(tables).map(([name, find]) => [name, open(name, find)]));
  if (opened.clients === undefined && opened.users === undefined)
    throw new UsageError(
      database
        ? 'the database has no such tables'
        : 'name the tables: --clients FILE, --users FILE, or their database: --database-url URL',
    );
  return opened as { [Name in keyof Tables]: OpenTable | undefined };
}

function openFile(path: string | undefined): OpenTable | undefined {
  return path === undefined ? undefined : (columns) => readTable(path, columns);
}

function findText({ options }: Call, name: string): string | undefined {
  const { [name]: value } = options;
  return typeof value === 'string' ? value : undefined;
}

export const convertCommands = [keycloak, spring, uaa, auth0];
