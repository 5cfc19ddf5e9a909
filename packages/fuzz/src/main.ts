import { randomInt } from 'node:crypto';
import { parseArguments } from './arguments.ts';
import { startFuzzedGatehouse } from './fuzzed-gatehouse.ts';
import { runFuzz } from './run.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);
const note = (text: string) => process.stderr.write(`${text}\n`);

/** Starts both services on empty databases and sends them generated requests. */
async function main(): Promise<number> {
  const options = parseArguments(process.argv.slice(2), () => randomInt(1, 2 ** 31));
  const { requests, seed, database, connections } = options;
  print(`seed: ${seed}`);
  const gatehouse = await startFuzzedGatehouse(database);
  const startedAt = performance.now();
  const onProgress = (done: number) => {
    const seconds = (performance.now() - startedAt) / 1000;
    note(`${done} of ${requests}, ${Math.round(done / seconds)} a second`);
  };
  try {
    const { text, isGood } = await runFuzz({ gatehouse, requests, seed, connections, onProgress });
    print(text);
    if (!isGood) print(`\nwhat the services wrote last:\n${gatehouse.output().slice(-20_000)}`);
    return isGood ? 0 : 1;
  } catch (error) {
    print(gatehouse.output().slice(-20_000));
    throw error;
  } finally {
    await gatehouse.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
