import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a code lasts, and how long one must last when it is sent, in milliseconds. */
const [step, margin] = [30_000, 8_000];
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The code that an app shows for a secret in base32 (RFC 6238), written by hand so that it agrees with no library by chance.
 * `steps`: of 30 seconds from `now` (milliseconds).
 */
export function showCode(secret: string, steps = 0, now = Date.now()): string {
  const bits = [...secret].map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / step) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/**
 * The code before the one that an app shows, which is still taken and leaves the next two for later.
 * In the last 8 seconds of a step it waits for the next, because a request that ends after the step would find it two old.
 */
export async function showEarlierCode(secret: string): Promise<string> {
  const left = step - (Date.now() % step);
  if (left < margin) await sleep(left + 10);
  return showCode(secret, -1);
}
