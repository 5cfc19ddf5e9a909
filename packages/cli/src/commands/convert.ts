import { type BundleSums, writeBundle } from '../bundle/write-bundle.ts';
import type { Call, Command } from '../command.ts';
import type { Conversion } from '../convert/conversion.ts';
import { convertKeycloak } from '../convert/keycloak/convert-keycloak.ts';
import { readUsernameRule } from '../convert/usernames.ts';
import { type ExitCode, exitCodes, UsageError } from '../failures.ts';
import { formatTable } from '../output.ts';

const common = { out: 'string', usernames: 'string', 'expand-wildcards': 'string' } as const;

const keycloak: Command = {
  words: ['convert', 'keycloak'],
  args: ['FOLDER|FILE…'],
  summary: 'make a bundle of an export of a realm of Keycloak; --rp-id HOST is the domain of its passkeys',
  options: { ...common, 'rp-id': 'string' },
  run: (call) => convert(call, (options) => convertKeycloak(call.args, { ...options, rpId: findText(call, 'rp-id') })),
};

/** Reads the options that all sources take, and writes what is found into the bundle. */
async function convert(call: Call, read: (options: ReturnType<typeof readOptions>) => Conversion): Promise<ExitCode> {
  const options = readOptions(call);
  const { out } = options;
  const { source, lines } = read(options);
  const sums = await writeBundle(out, { source, now: new Date(), lines });
  call.output.print({ bundle: out, ...sums }, formatSums(out, sums));
  return sums.lines.note === 0 ? exitCodes.done : exitCodes.toRead;
}

function readOptions(call: Call) {
  const out = findText(call, 'out');
  if (out === undefined) throw new UsageError('--out names the bundle to write');
  const usernames = readUsernameRule(findText(call, 'usernames'));
  return { out, usernames, expandWildcards: findText(call, 'expand-wildcards') };
}

function findText({ options }: Call, name: string): string | undefined {
  const { [name]: value } = options;
  return typeof value === 'string' ? value : undefined;
}

function formatSums(out: string, { lines, notes }: BundleSums): string {
  const found = Object.entries(lines).filter(([kind, count]) => kind !== 'note' && count > 0);
  const problems = Object.entries(notes).sort(([one], [other]) => one.localeCompare(other));
  const rows = [
    ...found.map(([kind, count]) => [`${kind}s`, String(count)]),
    ...problems.map(([name, count]) => [`note ${name}`, String(count)]),
  ];
  return `${out}\n${formatTable(rows)}`;
}

export const convertCommands = [keycloak];
