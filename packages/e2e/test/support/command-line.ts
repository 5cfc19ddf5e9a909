import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  /** Called with all that was written to stderr, each time that there is more. */
  onAsked?: (stderr: string) => void;
  onStarted?: (child: ChildProcess) => void;
}

/** The tool as a user has it: a process, and a folder for what it keeps, which ends with the test. */
export function createCommandLine(issuer: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-cli-'));
  const run = async (
    args: readonly string[],
    { env = {}, input = '', onAsked, onStarted }: RunOptions = {},
  ): Promise<Run> => {
    const child = spawn(process.execPath, ['packages/cli/dist/main.js', ...args], {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, GATEHOUSE_ISSUER: issuer, XDG_CONFIG_HOME: folder, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onStarted?.(child);
    child.stdin.end(input);
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      output.stdout += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output.stderr += chunk;
      onAsked?.(output.stderr);
    });
    const [code] = await once(child, 'close');
    return { code, ...output };
  };
  return {
    folder,
    run,
    /** The document of a command that must succeed. */
    async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await run([...args, '--output', 'json']);
      if (code !== 0) throw new Error(`${code} ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export type CommandLine = ReturnType<typeof createCommandLine>;

/** Does something once, as soon as the program has asked for it. */
export function onceAsked(pattern: RegExp, act: (found: RegExpExecArray) => void): (stderr: string) => void {
  let isDone = false;
  return (stderr) => {
    const found = isDone ? null : pattern.exec(stderr);
    if (found === null) return;
    isDone = true;
    act(found);
  };
}
