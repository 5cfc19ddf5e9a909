import type { Clock, SlowHash } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import {
  createCheckGuess,
  createDrawnTurns,
  createGuessLimit,
  type KnownNetworks,
} from '@gatehouse/service-kit/guess-limit';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Methods } from '../methods/room.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import { createSharedKeyStore } from '../users/shared-key-store.ts';
import type { UserStore } from '../users/user-store.ts';
import { createFindDecoy } from './decoys.ts';
import { createNewPasswords } from './new-password.ts';
import { createChangeOwnPassword, createReplaceOwnPassword, createSetPassword } from './set-password.ts';
import { createVerifyPassword } from './verify-password.ts';

interface Needs {
  config: Pick<Config, 'passwordMinLength' | 'isBreached'>;
  database: Database;
  slowHash: SlowHash;
  knownNetworks: KnownNetworks;
  methods: Methods;
  users: UserStore;
  isManagedElsewhere: IsManagedElsewhere;
  usedIdentifiers: UsedIdentifiers;
  events: Events;
  clock: Clock;
}

export type Passwords = ReturnType<typeof createPasswords>;

/** Checks and sets passwords. Guesses are counted and limited, and hashes wait for their turn. */
export function createPasswords(needs: Needs) {
  const { config, database, slowHash, knownNetworks, methods, users, isManagedElsewhere } = needs;
  const { usedIdentifiers, events, clock } = needs;
  const guessLimit = createGuessLimit({ database, clock, knownNetworks });
  const drawnTurns = createDrawnTurns({ turns: usedIdentifiers, clock });
  const checkGuess = createCheckGuess({ guessLimit, knownNetworks, drawnTurns });
  const verifyPassword = createVerifyPassword({
    users,
    slowHash,
    findDecoy: createFindDecoy({ database, sharedKeys: createSharedKeyStore(database), clock }),
    isManagedElsewhere,
    checkGuess,
    ...methods,
    ...events,
  });
  const newPasswords = createNewPasswords({ config, isBreached: config.isBreached });
  const setting = { users, slowHash, newPasswords, clock };
  const replaceOwnPassword = createReplaceOwnPassword({ ...setting, verifyPassword });
  return {
    verifyPassword,
    newPasswords,
    setPassword: createSetPassword(setting),
    replaceOwnPassword,
    changeOwnPassword: createChangeOwnPassword({ newPasswords, replaceOwnPassword, isManagedElsewhere }),
  };
}
