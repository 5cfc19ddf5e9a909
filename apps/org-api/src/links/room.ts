import { type Clock, createEncryption, type SlowHash } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createGuessCounts } from '@gatehouse/service-kit/guess-limit';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import { createMailBudget } from '../mails/mail-budget.ts';
import type { Mails } from '../mails/room.ts';
import type { Methods } from '../methods/room.ts';
import type { Passwords } from '../passwords/room.ts';
import type { UserStore } from '../users/user-store.ts';
import { createInvitations } from './invitations.ts';
import { createLinkStore } from './link-store.ts';
import { createMakeLink, createRepeatLink } from './make-link.ts';
import { createRequestLinks } from './request-link.ts';
import { createUseLink } from './use-link.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'mailsPerHour' | 'credentialsKey' | 'previousCredentialsKey'>;
  database: Database;
  users: UserStore;
  mails: Mails;
  methods: Methods;
  passwords: Passwords;
  slowHash: SlowHash;
  events: Events;
  clock: Clock;
}

export type Links = ReturnType<typeof createLinks>;

/** Links that are mailed: made, shown, and used once. */
export function createLinks({ config, database, users, mails, methods, passwords, slowHash, events, clock }: Needs) {
  const { mailsPerHour, credentialsKey: current, previousCredentialsKey: previous } = config;
  const mailBudget = createMailBudget({ guessCounts: createGuessCounts({ database, clock }), mailsPerHour });
  const encryption = createEncryption({ variable: 'CREDENTIALS_KEY', current, previous });
  const links = createLinkStore(database);
  const makeLink = createMakeLink({ links, linkTokens: mails.linkTokens, clock });
  const repeatLink = createRepeatLink({ links, linkTokens: mails.linkTokens, makeLink, clock });
  const common = { encryption, users, mails, mailBudget, links, makeLink, slowHash, audit: events.audit, clock };
  return {
    requestLinks: createRequestLinks({ ...common, repeatLink }),
    invitations: createInvitations({ ...common, config, linkTokens: mails.linkTokens }),
    useLink: createUseLink({ ...common, ...methods, ...passwords }),
    forget: (userId: string): Promise<void> => links.deleteOfUser(userId),
  };
}
