import type { Logger } from '@gatehouse/service-kit';
import type { SigningKeys } from './signing-keys.ts';

/** Milliseconds between two readings of the keys: well below the time for which a new key is shown before it signs. */
const interval = 2_000;

/** Reads the keys again from time to time, so that every replica learns of new ones without a restart. */
export function keepKeysCurrent({ signingKeys, log }: { signingKeys: SigningKeys; log: Logger }) {
  const timer = setInterval(() => {
    signingKeys.load().catch((error: unknown) => log.debug({ err: error }, 'signing keys could not be read again'));
  }, interval);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
