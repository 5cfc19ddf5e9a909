import { spawn } from 'node:child_process';
import { type Children, stopChild } from '../machine/children.ts';

/** Runs a script during a measurement. The function that it gives ends the script, and gives what it printed. */
export function startBeside(children: Children, script: string, args: readonly string[]): () => Promise<string> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return async () => {
    await stopChild(child);
    return output.trim();
  };
}
