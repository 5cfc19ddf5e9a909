import type { Logger, Repeat } from '@gatehouse/service-kit';
import type { SigningKeys } from './signing-keys.ts';

/** Milliseconds between two readings of the keys: well below the time for which a new key is shown before it signs. */
const interval = 2_000;

interface Dependencies {
  signingKeys: SigningKeys;
  repeat: Repeat;
  log: Logger;
}

/** Reads the keys again from time to time, so that every replica learns of new ones without a restart. Gives what ends that. */
export function keepKeysCurrent({ signingKeys, repeat, log }: Dependencies): () => void {
  return repeat(() => {
    signingKeys.load().catch((error: unknown) => log.debug({ err: error }, 'signing keys could not be read again'));
  }, interval);
}
