import { type Clock, createId, type RequestContext } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import type { RecordFact } from '../events/event.ts';
import { createOpaqueToken, hashOpaqueToken } from '../protocol/opaque-token.ts';
import type { SessionPlace } from './browser-session.ts';
import type { RememberedBrowser, RememberedBrowserStore } from './remembered-browser-store.ts';

/** Users whom one browser is remembered for. */
const mostUsers = 5;
/** Browsers in which one user is remembered. */
const mostOfUser = 20;
const day = 86_400_000;
/** Milliseconds. */
const touchedEvery = 10 * 60_000;

type Owner = Pick<DirectoryUser, 'id' | 'passwordChangedAt'>;

export type RememberedBrowsers = ReturnType<typeof createRememberedBrowsers>;

interface Dependencies {
  store: RememberedBrowserStore;
  config: { rememberBrowserDays: number };
  record: RecordFact;
  clock: Clock;
}

/**
 * Browsers in which users said that the second step is not asked for again. Each stands for the step that the user's own methods or
 * `REQUIRE_MFA` ask for, and for nothing else.
 */
export function createRememberedBrowsers({
  store,
  config: { rememberBrowserDays: days },
  record,
  clock,
}: Dependencies) {
  const isOpen = ({ expiresAt, passwordChangedAt }: RememberedBrowser, user: Owner): boolean =>
    expiresAt > clock() && passwordChangedAt === user.passwordChangedAt && days > 0;
  const listOfUser = async (user: Owner): Promise<RememberedBrowser[]> =>
    (await store.listOfUser(user.id)).filter((browser) => isOpen(browser, user));
  return {
    /** For how many days; 0: never. */
    days,
    listOfUser,
    /** Whether the browser with this cookie is remembered for the user. */
    async stands(cookie: string | undefined, user: Owner): Promise<boolean> {
      if (cookie === undefined || days === 0) return false;
      const found = (await store.listByToken(hashOpaqueToken(cookie))).find(({ userId }) => userId === user.id);
      if (found === undefined || !isOpen(found, user)) return false;
      const now = clock();
      if (found.lastUsedAt < now - touchedEvery) await store.touch(found, now);
      return true;
    },
    /** Remembers a browser for one user more, and gives the value of its cookie. */
    async remember(
      cookie: string | undefined,
      user: DirectoryUser,
      { label = '', network = '' }: SessionPlace,
      context: RequestContext,
    ): Promise<string> {
      const former = cookie === undefined ? [] : await store.listByToken(hashOpaqueToken(cookie));
      // A new value each time: a user of this browser who knows the value of before could use it with the password of another.
      const { token, hash } = createOpaqueToken();
      const now = clock();
      const { id: userId, passwordChangedAt } = user;
      const browser = { id: createId(), tokenHash: hash, userId, passwordChangedAt, label, network };
      await store.insert({ ...browser, createdAt: now, lastUsedAt: now, expiresAt: now + days * day });
      const others = former.filter((one) => one.userId !== userId);
      const ended = [...former.filter((one) => one.userId === userId), ...others.slice(0, -(mostUsers - 1))];
      for (const one of ended) await store.delete(one);
      for (const one of others.slice(-(mostUsers - 1))) await store.move(one, hash);
      for (const one of (await store.listOfUser(userId)).slice(0, -mostOfUser)) await store.delete(one);
      await record({ type: 'browser.remembered', user, browserId: browser.id, context });
      return token;
    },
    /** Nothing where the user has no such browser. */
    async forget(user: DirectoryUser, id: string, context: RequestContext): Promise<void> {
      const found = (await store.listOfUser(user.id)).find((browser) => browser.id === id);
      if (found === undefined || !(await store.delete(found))) return;
      await record({ type: 'browser.forgotten', user, browserId: id, context });
    },
    forgetAll: (userId: string): Promise<void> => store.deleteOfUser(userId),
  };
}
