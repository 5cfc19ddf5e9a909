import { type Clock, createEncryption, type Logger, repeatByTimer, type SlowHash } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Groups } from '../groups/room.ts';
import type { Identities } from '../identities/room.ts';
import type { MailedLinks } from '../mailed-links/room.ts';
import type { Mails } from '../mails/room.ts';
import type { Methods } from '../methods/room.ts';
import type { Passwords } from '../passwords/room.ts';
import { createDeletedUsers } from '../users/deleted-users.ts';
import { createErasures } from '../users/erasures.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import type { UserStore } from '../users/user-store.ts';
import { createAcceptInvitation } from './accept-invitation.ts';
import { createChangeEmail } from './change-email.ts';
import { createDecideEmailChange } from './decide-email-change.ts';
import { createDeleteUser } from './delete-user.ts';
import { createDescribeLink } from './describe-link.ts';
import { createEmailChangeStore } from './email-change-store.ts';
import { createEraseUsers } from './erase-users.ts';
import { createInvitations } from './invitations.ts';
import { createRegisterByLink } from './register-by-link.ts';
import { createRequestLinks } from './request-link.ts';
import { createSendVerification } from './send-verification.ts';
import { createReset, createSetPasswordByLink } from './set-password-by-link.ts';
import { createRemoveFirstMethod, createSetUpByLink } from './set-up-by-link.ts';
import { createUseLink, createVerify } from './use-link.ts';

interface Needs {
  config: Pick<
    Config,
    | 'auditRetentionDays'
    | 'authUrl'
    | 'credentialsKey'
    | 'previousCredentialsKey'
    | 'isRegistrationOpen'
    | 'registrationDomains'
    | 'usernameDomain'
  >;
  database: Database;
  groups: Groups;
  identities: Identities['identities'];
  users: UserStore;
  isManagedElsewhere: IsManagedElsewhere;
  mails: Mails;
  mailedLinks: MailedLinks;
  methods: Methods;
  passwords: Passwords;
  slowHash: SlowHash;
  events: Events;
  clock: Clock;
  log: Logger;
}

export type Links = ReturnType<typeof createLinks>;

/** Milliseconds. */
const lookEvery = 60_000;

/** Links that are mailed: made, shown, and used once. */
export function createLinks(needs: Needs) {
  const { config, database, groups, identities, users, mails, mailedLinks, methods, passwords } = needs;
  const { isManagedElsewhere, slowHash, events, clock, log } = needs;
  const { credentialsKey: current, previousCredentialsKey: previous } = config;
  const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous });
  const emailChanges = createEmailChangeStore(database);
  const { links } = mailedLinks;
  const people = { users, isManagedElsewhere };
  const stores = { ...people, ...mailedLinks, emailChanges, mails, audit: events.audit, clock, log };
  const changeEmail = createChangeEmail(stores);
  const describe = createDescribeLink({ encryption });
  const common = { ...stores, ...methods, ...passwords, mailBudget: mails.mailBudget, describe, changeEmail, slowHash };
  const setPassword = createSetPasswordByLink(common);
  const decide = createDecideEmailChange(common);
  const uses = {
    reset: createReset({ ...common, setPassword }),
    verify: createVerify(common),
    invitation: createAcceptInvitation({ ...common, setPassword }),
    email_old: decide,
    email_new: decide,
    set_up: createSetUpByLink(common),
    first_method: createRemoveFirstMethod(common),
  };
  const forget = async (userId: string): Promise<void> => {
    await Promise.all([links.deleteOfUser(userId), emailChanges.deleteOfUser(userId)]);
  };
  const ofGroups = { forget: groups.groupMembers.deleteOfUser };
  const ofIdentities = { forget: identities.deleteOfUser };
  const deletedUsers = createDeletedUsers({ database, clock });
  const deleteUser = createDeleteUser({
    ...{ users, deletedUsers },
    keepers: [methods, mails, { forget }, ofGroups, ofIdentities],
  });
  const erasures = createErasures({ database, retentionDays: config.auditRetentionDays });
  const { eraseUser, finishErasures, finishUndone } = createEraseUsers({
    database,
    users,
    erasures,
    deleteUser,
    clock,
  });
  let stops: (() => void)[] = [];
  return {
    requestLinks: createRequestLinks({ ...common, config, encryption }),
    sendVerification: createSendVerification(common),
    invitations: createInvitations({ ...common, config, linkTokens: mails.linkTokens }),
    useLink: createUseLink({
      ...{ ...common, config, uses },
      registerByLink: createRegisterByLink({ ...common, config, methods }),
    }),
    changeEmail,
    /** Begins to look for changes of addresses whose time to refuse is over, and for erasures that are to be finished. */
    start(): void {
      const look = (task: () => Promise<void>, text: string) => () =>
        void task().catch((error: unknown) => log.warn({ err: error }, text));
      const finish = look(finishErasures, 'erasures could not be finished');
      finish();
      look(finishUndone, 'erasures could not be finished')();
      stops = [
        repeatByTimer(look(changeEmail.applyDue, 'changes of addresses that are due could not be read'), lookEvery),
        repeatByTimer(finish, lookEvery),
      ];
    },
    close(): void {
      for (const stop of stops) stop();
    },
    forget,
    deletedUsers,
    deleteUser,
    erasures,
    eraseUser,
  };
}
