import { type Clock, createId, type Encryption } from '@gatehouse/service-kit';
import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { networkOf } from '@gatehouse/service-kit/guess-limit';
import {
  completeUsername,
  domainOf,
  foldUsername,
  type KnownBrowser,
  type LinkPurpose,
  type LinkRequest,
  type LinkRequestResult,
  type LocalRefusals,
  usernamePattern,
} from '@gatehouse/shared';
import { describeUser } from '../events/audit.ts';
import { goOnContext } from '../mailed-links/link.ts';
import type { MakeLink, RepeatLink } from '../mailed-links/make-link.ts';
import { isPlainAddress, type Mail } from '../mails/mail.ts';
import type { MailBudget } from '../mails/mail-budget.ts';
import type { Outbox } from '../mails/outbox.ts';
import { findBrowserOf } from '../users/known-browser.ts';
import type { IsManagedElsewhere } from '../users/managed-elsewhere.ts';
import { findProvenUser } from '../users/proven-user.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { ChangeEmail } from './change-email.ts';
import type { SetUpOrigin } from './set-up-by-link.ts';

/** Milliseconds for which a request by a name waits to be looked up. */
const askedFor = 3_600_000;
/** Seconds after which a network may ask again. */
const retryAfter = 3_600;

export type RequestLinks = ReturnType<typeof createRequestLinks>;

interface Dependencies {
  users: Pick<UserStore, 'findById' | 'listByAddress'>;
  isManagedElsewhere: IsManagedElsewhere;
  config: {
    isRegistrationOpen: boolean;
    registrationDomains: readonly string[];
    usernameDomain: string | undefined;
  };
  mails: Pick<Outbox, 'isOn' | 'mailLink' | 'mailStranger' | 'keepAsked'>;
  makeLink: MakeLink;
  mailBudget: MailBudget;
  repeatLink: RepeatLink;
  changeEmail: Pick<ChangeEmail, 'take'>;
  /** A request may hold tokens, so it is not kept as it is. */
  encryption: Pick<Encryption, 'encrypt'>;
  audit: Pick<AuditTrail, 'note'>;
  clock: Clock;
}

/** Requests for links, by people who cannot sign in and by those who are signed in. */
export function createRequestLinks(deps: Dependencies) {
  const { config, users, isManagedElsewhere, mails, mailBudget, makeLink, repeatLink } = deps;
  const { changeEmail, encryption, audit, clock } = deps;
  const describe = (user: User, { address, requestId }: Asking) => ({
    actor: { kind: 'anonymous' } as const,
    subject: describeUser(user),
    context: { address, requestId },
  });
  /** Whether one more mail may go to an address, for a user. */
  const mayMail = async (user: User, sending: Asking, to = user.email): Promise<boolean> => {
    // A browser of the user has no say in mails to another address.
    const known = to === user.email ? findBrowserOf(user, sending.knownBrowsers) : undefined;
    const isWithin = await mailBudget.mayMail(foldUsername(to), networkOf(sending.address), known);
    if (!isWithin) audit.note({ ...describe(user, sending), type: 'mail.limited', details: { mail: sending.purpose } });
    return isWithin;
  };
  const send = async (user: User, sending: Sending): Promise<void> => {
    const { purpose, language, data, browser, address } = sending;
    const link = await repeatLink(user, purpose, { data });
    await mails.mailLink(user, { kind: purpose, link, language, expiresAt: link.expiresAt }, { address, browser });
    if (purpose === 'reset') audit.note({ ...describe(user, sending), type: 'password_reset.requested' });
  };
  /** Several users may have one address: it counts once. */
  const recoverAll = async (name: string, { refusals, ...sending }: Recovering): Promise<void> => {
    const found = (await users.listByAddress(name, mostOfAddress)).filter(
      ({ enabled, userType, emailVerified, email }) =>
        enabled && userType === 'Person' && emailVerified && isPlainAddress(email),
    );
    const byAddress = new Map<string, User[]>();
    for (const user of found) {
      if (await isManagedElsewhere(user, refusals)) continue;
      const key = foldUsername(user.email);
      byAddress.set(key, [...(byAddress.get(key) ?? []), user]);
    }
    for (const [first, ...others] of byAddress.values()) {
      if (first === undefined || !(await mayMail(first, sending))) continue;
      for (const user of [first, ...others]) await send(user, sending);
    }
  };
  const keep = async (name: string, request: LinkRequest): Promise<LinkRequestResult> => {
    const { goOn, browser, address, requestId, language, knownBrowsers = [], localRefusals = [] } = request;
    const refusals = JSON.stringify(localRefusals);
    const data = {
      ...{ address, requestId, knownBrowsers: JSON.stringify(knownBrowsers) },
      // The row has no room for more. Without them the mail goes out, and its link is refused when it is used.
      ...(localRefusals.length > 0 && Buffer.byteLength(refusals) <= mostOfRefusals && { refusals }),
      ...(goOn !== undefined && { goOn: encryption.encrypt(goOn, goOnContext) }),
      ...(browser !== undefined && { browser }),
      ...(request.register === true && { register: 'yes' }),
    };
    await mails.keepAsked(name, language, data, clock() + askedFor);
    return { outcome: 'done' };
  };
  /** The form of an address tells nobody who exists. */
  const keepRegistration = async (name: string, request: LinkRequest): Promise<LinkRequestResult> => {
    if (!config.isRegistrationOpen) return { outcome: 'off' };
    if (!isPlainAddress(name) || !new RegExp(usernamePattern, 'u').test(name)) {
      return { outcome: 'refused', fault: 'no_address' };
    }
    const { registrationDomains: domains } = config;
    if (domains.length > 0 && !domains.includes(domainOf(name))) return { outcome: 'refused', fault: 'other_domain' };
    return keep(name, request);
  };
  /** Mails a link to finish; or, to an address that has a user, that there is an account. */
  const mailRegistration = async (address: string, { goOn, ...asking }: Registering): Promise<void> => {
    const { language, browser } = asking;
    const isWithin = await mailBudget.mayMail(foldUsername(address), networkOf(asking.address), undefined);
    if (!isWithin) return;
    const to = { address, language };
    const cause = { address: asking.address, browser };
    if ((await users.listByAddress(address, 1)).length > 0)
      return mails.mailStranger(to, 'have_account', undefined, cause);
    const newcomer = { id: createId(), email: address, passwordChangedAt: 0 };
    const link = await makeLink(newcomer, 'register', { data: goOn });
    await mails.mailStranger(to, 'register', link, cause);
  };
  const takeOwn = async (request: LinkRequest, fits: (user: User) => boolean, own: Own): Promise<LinkRequestResult> => {
    const { signedIn, language, browser, address, requestId, knownBrowsers = [] } = request;
    const user = signedIn && (await findProvenUser(users, signedIn));
    if (user === undefined || !fits(user)) return { outcome: 'changed' };
    const sending = { ...own, language, browser, address, requestId, knownBrowsers };
    if (isPlainAddress(user.email) && (await mayMail(user, sending))) await send(user, sending);
    return { outcome: 'done' };
  };
  const takeSetUp = (request: LinkRequest, { binding }: NonNullable<LinkRequest['setUp']>) => {
    const origin: SetUpOrigin = { binding, goOn: request.goOn ?? '/account' };
    const data = encryption.encrypt(JSON.stringify(origin), goOnContext);
    return takeOwn(request, ({ emailVerified }) => emailVerified, { purpose: 'set_up', data });
  };
  const takeVerify = (request: LinkRequest) =>
    takeOwn(request, ({ emailVerified }) => !emailVerified, { purpose: 'verify', data: undefined });
  let recovering: Promise<void> = Promise.resolve();
  /** One after the other: of several at the same moment none would find room where there is room for some. */
  const runNext = (run: () => Promise<void>): Promise<void> => {
    const done = recovering.then(run);
    recovering = done.catch(() => undefined);
    return done;
  };

  return {
    /**
     * Takes a request. One by a name is answered before anything is looked up, always alike: nobody learns who exists, neither by
     * the answer nor by its time.
     */
    async take(request: LinkRequest): Promise<LinkRequestResult> {
      const { name, register, emailChange, setUp, address } = request;
      if (!mails.isOn) return { outcome: 'off' };
      if (!(await mailBudget.mayAsk(nameQuestion(request), networkOf(address)))) {
        return { outcome: 'limited', retryAfter };
      }
      if (name !== undefined && register === true) return keepRegistration(name, request);
      if (name !== undefined) return keep(name, request);
      if (setUp !== undefined) return takeSetUp(request, setUp);
      if (emailChange === undefined) return takeVerify(request);
      const asking = { purpose: 'email_new', knownBrowsers: [], ...request } as const;
      return changeEmail.take(request, (user, to) => mayMail(user, asking, to));
    },
    /** Looks up who was named, and mails links to those. At most five users have one verified address. */
    recover({ address: name, language, data }: Mail): Promise<void> {
      const { address = '', requestId = '', goOn, browser, knownBrowsers = '[]', refusals = '[]', register } = data;
      if (register !== undefined) return runNext(() => mailRegistration(name, { goOn, language, browser, address }));
      const known = JSON.parse(knownBrowsers) as KnownBrowser[];
      const caller = { browser, address, requestId, knownBrowsers: known };
      const own = { purpose: 'reset', language, data: goOn, refusals: JSON.parse(refusals) as LocalRefusals } as const;
      const completed = completeUsername(name, config.usernameDomain);
      return runNext(() => recoverAll(completed, { ...own, ...caller }));
    },
  };
}

const mostOfAddress = 5;
/** Bytes of the refusals that are kept with a request. */
const mostOfRefusals = 40_000;

/** The limit that a request counts for. */
function nameQuestion({ name, register }: LinkRequest): 'register' | 'recover' | 'verify' {
  if (name === undefined) return 'verify';
  return register === true ? 'register' : 'recover';
}

/** The request of a new user. */
interface Registering {
  goOn: string | undefined;
  language: string;
  browser: string | undefined;
  address: string;
}

interface Own {
  purpose: 'reset' | 'verify' | 'set_up';
  data: string | undefined;
}

/** The request for a link. */
interface Asking {
  purpose: LinkPurpose;
  address: string;
  requestId: string;
  /** In which users signed in before at the browser that asked. */
  knownBrowsers: readonly KnownBrowser[];
}

interface Sending extends Own, Omit<Asking, 'purpose'> {
  language: string;
  browser: string | undefined;
}

interface Recovering extends Sending {
  refusals: LocalRefusals;
}
