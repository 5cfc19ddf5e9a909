import type { Logger } from '@gatehouse/service-kit';
import { fieldsProblem } from '@gatehouse/shared';

/** Characters of a secret that a person chose; what the server makes is longer. */
const shortest = 16;

/** Rules for client secrets that people choose. */
export interface ChosenSecrets {
  /** Throws a 400 that names `client_secret`, in production. */
  check(secret: string): void;
  /** Says in the log which client has a secret that production would refuse. */
  warnIfShort(clientId: string, secret: string): void;
}

interface Dependencies {
  production: boolean;
  log: Pick<Logger, 'warn'>;
}

export function createChosenSecrets({ production, log }: Dependencies): ChosenSecrets {
  return {
    check(secret) {
      if (!production || secret.length >= shortest) return;
      throw fieldsProblem([{ field: 'client_secret', detail: `must have at least ${shortest} characters` }]);
    },
    warnIfShort(clientId, secret) {
      if (secret.length >= shortest) return;
      log.warn({ clientId }, `the client secret has fewer than ${shortest} characters, which production refuses`);
    },
  };
}
