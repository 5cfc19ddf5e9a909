import { type Clock, createEncryption, type SlowHash } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createGuessCounts, type KnownNetworks } from '@gatehouse/service-kit/guess-limit';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Identities } from '../identities/room.ts';
import type { MailedLinks } from '../mailed-links/room.ts';
import type { Mails } from '../mails/room.ts';
import type { IsFamiliarPlace } from '../users/familiar-place.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import type { UserStore } from '../users/user-store.ts';
import { createAddMethod } from './add-method.ts';
import { createMethodAdministration } from './administer-methods.ts';
import { createChangeOwnMethods } from './change-own-methods.ts';
import { createCheckCode } from './check-code.ts';
import { createCheckPasskey } from './check-passkey.ts';
import { createCodeAppSecrets } from './code-app-secrets.ts';
import { createCodeAppStore } from './code-app-store.ts';
import { createCodeGuesses } from './code-guesses.ts';
import { createDescribeMethods } from './describe-methods.ts';
import { createGuardedPasswords } from './guarded-passwords.ts';
import { createListMethods } from './list-methods.ts';
import { createNeedsLink } from './needs-link.ts';
import { createPasskeyStore } from './passkey-store.ts';
import { createRecoveryCodeStore } from './recovery-code-store.ts';
import { createRemoveMethod } from './remove-method.ts';
import { createFindSecondStep } from './second-step.ts';
import { createTellFirstMethod } from './tell-first-method.ts';

interface Needs {
  config: Pick<Config, 'credentialsKey' | 'previousCredentialsKey'>;
  database: Database;
  users: UserStore;
  identities: Identities['identities'];
  slowHash: SlowHash;
  knownNetworks: KnownNetworks;
  mails: Pick<Mails, 'isOn' | 'notify' | 'mailLink' | 'tellNewSignIn'>;
  mailedLinks: MailedLinks;
  isFamiliarPlace: IsFamiliarPlace;
  isManagedElsewhere: IsManagedElsewhere;
  events: Events;
  clock: Clock;
}

export type Methods = ReturnType<typeof createMethods>;

/** The methods by which users prove who they are, other than passwords: passkeys, code apps and recovery codes. */
export function createMethods(needs: Needs) {
  const { config, database, users, identities, slowHash, knownNetworks, mails, mailedLinks } = needs;
  const { isManagedElsewhere, events, clock } = needs;
  const { credentialsKey: current, previousCredentialsKey: previous } = config;
  const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous });
  const codeApps = createCodeAppStore(database);
  const codeAppSecrets = createCodeAppSecrets({ codeApps, encryption });
  const passkeys = createPasskeyStore(database);
  const recoveryCodes = createRecoveryCodeStore(database);
  const guardedPasswords = createGuardedPasswords(database);
  const codeGuesses = createCodeGuesses({ guessCounts: createGuessCounts({ database, clock }), clock });
  const stores = { users, identities, codeApps, codeAppSecrets, passkeys, recoveryCodes, guardedPasswords };
  const { notify, tellNewSignIn } = mails;
  const needsLink = createNeedsLink(needs);
  const tellFirstMethod = createTellFirstMethod({ ...mailedLinks, mails });
  const mailing = { notify, tellNewSignIn, tellFirstMethod, needsLink };
  const common = { ...stores, ...mailing, slowHash, isManagedElsewhere, audit: events.audit, clock };
  const addMethod = createAddMethod(common);
  const describeMethods = createDescribeMethods(stores);
  const removeMethod = createRemoveMethod({ ...stores, clock });
  return {
    passkeys,
    codeAppSecrets,
    findSecondStep: createFindSecondStep(stores),
    checkCode: createCheckCode({ ...common, codeGuesses, knownNetworks, tell: events.tell }),
    checkPasskey: createCheckPasskey({ ...common, knownNetworks, tell: events.tell }),
    listMethods: createListMethods(common),
    describeMethods,
    addMethod,
    removeMethod,
    changeOwnMethods: createChangeOwnMethods({ ...common, addMethod, removeMethod }),
    methodAdministration: createMethodAdministration({ ...stores, describeMethods, removeMethod, notify }),
    /** Encrypts secrets again that the previous key encrypted, where there is one. */
    renewSecrets: async () => {
      if (previous !== undefined) await codeAppSecrets.renew();
    },
    /** Deletes the methods of a user who is deleted. */
    async forget(userId: string): Promise<void> {
      await Promise.all([
        codeApps.delete(userId),
        passkeys.deleteOfUser(userId, clock()),
        recoveryCodes.deleteAll(userId),
      ]);
    },
  };
}
