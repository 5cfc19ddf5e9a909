import { type Clock, createId, type Logger } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { foldUsername, type LinkRequest, type LinkRequestResult, type WaitingEmailChange } from '@gatehouse/shared';
import { describeOwnDeed, describeUser } from '../events/audit.ts';
import type { LinkStore } from '../mailed-links/link-store.ts';
import { type RepeatLink, repeatedFor } from '../mailed-links/make-link.ts';
import { isPlainAddress } from '../mails/mail.ts';
import type { MailCause, Outbox } from '../mails/outbox.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { type EmailChange, isOldToldOnly, refusableFor } from './email-change.ts';
import type { EmailChangeStore } from './email-change-store.ts';

/** Milliseconds in which both sides confirm. */
const openFor = 24 * 3_600_000;
/** Milliseconds for which a change that all confirmed is tried, once it counts. */
const triedFor = 7 * 24 * 3_600_000;
const batchSize = 20;

type MayMail = (user: User, address: string) => Promise<boolean>;

export type ChangeEmail = ReturnType<typeof createChangeEmail>;

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'moveEmail'>;
  emailChanges: EmailChangeStore;
  links: LinkStore;
  repeatLink: RepeatLink;
  mails: Pick<Outbox, 'mailLink' | 'notify'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
  log: Logger;
}

/** Changes the e-mail address of a user once both sides have confirmed it. */
export function createChangeEmail(deps: Dependencies) {
  const { users, emailChanges, links, repeatLink, mails, audit, clock, log } = deps;
  const endLinks = async (userId: string): Promise<void> => {
    await links.deleteOfPurpose(userId, 'email_old');
    await links.deleteOfPurpose(userId, 'email_new');
  };
  const end = async (change: EmailChange): Promise<boolean> => {
    const isEnded = await emailChanges.delete(change);
    // The links may be those of a change that took its place.
    if (isEnded) await endLinks(change.userId);
    return isEnded;
  };
  /** Whether the user is as then. */
  const fits = (change: EmailChange, { passwordChangedAt, email, emailVerified }: User): boolean => {
    const isSame = change.passwordChangedAt === passwordChangedAt && change.before === email;
    return isSame && (change.oldVerified || !emailVerified);
  };
  const find = async (user: User): Promise<EmailChange | undefined> => {
    const change = await emailChanges.find(user.id);
    return change !== undefined && change.expiresAt > clock() && fits(change, user) ? change : undefined;
  };
  const start = async (user: User, email: string, isStrong: boolean): Promise<EmailChange> => {
    const now = clock();
    const { id: userId, email: before, emailVerified, passwordChangedAt } = user;
    const change = {
      ...{ userId, id: createId(), before, oldVerified: emailVerified, email },
      ...{ passwordChangedAt, createdAt: now, expiresAt: now + openFor },
      oldConfirmed: isStrong || !emailVerified,
      newConfirmed: false,
      countsAt: isStrong && emailVerified ? now + refusableFor : now,
    };
    await endLinks(userId);
    await emailChanges.put(change);
    return change;
  };
  const sendLinks = async (user: User, change: EmailChange, request: LinkRequest): Promise<void> => {
    const { language, browser, address } = request;
    const { id: data, email: after } = change;
    const cause = { address, browser };
    const toNew = { ...user, email: after };
    const newLink = await repeatLink(toNew, 'email_new', { data });
    await mails.mailLink(toNew, { kind: 'email_new', link: newLink, language, expiresAt: newLink.expiresAt }, cause);
    const isTold = isOldToldOnly(change);
    if (change.oldConfirmed && !isTold) return;
    const lifetime = isTold ? refusableFor / 1000 : undefined;
    const oldLink = await repeatLink(user, 'email_old', { data, lifetime });
    const kind = isTold ? 'email_told' : 'email_old';
    await mails.mailLink(user, { kind, link: oldLink, language, expiresAt: oldLink.expiresAt }, cause, { after });
  };
  /** Of a change a moment ago the links are mailed again, so that the first mails work too. */
  const isRepeated = (change: EmailChange | undefined, email: string, isStrong: boolean): change is EmailChange => {
    if (change === undefined || change.email !== email || change.newConfirmed) return false;
    return (change.oldConfirmed || !isStrong) && clock() < change.createdAt + repeatedFor;
  };

  const begin = async (
    user: User,
    { email, strong = false }: { email: string; strong?: boolean },
    request: LinkRequest,
    mayMail: MayMail,
  ): Promise<LinkRequestResult> => {
    if (!isPlainAddress(email)) return { outcome: 'refused', fault: 'no_address' };
    if (foldUsername(email) === foldUsername(user.email)) return { outcome: 'refused', fault: 'same_address' };
    for (const to of user.emailVerified ? [email, user.email] : [email]) {
      if (!(await mayMail(user, to))) return { outcome: 'done' };
    }
    const waiting = await find(user);
    const change = isRepeated(waiting, email, strong) ? waiting : await start(user, email, strong);
    await audit.write({ ...describeOwnDeed(user, request), type: 'email_change.requested' });
    await sendLinks(user, change, request);
    return { outcome: 'done' };
  };

  /** Of several replicas, and of a refusal at the same moment, one statement decides. */
  const apply = async (change: EmailChange, { address, browser }: MailCause = {}): Promise<void> => {
    const user = await users.findById(change.userId);
    if (user === undefined || !user.enabled || !fits(change, user)) {
      // It is void, or was made by a process that was killed then. Where it stayed, those after it would not get their turn.
      await end(change);
      return;
    }
    const { before, email: after, passwordChangedAt } = change;
    const now = clock();
    const gate = emailChanges.whileComplete(change, now);
    if (!(await users.moveEmail(user.id, { before, after, passwordChangedAt, now, gate }))) return;
    await emailChanges.delete(change);
    await links.deleteOfUser(user.id);
    const party = describeUser(user);
    await audit.write({ type: 'user.changed', actor: party, subject: party, details: { fields: ['email'] } });
    const cause = { address, browser };
    await mails.notify(user, 'email_changed', cause, { before, after });
    await mails.notify({ ...user, email: after, emailVerified: true }, 'email_changed', cause, { before, after });
  };

  return {
    find,
    /** For the user: whether one waits, and for what. */
    async describe(user: User): Promise<WaitingEmailChange | undefined> {
      const change = await find(user);
      if (change === undefined) return undefined;
      const { email, oldConfirmed, newConfirmed, countsAt, expiresAt } = change;
      return {
        email,
        waitsFor: [...(oldConfirmed ? [] : ['old' as const]), ...(newConfirmed ? [] : ['new' as const])],
        expiresAt: new Date(expiresAt).toISOString(),
        ...(isOldToldOnly(change) && { countsAt: new Date(countsAt).toISOString() }),
      };
    },
    /** Begins a change, or ends the one that waits. `mayMail`: whether one more mail may go to an address. */
    async take(request: LinkRequest, mayMail: MayMail): Promise<LinkRequestResult> {
      const { signedIn, emailChange } = request;
      const user = signedIn && (await findProvenUser(users, signedIn));
      if (user === undefined) return { outcome: 'changed' };
      if (emailChange?.email !== undefined)
        return begin(user, { ...emailChange, email: emailChange.email }, request, mayMail);
      const waiting = await find(user);
      if (waiting !== undefined) await end(waiting);
      return { outcome: 'done' };
    },
    /** Stores that a side agrees; true for one of several at the same moment, where the change still waits. */
    confirm(change: EmailChange, side: 'old' | 'new'): Promise<boolean> {
      const expiresAt = isOldToldOnly(change) ? change.countsAt + triedFor : change.expiresAt;
      return emailChanges.confirm(change, side, expiresAt);
    },
    /** Changes the address, where all have confirmed it and it counts by now. */
    apply,
    /** True for one of several at the same moment; false where the address was changed a moment before. */
    async refuse(change: EmailChange): Promise<boolean> {
      if (!(await end(change))) return false;
      return (await users.findById(change.userId))?.email === change.before;
    },
    /** Changes the addresses of those whose time to refuse is over. */
    async applyDue(): Promise<void> {
      for (const change of await emailChanges.listComplete(clock(), batchSize)) {
        await apply(change).catch((error: unknown) =>
          log.warn({ err: error }, 'an e-mail address could not be changed'),
        );
      }
    },
  };
}
