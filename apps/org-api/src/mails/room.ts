import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createGuessCounts } from '@gatehouse/service-kit/guess-limit';
import { defaultAccent } from '@gatehouse/service-kit/html';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { IsFamiliarPlace } from '../users/familiar-place.ts';
import { createLinkTokens } from './link-tokens.ts';
import type { Mail } from './mail.ts';
import { createMailBudget } from './mail-budget.ts';
import { createMailStore } from './mail-store.ts';
import { createMailTransport } from './mail-transport.ts';
import { createOutbox } from './outbox.ts';
import { type MailSending, startSendingMails } from './send-mails.ts';
import { createTellNewSignIn } from './tell-new-sign-in.ts';

interface Needs {
  config: Pick<
    Config,
    | 'authUrl'
    | 'mailTarget'
    | 'mailFrom'
    | 'mailCa'
    | 'displayName'
    | 'helpUrl'
    | 'accentColor'
    | 'mailsPerHour'
    | 'notifyNewSignIn'
    | 'credentialsKey'
    | 'previousCredentialsKey'
  >;
  database: Database;
  isFamiliarPlace: IsFamiliarPlace;
  usedIdentifiers: UsedIdentifiers;
  events: Events;
  clock: Clock;
  log: Logger;
}

export type Mails = ReturnType<typeof createMails>;

/** Keeps mails and sends them. It knows no links but by their ids. */
export function createMails({ config, database, isFamiliarPlace, usedIdentifiers, events, clock, log }: Needs) {
  const { credentialsKey: current, previousCredentialsKey: previous, mailTarget: target, mailFrom } = config;
  const { authUrl, displayName, helpUrl, accentColor, mailsPerHour } = config;
  const mails = createMailStore(database);
  const linkTokens = createLinkTokens({ current, previous });
  const isOn = target !== undefined && mailFrom !== undefined;
  let sending: MailSending | undefined;
  const outbox = createOutbox({ mails, isOn, look: () => sending?.look(), clock });
  const guessCounts = createGuessCounts({ database, clock });
  const mailBudget = createMailBudget({ guessCounts, usedIdentifiers, mailsPerHour, clock });
  const tellNewSignIn = createTellNewSignIn({ config, mailBudget, isFamiliarPlace, mails: outbox });
  return {
    ...outbox,
    linkTokens,
    mailBudget,
    tellNewSignIn,
    /** Begins to send. `handle`: does what was asked for by a name. `stands`: whether the link with a token still does. */
    start({ handle, stands }: { handle(asked: Mail): Promise<void>; stands(token: string): Promise<boolean> }): void {
      if (target === undefined || mailFrom === undefined) return;
      const { hostname: host } = new URL(authUrl);
      const transport = createMailTransport({ target, from: mailFrom, displayName, ca: config.mailCa, host, log });
      const frame = { authUrl, displayName, helpUrl, linkColour: accentColor ?? defaultAccent.light };
      const common = { mails, transport, linkTokens, frame, handle, stands, ...events };
      sending = startSendingMails({ ...common, clock, repeat: repeatByTimer, log });
    },
    close: async (): Promise<void> => sending?.stop(),
  };
}
