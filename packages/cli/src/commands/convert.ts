import { formatSums, writeBundle } from '../bundle/write-bundle.ts';
import type { Call, Command } from '../command.ts';
import { convertAuth0 } from '../convert/auth0/convert-auth0.ts';
import type { Conversion, ConvertOptions } from '../convert/conversion.ts';
import { convertKeycloak } from '../convert/keycloak/convert-keycloak.ts';
import { convertSpring } from '../convert/spring/convert-spring.ts';
import { convertUaa } from '../convert/uaa/convert-uaa.ts';
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

const spring: Command = {
  words: ['convert', 'spring'],
  summary:
    'make a bundle of tables of Spring Security; --clear-text hashes passwords and secrets that stand there as they are',
  options: { ...common, clients: 'string', users: 'string', 'clear-text': 'boolean' },
  run: (call) =>
    convert(call, (options) => {
      const tables = readTables(call);
      return convertSpring({ ...options, ...tables, isClear: call.options['clear-text'] === true, now: new Date() });
    }),
};

const uaa: Command = {
  words: ['convert', 'uaa'],
  summary: 'make a bundle of tables of UAA, of one zone (uaa); --providers names the issuers of users from elsewhere',
  options: {
    ...{ ...common, clients: 'string', users: 'string', groups: 'string', members: 'string' },
    ...{ providers: 'string', zone: 'string' },
  },
  run: (call) =>
    convert(call, (options) => {
      const [groups, members] = [findText(call, 'groups'), findText(call, 'members')];
      if ((groups === undefined) !== (members === undefined))
        throw new UsageError('--groups and --members come together');
      const [providers, zone = 'uaa'] = [findText(call, 'providers'), findText(call, 'zone')];
      return convertUaa({ ...options, ...readTables(call), groups, members, providers, zone });
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

function readTables(call: Call) {
  const [clients, users] = [findText(call, 'clients'), findText(call, 'users')];
  if (clients === undefined && users === undefined)
    throw new UsageError('name the tables: --clients FILE, --users FILE');
  return { clients, users };
}

function findText({ options }: Call, name: string): string | undefined {
  const { [name]: value } = options;
  return typeof value === 'string' ? value : undefined;
}

export const convertCommands = [keycloak, spring, uaa, auth0];
