import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger, Repeat } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { buildMail, type MailFrame } from './build-mail.ts';
import type { LinkTokens } from './link-tokens.ts';
import type { Mail } from './mail.ts';
import type { MailStore } from './mail-store.ts';
import type { MailTransport } from './mail-transport.ts';

/** Milliseconds between looks for mails that are due. */
const interval = 5_000;
/** Milliseconds that the end of the process waits for a mail under way. */
const patience = 2_000;
const batchSize = 20;
const minute = 60_000;
/** Milliseconds from a try to the next one; the last one repeats. */
const delays = [minute, 5 * minute, 15 * minute, 60 * minute];

interface Dependencies {
  mails: MailStore;
  transport: MailTransport;
  linkTokens: LinkTokens;
  frame: MailFrame;
  /** Does what a row asks for that is no mail. */
  handle(asked: Mail): Promise<void>;
  /** Whether the link of a mail still stands. */
  stands(token: string): Promise<boolean>;
  audit: Pick<AuditTrail, 'note'>;
  clock: Clock;
  repeat: Repeat;
  log: Logger;
}

export type MailSending = ReturnType<typeof startSendingMails>;

/**
 * Sends the mails that wait, each by one replica: the one that moved its time. A replica that is killed meanwhile leaves it to the next
 * time, under the same Message-ID.
 */
export function startSendingMails(deps: Dependencies) {
  const { mails, clock, repeat, log } = deps;
  const sendOne = createSendOne(deps);
  const sendDue = async (): Promise<void> => {
    const due = await mails.listDue(clock(), batchSize);
    await Promise.all(due.map((mail) => sendOne(mail).catch((error: unknown) => warn(log, error, mail))));
    if (due.length === batchSize) await sendDue();
  };
  let running: Promise<void> | undefined;
  let isAskedAgain = false;
  const look = (): void => {
    if (running !== undefined) {
      isAskedAgain = true;
      return;
    }
    isAskedAgain = false;
    running = sendDue()
      .catch((error: unknown) => log.warn({ err: error }, 'mails that wait could not be read'))
      .finally(() => {
        running = undefined;
        if (isAskedAgain) look();
      });
  };
  const stop = repeat(look, interval);
  return {
    /** Looks for mails at once. */
    look,
    async stop(): Promise<void> {
      stop();
      isAskedAgain = false;
      deps.transport.close();
      // A server that hangs does not keep the process: what is under way is tried again by another.
      await Promise.race([running, sleep(patience, undefined, { ref: false })]);
    },
  };
}

function createSendOne({ mails, transport, linkTokens, frame, handle, stands, audit, clock }: Dependencies) {
  const giveUp = async (mail: Mail): Promise<void> => {
    const subject = { kind: 'user', id: mail.userId, name: mail.data.username } as const;
    audit.note({
      type: 'mail.failed',
      actor: { kind: 'service', name: 'org-api' },
      ...(mail.userId !== undefined && { subject }),
      details: { mail: mail.kind },
    });
    await mails.delete(mail);
  };
  const send = async (mail: Mail, link: string | undefined, isLast: boolean): Promise<void> => {
    const outgoing = { ...buildMail(mail, link, frame), id: mail.id, to: mail.address, link };
    const result = await transport.send(outgoing).catch((error: unknown) => {
      if (!isLast) throw error;
      return 'refused' as const;
    });
    return result === 'sent' ? mails.delete(mail) : giveUp(mail);
  };
  return async (mail: Mail): Promise<void> => {
    const now = clock();
    const next = now + (delays[mail.tries] ?? (delays.at(-1) as number));
    if (!(await mails.claim(mail, next))) return;
    if (mail.kind === 'recover') {
      await handle(mail);
      return mails.delete(mail);
    }
    if (mail.expiresAt <= now) return giveUp(mail);
    const isLast = next >= mail.expiresAt;
    if (mail.link === undefined) return send(mail, undefined, isLast);
    const token = linkTokens.make(mail.link);
    if (token === undefined) return giveUp(mail);
    // The password or the address changed since, or the link was used.
    if (!(await stands(token))) return mails.delete(mail);
    return send(mail, `${frame.authUrl}/account/link?token=${token}`, isLast);
  };
}

/** The error of a mail server may repeat the address, which is no secret, but never the mail. */
function warn(log: Logger, error: unknown, { id, kind, tries }: Mail): void {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  log.warn(
    { mail: id, kind, tries: tries + 1, code, responseCode, detail: message },
    'a mail could not be sent; it will be tried again',
  );
}
