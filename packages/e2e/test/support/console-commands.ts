import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

/** Runs lines in a shell that knows nothing but these variables. */
export async function runShell(lines: string, variables: Record<string, string>, cwd?: string): Promise<string> {
  const env = { PATH: process.env.PATH, ...variables };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', lines], { env, cwd });
  return stdout;
}

/** The JSON that a curl command answers, which is no refusal. */
export async function runCurl<Body = Record<string, unknown>>(
  command: string,
  variables: Record<string, string>,
  cwd?: string,
): Promise<Body> {
  const wrapped = `curl() { command curl -sS -w '\\n%{http_code} %{content_type}' "$@"; }\n${command}`;
  const output = await runShell(wrapped, variables, cwd);
  const [, text = '', status, type = ''] = /^(.*)\n(\d+) (.*)$/s.exec(output) ?? [];
  expect([command, text, status]).toEqual([command, text, expect.stringMatching(/^2/)]);
  return (type.startsWith('application/json') ? JSON.parse(text) : {}) as Body;
}
