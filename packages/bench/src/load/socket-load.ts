import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { LoadResult } from '../measurement/sample.ts';
import { percentile } from '../measurement/statistics.ts';
import { createAnswerReader, type HttpAnswer } from './answer-reader.ts';
import { type Load, type LoadSize, longestWarmup } from './load.ts';
import { createRequestOrder, type RequestOrder } from './request-order.ts';

/*
 * A load generator of few parts, run as a process: `node socket-load.js <plan.json>`. Each connection sends a request,
 * waits for its answer and sends the next. Writes `window` when the window begins, and at its end the result as JSON.
 */

interface Plan extends LoadSize, Pick<Load, 'port' | 'order'> {
  requestsFile: string;
}

/** Milliseconds for which the generator waits for answers after the window. */
const patience = 10_000;

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Plan;
const requests = readFileSync(plan.requestsFile, 'latin1').split('\0');
run(plan, createRequestOrder(requests, plan.order));

function run({ port, connections, seconds, warmupSeconds, warmupRequests = 0 }: Plan, order: RequestOrder): void {
  let latencies: number[] = [];
  let failures = 0;
  let windowStart = 0;
  let open = connections;
  let finished = false;
  let timer: NodeJS.Timeout | undefined;

  const finish = () => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    const length = (performance.now() - windowStart) / 1000;
    // If no answer came, the whole wait counts.
    const of = (percent: number) => (latencies.length === 0 ? length * 1000 : percentile(latencies, percent));
    const result: LoadResult = { requests: latencies.length, seconds: length, failures, p50: of(50), p99: of(99) };
    process.stdout.write(`${JSON.stringify(result)}\n`);
    // Sends nothing more, but waits for the running requests, which would disturb the next window.
    setTimeout(() => process.exit(0), patience).unref();
  };
  const beginWindow = () => {
    latencies = [];
    windowStart = performance.now();
    clearTimeout(timer);
    process.stdout.write('window\n');
    timer = setTimeout(finish, seconds * 1000);
  };
  const record = (answer: HttpAnswer, sent: string, latency: number) => {
    if (finished) return;
    // A failure counts whenever it happens: one in the warm-up says as much about the server.
    if (answer.status < 200 || answer.status > 299) failures += 1;
    else if (order.learns) order.learn(sent, answer.body.toString());
    latencies.push(latency);
    if (windowStart === 0 && latencies.length === warmupRequests) beginWindow();
  };
  const closeOne = () => {
    open -= 1;
    if (open > 0) return;
    finish();
    process.exit(0);
  };

  for (let index = 0; index < connections; index += 1) {
    startConnection({
      port,
      next: () => (finished ? undefined : order.next()),
      record,
      onEnd: closeOne,
      onError: () => (failures += 1),
    });
  }
  if (warmupSeconds === 0 && warmupRequests === 0) beginWindow();
  else timer = setTimeout(beginWindow, (warmupSeconds || longestWarmup) * 1000);
}

interface Connection {
  port: number;
  /** The next request; undefined where none is left. */
  next(): string | undefined;
  record(answer: HttpAnswer, sent: string, latency: number): void;
  onEnd(): void;
  onError(): void;
}

function startConnection({ port, next, record, onEnd, onError }: Connection): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const reader = createAnswerReader();
  let sent = '';
  let sentAt = 0;
  let done = false;
  const send = () => {
    const request = next();
    done = request === undefined;
    if (request === undefined) return socket.end();
    sent = request;
    sentAt = performance.now();
    return socket.write(request, 'latin1');
  };
  socket.once('connect', send);
  socket.on('data', (chunk: Buffer) => {
    const answer = reader.push(chunk);
    if (answer === undefined) return;
    record(answer, sent, performance.now() - sentAt);
    send();
  });
  socket.on('error', onError);
  socket.once('close', () => {
    // A server that closes a connection which is still in use owes an answer.
    if (!done) onError();
    onEnd();
  });
}
