import { setTimeout as sleep } from 'node:timers/promises';
import type { Dialect } from '@gatehouse/service-kit/database';
import { linkOf, type MailServer, type ReceivedMail, startMailServer } from '@gatehouse/test-kit';
import type { Config } from '../../src/config.ts';
import { parseMailUrl } from '../../src/mails/mail-url.ts';
import { bytesOf } from './methods.ts';
import { authUrl, type Organization, startOrganization } from './organization.ts';

export const mailFrom = 'no-reply@example.com';

export const readTarget = (url: string) => parseMailUrl(url, { production: false, plainHosts: [] });

/** An organization that sends its mails to a server of its own, or to `server`. */
export async function startMailedOrganization(dialect: Dialect, overrides: Partial<Config> = {}, server?: MailServer) {
  const mailServer = server ?? (await startMailServer());
  const mailTarget = readTarget(mailServer.url);
  const organization = await startOrganization(dialect, { mailTarget, mailFrom, notifyNewSignIn: false, ...overrides });
  return {
    organization,
    mailServer,
    ...createMailReader(organization, mailServer),
    async close() {
      await organization.close();
      await mailServer.close();
    },
  };
}

export interface WaitingMail {
  id: string;
  kind: string;
  tries: number;
  dueAt: number;
}

/** Looks at what waits and at what arrived. */
export function createMailReader({ deps }: Pick<Organization, 'deps'>, { mails }: Pick<MailServer, 'mails'>) {
  const listWaiting = async (): Promise<WaitingMail[]> => {
    const sql = 'SELECT * FROM mails ORDER BY id';
    const rows = await deps.database.query<{ id: Buffer; kind: string; tries: number; due_at: number }>(sql);
    return rows.map(({ id, kind, tries, due_at }) => ({
      id: id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
      kind,
      tries: Number(tries),
      dueAt: Number(due_at),
    }));
  };
  /** Waits until no mail waits: what was asked for by name is looked up too. */
  const settle = () => until(async () => (await listWaiting()).length === 0, 'all mails to be sent');
  return {
    listWaiting,
    settle,
    /** All mails that went to an address since the last call. */
    async takeMails(address: string): Promise<ReceivedMail[]> {
      await settle();
      const taken = mails.filter(({ to }) => to.includes(address));
      for (const mail of taken) mails.splice(mails.indexOf(mail), 1);
      return taken;
    },
    /** Lets the process look for mails that are due, and waits until it did. */
    async wake(): Promise<void> {
      await deps.mails.keepAsked('nobody at all', 'en', {}, Number.MAX_SAFE_INTEGER);
      await until(async () => (await listWaiting()).every(({ kind }) => kind !== 'recover'), 'a look for mails');
    },
    async countLinks(user: { id: string }): Promise<number> {
      const sql = 'SELECT COUNT(*) AS links FROM mailed_links WHERE user_id = ?';
      const [row] = await deps.database.query<{ links: number }>(sql, [bytesOf(user)]);
      return Number(row?.links);
    },
  };
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(10);
  }
}

/** The token in the link of a mail. */
export function tokenOf(mail: Pick<ReceivedMail, 'text'> | undefined): string {
  if (mail === undefined) throw new Error('no mail');
  const start = `${authUrl}/account/link?token=`;
  const link = linkOf(mail);
  if (!link.startsWith(start)) throw new Error(`not the address of a link: ${link}`);
  return link.slice(start.length);
}
