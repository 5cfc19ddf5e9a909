import { readFile } from 'node:fs/promises';
import { type Dispatcher, Pool } from 'undici';
import { percentile } from '../measurement/statistics.ts';
import type { Stream, StreamResult } from './streams.ts';

/*
 * People who come whether others wait or not, run as a process: `node steady-load.js <streams>`, a JSON file of streams. Sends
 * the requests of each at its rate until it is ended. Then it waits for the last answers, and writes the result of each.
 */

const streams = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as Stream[];
const running = streams.map(startStream);

process.once('SIGTERM', async () => {
  const results = await Promise.all(running.map((stop) => stop()));
  process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
});

function startStream({ name, port, perSecond, requests }: Stream): () => Promise<StreamResult> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 64 });
  const latencies: number[] = [];
  const waiting = new Set<Promise<void>>();
  let failures = 0;
  let sent = 0;
  const send = async ({ body, headers = {}, path, method }: Stream['requests'][number]) => {
    const begin = performance.now();
    const request: Dispatcher.RequestOptions = {
      path,
      headers,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
    };
    try {
      const answer = await pool.request({ ...request, ...(body !== undefined && { body }) });
      await answer.body.dump();
      if (answer.statusCode !== 200) failures += 1;
    } catch {
      failures += 1;
    }
    latencies.push(performance.now() - begin);
  };
  const timer = setInterval(() => {
    const request = requests[sent++ % requests.length];
    if (request === undefined) return;
    const answered = send(request).finally(() => waiting.delete(answered));
    waiting.add(answered);
  }, 1_000 / perSecond);
  return async () => {
    clearInterval(timer);
    await Promise.all(waiting);
    const [p50, p99, max] = [50, 99, 100].map((percent) => percentile(latencies, percent)) as [number, number, number];
    return { name, requests: latencies.length, failures, p50, p99, max };
  };
}
