import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Command } from './command.ts';
import { UsageError } from './failures.ts';

/** The options that every command takes. */
export const commonOptions = {
  issuer: 'string',
  'insecure-http': 'boolean',
  ca: 'string',
  output: 'string',
  quiet: 'boolean',
  timeout: 'string',
  yes: 'boolean',
  help: 'boolean',
  version: 'boolean',
} as const;

export interface CommandLine {
  /** Undefined where only help or the version is asked for. */
  command: Command | undefined;
  args: string[];
  options: Record<string, string | boolean | string[] | undefined>;
}

/** Reads the arguments. Throws a UsageError. */
export function readArguments(given: readonly string[], commands: readonly Command[]): CommandLine {
  const words = given.slice(0, 2);
  const command = commands.find(
    ({ words: [first, second] }) => words[0] === first && (second ?? words[1]) === words[1],
  );
  const { values: options, positionals } = parse(given.slice(command?.words.length ?? 0), command);
  if (options.help === true || options.version === true) return { command, args: [], options };
  if (command === undefined) throw new UsageError(describeUnknown(positionals));
  checkCount(command, positionals);
  return { command, args: positionals, options };
}

function parse(args: string[], command: Command | undefined) {
  const all: Command['options'] = { ...commonOptions, ...command?.options };
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries(all).map(([name, type]) => [
      name,
      type === 'list' ? { type: 'string' as const, multiple: true, short: name.charAt(0) } : { type },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as CommandLine['options'], positionals };
  } catch (error) {
    const [text = ''] = (error as Error).message.split(/\.(?:\s|$)/);
    throw new UsageError(text);
  }
}

function describeUnknown([first, second]: string[]): string {
  if (first === undefined) return 'name a command: gatehouse --help lists them';
  return `there is no command ${[first, second].filter((word) => word !== undefined).join(' ')}: gatehouse --help lists them`;
}

function checkCount(command: Command, { length }: readonly string[]): void {
  const { args = [] } = command;
  const least = args.filter((arg) => !arg.startsWith('[')).length;
  const most = args.at(-1)?.includes('…') ? Number.POSITIVE_INFINITY : args.length;
  if (length < least || length > most) throw new UsageError(`use it as: gatehouse ${formatUsage(command)}`);
}

export function formatUsage({ words, args = [], options = {} }: Command): string {
  const named = Object.entries(options).map(([name, type]) =>
    type === 'list' ? `-${name.charAt(0)} …` : `[--${name}${type === 'string' ? ' …' : ''}]`,
  );
  return [...words, ...args, ...named].join(' ');
}
