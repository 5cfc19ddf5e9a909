import type { SigningAlgorithm, SigningKey } from './signing-key.ts';

/* Which key signs, and which are shown, follows from the clock alone, so every replica agrees. */

/** The key that signs at `now`. */
export function findSigner(
  keys: readonly SigningKey[],
  algorithm: SigningAlgorithm,
  now: number,
): SigningKey | undefined {
  return (
    keys
      .filter((key) => key.algorithm === algorithm && key.signFrom <= now && key.expiresAt > now)
      // By generation: a rotation in a hurry overtakes one that still waits, for good.
      .reduce<SigningKey | undefined>(
        (newest, key) => (newest && newest.generation >= key.generation ? newest : key),
        undefined,
      )
  );
}

/** Whether the JWKS shows the key at `now`. */
export function isPublished({ publishAt, expiresAt }: SigningKey, now: number): boolean {
  return publishAt <= now && expiresAt > now;
}
