import { createInterface } from 'node:readline/promises';
import { StepError, UsageError } from './failures.ts';
import { toTerminalText } from './terminal-text.ts';

/** Asks on the terminal. Throws a UsageError where there is none, and a StepError where the answer is not yes. */
export async function confirmOnTerminal(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError('there is no terminal to ask at: use --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${toTerminalText(question)} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new StepError('confirmation', 'nothing was done');
  } finally {
    terminal.close();
  }
}
