/** Writes a part of the result to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes progress to stderr, apart from the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Runs a script and sets its exit code; a failure writes one clear line and sets 1. */
export async function runScript(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
