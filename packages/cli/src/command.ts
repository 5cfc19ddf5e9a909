import type { Api } from './connection/api.ts';
import type { Installation } from './connection/discover.ts';
import type { Send } from './connection/send.ts';
import type { ExitCode } from './failures.ts';
import type { Output } from './output.ts';

type OptionValue = string | boolean | string[] | undefined;

/** The parts that a command is given. */
export interface Call {
  /** Behind the words of the command. */
  args: readonly string[];
  options: Record<string, OptionValue>;
  output: Output;
  environment: NodeJS.ProcessEnv;
  send: Send;
  /** The server that `--issuer` names. */
  discover(): Promise<Installation>;
  /** Its administration, in the name of the administrator whom the environment names. */
  connect(): Promise<{ authServer: Api; orgApi: Api }>;
  /** Returns where the user wants it: `--yes`, or an answer on a terminal. Throws a UsageError. */
  confirm(question: string): Promise<void>;
}

export interface Command {
  words: readonly string[];
  summary: string;
  /** The arguments, as the help names them; an ellipsis lets the last one come several times, brackets not at all. */
  args?: readonly string[];
  /** A list is an option that comes several times; its short name is its first letter. */
  options?: Record<string, 'string' | 'boolean' | 'list'>;
  run(call: Call): Promise<ExitCode>;
}
