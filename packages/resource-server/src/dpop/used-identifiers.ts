import type { Clock } from '../clock.ts';

/** Remembers the identifiers of proofs until they expire, so that each proof works once (RFC 9449 11.1). */
export interface UsedIdentifiers {
  /** False where the identifier was used before. `expiresAt` is in milliseconds. */
  use(identifierHash: Buffer, expiresAt: number): Promise<boolean>;
}

const mostRemembered = 200_000;

/**
 * Remembers identifiers in this process alone. Several processes of one API need a store that they share. Where there
 * are too many, the oldest are forgotten, and proofs as old as those are refused from then on: no proof ever works twice.
 */
export function createUsedIdentifiers({
  clock,
  most = mostRemembered,
}: {
  clock: Clock;
  most?: number;
}): UsedIdentifiers {
  const used = new Map<string, number>();
  let forgottenUntil = 0;
  const makeRoom = () => {
    for (const [name, expiresAt] of used) {
      if (expiresAt > clock() && used.size < most) return;
      used.delete(name);
      forgottenUntil = Math.max(forgottenUntil, expiresAt);
    }
  };
  return {
    async use(identifierHash, expiresAt) {
      const name = identifierHash.toString('base64');
      if (expiresAt <= forgottenUntil || (used.get(name) ?? Number.NEGATIVE_INFINITY) > clock()) return false;
      makeRoom();
      used.delete(name);
      used.set(name, expiresAt);
      return true;
    },
  };
}
