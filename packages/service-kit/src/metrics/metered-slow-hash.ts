import { createSlowHash, type SlowHash, type SlowHashOptions } from '../slow-hash.ts';
import type { Metrics } from './metrics.ts';

/** Seconds; from a hash at once to the longest a hash may wait. */
const buckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Creates argon2id with metrics of its queue, which sign-ins wait in. */
export function createMeteredSlowHash(metrics: Metrics, options: SlowHashOptions = {}): SlowHash {
  const waits = metrics.histogram({
    name: 'gatehouse_password_hash_wait_seconds',
    help: 'Time that password and secret hashes waited for their turn',
    buckets,
  });
  const durations = metrics.histogram({
    name: 'gatehouse_password_hash_duration_seconds',
    help: 'Time that password and secret hashes took, without the wait',
    buckets,
  });
  const givenUp = metrics.counter({
    name: 'gatehouse_password_hash_given_up_total',
    help: 'Hashes that waited for too long and were answered 503',
  });
  const refused = metrics.counter({
    name: 'gatehouse_password_hash_refused_total',
    help: 'Hashes that found no place in the queue and were answered 503 at once',
  });
  const slowHash = createSlowHash({
    ...options,
    observer: {
      waited: (seconds) => waits.observe([], seconds),
      ran: (seconds) => durations.observe([], seconds),
      gaveUp: () => givenUp.add([]),
      refused: () => refused.add([]),
    },
  });
  reportQueue(metrics, slowHash);
  return slowHash;
}

function reportQueue(metrics: Metrics, slowHash: SlowHash): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name: `gatehouse_password_hash_${name}`, help }, () => [[[], read()]]);
  gauge('queue_length', 'Hashes that wait for their turn', slowHash.waiting);
  gauge('running', 'Hashes that are being computed', slowHash.running);
  gauge('concurrency', 'Hashes that may be computed at the same time', () => slowHash.concurrency);
}
