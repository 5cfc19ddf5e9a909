import { runWithCertificates } from './certificates.ts';
import type { Command } from './command.ts';
import { clientCommands } from './commands/clients.ts';
import { convertCommands } from './commands/convert.ts';
import { groupCommands } from './commands/groups.ts';
import { importCommand } from './commands/import.ts';
import { keyCommands } from './commands/keys.ts';
import { projectCommands } from './commands/project.ts';
import { userCommands } from './commands/users.ts';
import { confirmOnTerminal } from './confirm.ts';
import { findAccess } from './connection/access.ts';
import { createApi } from './connection/api.ts';
import { discover, readIssuer } from './connection/discover.ts';
import { createSend } from './connection/send.ts';
import { type ExitCode, exitCodes, SignInNeeded, StepError, UsageError } from './failures.ts';
import { readVersion, writeHelp } from './help.ts';
import { createOutput } from './output.ts';
import { type CommandLine, readArguments } from './read-arguments.ts';
import { login } from './sign-in/login.ts';
import { logout } from './sign-in/logout.ts';
import { verify } from './verify/verify.ts';

const commands: readonly Command[] = [
  login,
  logout,
  ...clientCommands,
  ...userCommands,
  ...groupCommands,
  ...keyCommands,
  ...projectCommands,
  ...convertCommands,
  importCommand,
  verify,
];

/** Runs the command that the arguments name, and gives the code that the process ends with. */
export async function run(given: readonly string[], environment: NodeJS.ProcessEnv): Promise<ExitCode> {
  const output = createOutput({ json: false, quiet: false });
  try {
    const { command, args, options } = readArguments(given, commands);
    if (options.version === true) output.print(readVersion(), readVersion());
    if (options.help === true) output.print(undefined, writeHelp(command, commands));
    if (command === undefined || options.version === true || options.help === true) return exitCodes.done;
    const ca = options.ca === undefined ? undefined : await runWithCertificates(String(options.ca), environment);
    return ca ?? (await runCommand(command, args, options, environment));
  } catch (error) {
    const { text, code } = describe(error);
    output.ask(`gatehouse: ${text.replace(/\s+/g, ' ')}`);
    if (error instanceof StepError) for (const line of error.lines) output.ask(line);
    return code;
  }
}

async function runCommand(
  command: Command,
  args: readonly string[],
  options: CommandLine['options'],
  environment: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  const { output: format = 'text', timeout = '10', quiet = false } = options;
  if (format !== 'text' && format !== 'json') throw new UsageError('--output takes text or json');
  if (!/^[1-9]\d{0,3}$/.test(String(timeout))) throw new UsageError('--timeout takes seconds');
  const output = createOutput({ json: format === 'json', quiet: quiet === true });
  const send = createSend({ timeout: Number(timeout), note: output.note });
  const find = () => {
    const insecureHttp = options['insecure-http'] === true;
    const named = options.issuer === undefined ? environment.GATEHOUSE_ISSUER : String(options.issuer);
    return discover(readIssuer(named, { insecureHttp }), send, { insecureHttp });
  };
  return command.run({
    ...{ args, options, output, environment, send, discover: find },
    async connect() {
      const installation = await find();
      const sendAuthorized = findAccess(environment, installation, send);
      const step = command.words.join(' ');
      return {
        authServer: createApi(installation.issuer, step, sendAuthorized),
        orgApi: createApi(installation.orgApi, step, sendAuthorized),
      };
    },
    confirm: async (question) => {
      if (options.yes !== true) await confirmOnTerminal(question);
    },
  });
}

function describe(error: unknown): { text: string; code: ExitCode } {
  if (error instanceof UsageError) return { text: error.message, code: exitCodes.usage };
  if (error instanceof SignInNeeded) {
    const flags = [error.acr && `--acr ${error.acr}`, error.maxAge && `--max-age ${error.maxAge}`].filter(Boolean);
    const text = `sign-in: ${error.message}: run ${['gatehouse login', ...flags].join(' ')}`;
    return { text, code: exitCodes.failed };
  }
  const text = error instanceof StepError ? error.message : `failed: ${String(error)}`;
  return { text, code: exitCodes.failed };
}
