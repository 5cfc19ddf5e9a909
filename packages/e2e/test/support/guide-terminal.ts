import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { buildAnswerPattern, type Command, isFile, type Step } from './guide.ts';

const execute = promisify(execFile);
const mark = 'end of step';

/** A folder that a reader is in, and the environment there. */
export interface Terminal {
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** A reader's environment: without what this run of the tests says to npm, to Node.js, to services and to applications. */
export function buildReaderEnvironment(programs: string): NodeJS.ProcessEnv {
  const isOfThisRun = /^(npm_(?!config_registry$)|JEST_|AUTH_|NODE_ENV$|NODE_OPTIONS$|FORCE_COLOR$|PORT$|HOST$|CI$)/i;
  const kept = Object.entries(process.env).filter(([name]) => !isOfThisRun.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: [programs, dirname(process.execPath), process.env.PATH].join(delimiter),
    ...{ NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    ...{ DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' },
    ...{ npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false' },
  };
}

/**
 * Does these steps in one shell, so that a command uses variables and the folder of the one before. Checks each answer that
 * a guide shows. Gives the folder that the reader is in then.
 */
export async function doSteps(steps: readonly Step[], { folder, env }: Terminal, timeout: number): Promise<string> {
  const script = [...steps.map(buildScript), 'pwd'].join('\n');
  const options = { cwd: folder, env, timeout, maxBuffer: 2 ** 24 };
  const { stdout } = await execute('bash', ['-e', '-o', 'pipefail', '-c', script], options).catch(
    (error: { stdout: string; stderr: string }) => {
      const printed = error.stdout.split(`${mark}\n`);
      const failed = steps[printed.length - 1];
      throw new Error(`${failed === undefined ? '' : nameStep(failed)} fails: ${printed.at(-1)}${error.stderr}`);
    },
  );
  const answers = stdout.split(`${mark}\n`);
  expect(answers).toHaveLength(steps.length + 1);
  for (const [index, step] of steps.entries()) {
    if (isFile(step) || step.answer === undefined) continue;
    // HTTP ends a header line by \r\n, which curl prints as it is.
    expect(answers[index]?.replaceAll('\r', '').trim()).toMatch(
      new RegExp(`^${buildAnswerPattern(step.answer)}$`, 's'),
    );
  }
  return answers.at(-1)?.trim() ?? folder;
}

const nameStep = (step: Step) => (isFile(step) ? step.path : step.command);

function buildScript(step: Step): string {
  if (!isFile(step)) return `${step.command}echo; echo '${mark}'`;
  const paste = `mkdir -p '${dirname(step.path)}'\ncat > '${step.path}' <<'end of file'\n${step.text}end of file`;
  return `${paste}\necho '${mark}'`;
}

/** An API runs in a terminal of its own, so in the background here, until the shell ends. */
export function startInBackground(step: Command, url: string): Command {
  if (!/^(?:npm start|node) /.test(step.command)) return step;
  const start = `${step.command.trim()} >/dev/null 2>&1 &\ntrap "kill $!" EXIT\n`;
  return { ...step, command: `${start}until curl -s -o /dev/null ${url}/; do sleep 0.1; done\n` };
}

/** A command that goes on. */
export interface RunningCommand {
  /** Everything it wrote. */
  output(): string;
  /** Its exit code, once it ended. */
  ended: Promise<number | null>;
  /** Ends it, and what it started. */
  stop(): Promise<void>;
}

export function startCommand(command: string, { folder, env }: Terminal): RunningCommand {
  // A group of its own, so that what npx starts ends with it.
  const child = spawn('bash', ['-c', command], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    output: () => output,
    ended,
    async stop() {
      signalGroup(child, 'SIGTERM');
      await Promise.race([ended, sleep(3_000, undefined, { ref: false })]);
      signalGroup(child, 'SIGKILL');
      await ended;
    },
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    // All of the group have ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
