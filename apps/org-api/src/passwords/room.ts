import type { Clock, HashCost } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import {
  createCheckGuess,
  createDrawnTurns,
  createGuessLimit,
  createKnownNetworks,
} from '@gatehouse/service-kit/guess-limit';
import { createMeteredSlowHash, type Metrics } from '@gatehouse/service-kit/metrics';
import { type Tracing, traceSlowHash } from '@gatehouse/service-kit/tracing';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import type { Events } from '../events/room.ts';
import type { UserStore } from '../users/user-store.ts';
import { createChangeOwnPassword, createSetPassword } from './set-password.ts';
import { createVerifyPassword } from './verify-password.ts';

interface Needs {
  database: Database;
  metrics: Metrics;
  tracing: Tracing | undefined;
  /** Undefined: the usual cost. */
  hashCost: HashCost | undefined;
  users: UserStore;
  usedIdentifiers: UsedIdentifiers;
  events: Events;
  clock: Clock;
}

export type Passwords = ReturnType<typeof createPasswords>;

/** Checks and sets passwords. Guesses are counted and limited, and hashes wait for their turn. */
export function createPasswords(needs: Needs) {
  const { database, metrics, tracing, hashCost, users, usedIdentifiers, events, clock } = needs;
  const slowHash = traceSlowHash(createMeteredSlowHash(metrics, hashCost && { cost: hashCost }), tracing);
  const knownNetworks = createKnownNetworks({ database, clock });
  const guessLimit = createGuessLimit({ database, clock, knownNetworks });
  const drawnTurns = createDrawnTurns({ turns: usedIdentifiers, clock });
  const checkGuess = createCheckGuess({ guessLimit, knownNetworks, drawnTurns });
  const verifyPassword = createVerifyPassword({ users, slowHash, checkGuess, tell: events.tell });
  const setting = { users, slowHash, clock };
  return {
    slowHash,
    verifyPassword,
    setPassword: createSetPassword(setting),
    changeOwnPassword: createChangeOwnPassword({ ...setting, verifyPassword }),
  };
}
