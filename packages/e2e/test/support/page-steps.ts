import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

/** A command of a page, and the answer that stands below it; undefined where none does. */
export interface PageStep {
  command: string;
  answer: string | undefined;
}

/** The commands of a page in their order. An answer is a block `text` directly below its command. */
export function readSteps(page: string): PageStep[] {
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm);
  return [...blocks].map(([, command = '', answer]) => ({ command, answer }));
}

/** The blocks of a page that are of one language, such as a configuration. */
export function readBlocks(page: string, language: string): string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, block = '']) => block);
}

/** The part of a page from one heading to the next of its level. */
export function readSection(page: string, heading: string): string {
  const level = heading.split(' ', 1)[0] ?? '';
  const [, rest] = page.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`the page has no heading ${heading}`);
  return rest.split(`\n${level} `, 1)[0] ?? '';
}

/** In an answer, … stands for anything. */
function patternOf(answer: string): RegExp {
  const parts = answer.trimEnd().split('…');
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's');
}

/**
 * Runs the commands in one shell, because a later command uses the variables of an earlier one, and compares what each
 * prints with the answer below it. A command that fails ends the test.
 */
export async function runSteps(
  steps: readonly PageStep[],
  { cwd, env = {}, timeout = 50_000 }: { cwd?: string; env?: Record<string, string>; timeout?: number } = {},
): Promise<void> {
  const mark = 'end of step';
  const script = steps.map(({ command }) => `${command}echo; echo '${mark}'`).join('\n');
  const options = { timeout, env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) };
  const run = promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], options);
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    const printed = error.stdout.split(`${mark}\n`);
    throw new Error(`failed: ${steps[printed.length - 1]?.command}${printed.at(-1)}${error.stderr}`);
  });
  const answers = stdout.split(`${mark}\n`).slice(0, -1);
  expect(answers).toHaveLength(steps.length);
  for (const [index, { answer }] of steps.entries()) {
    if (answer !== undefined) expect(answers[index]?.replaceAll('\r', '').trim()).toMatch(patternOf(answer));
  }
}
