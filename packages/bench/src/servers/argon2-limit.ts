import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { percentile } from '../measurement/statistics.ts';
import { argon2Parameters } from '../product/population.ts';

/*
 * Measures how many argon2id verifications a second the cores of this process allow, as many at a time as org-api runs. It
 * runs as a process, `node argon2-limit.js <seconds>`, and writes `window` when it begins and the result as JSON.
 */

const seconds = Number(process.argv[2]);
const concurrency = Math.max(1, availableParallelism() - 1);
const stored = await hash('a password', argon2Parameters);
for (let warmup = 0; warmup < 50; warmup += 1) await verify(stored, 'a password');
const deadline = performance.now() + seconds * 1000;
const latencies: number[] = [];
process.stdout.write('window\n');
const startedAt = performance.now();
await Promise.all(Array.from({ length: concurrency }, verifyUntilDeadline));
const length = (performance.now() - startedAt) / 1000;
const [p50, p99] = [percentile(latencies, 50), percentile(latencies, 99)];
process.stdout.write(`${JSON.stringify({ requests: latencies.length, seconds: length, failures: 0, p50, p99 })}\n`);
// The parent process reads memory and CPU of this process before it ends.
await sleep(100);

async function verifyUntilDeadline(): Promise<void> {
  while (performance.now() < deadline) {
    const begin = performance.now();
    await verify(stored, 'a password');
    latencies.push(performance.now() - begin);
  }
}
