import type { PublicJwk, SigningAlgorithm } from './signing-key.ts';

/** The states of a key, in their order. */
export const keyStates = ['waiting', 'signing', 'retiring'] as const;

/** A key as an operator sees it. Instants are milliseconds. */
export interface KeySummary {
  kid: string;
  algorithm: SigningAlgorithm;
  generation: number;
  publicJwk: PublicJwk;
  state: (typeof keyStates)[number];
  publishAt: number;
  signFrom: number;
  expiresAt: number;
}

/** The keys with their states at `now`, by algorithm and generation. */
export function summarizeKeys(keys: readonly Omit<KeySummary, 'state'>[], now: number): KeySummary[] {
  const signers = new Map<SigningAlgorithm, number>();
  for (const { algorithm, generation, signFrom } of keys) {
    if (signFrom <= now) signers.set(algorithm, Math.max(generation, signers.get(algorithm) ?? 0));
  }
  return keys
    .map(({ kid, algorithm, generation, publicJwk, publishAt, signFrom, expiresAt }): KeySummary => {
      const state = signFrom > now ? 'waiting' : signers.get(algorithm) === generation ? 'signing' : 'retiring';
      return { kid, algorithm, generation, publicJwk, state, publishAt, signFrom, expiresAt };
    })
    .sort((a, b) => a.algorithm.localeCompare(b.algorithm) || a.generation - b.generation);
}
