import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../clock.ts';

/** Milliseconds after which the nonce changes. A nonce is valid in its span and in the next one. */
const span = 60_000;

/** Makes and checks nonces without storing any. All replicas with the same key agree on them (RFC 9449 8 and 9). */
export interface DpopNonces {
  current(): string;
  isGood(nonce: string): boolean;
}

export function createDpopNonces({ getKey, clock }: { getKey(): Buffer; clock: Clock }): DpopNonces {
  const nonceOf = (slot: number) => createHmac('sha256', getKey()).update(`dpop ${slot}`).digest('base64url');
  const currentSlot = () => Math.floor(clock() / span);
  return {
    current: () => nonceOf(currentSlot()),
    isGood: (nonce) => [currentSlot(), currentSlot() - 1].some((slot) => areEqual(nonce, nonceOf(slot))),
  };
}

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
