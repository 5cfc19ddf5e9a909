/** A part of the result. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Progress, apart from the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs a script to its exit code; a failure is one clear line and 1. */
export async function runScript(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
