import type { ResourceStore } from './resource-store.ts';

/** Milliseconds for which a value counts as recent (ADR 15), and after which a caller causes the next question. */
const recentFor = 750;
const renewAfter = 375;

/** Seconds for which access tokens of org-api are valid at most; `seconds` is undefined where the client alone decides. */
export interface OrgApiValidity {
  seconds: number | undefined;
}

export interface OrgApiValidities {
  /** The value of at most a second ago. Almost every caller gets it without waiting. */
  recent(): OrgApiValidity | Promise<OrgApiValidity>;
  /** Makes the next caller ask again. */
  forget(): void;
}

interface Dependencies {
  resources: Pick<ResourceStore, 'findByUri'>;
  uri: string;
  /** Milliseconds that only grow. */
  now?: () => number;
}

export function createOrgApiValidities({ resources, uri, now = () => performance.now() }: Dependencies) {
  let last: { value: OrgApiValidity; askedAt: number } | undefined;
  let asking: Promise<OrgApiValidity> | undefined;
  /** Counts the calls of `forget`: an answer to an older question is not kept. */
  let generation = 0;

  const load = async (): Promise<OrgApiValidity> => {
    const [askedAt, askedIn] = [now(), generation];
    const found = await resources.findByUri(uri);
    const value = { seconds: found?.accessTokenValidity };
    if (askedIn === generation) last = { value, askedAt };
    return value;
  };
  const ask = (): Promise<OrgApiValidity> => {
    if (asking !== undefined) return asking;
    const asked = load().finally(() => {
      if (asking === asked) asking = undefined;
    });
    asking = asked;
    return asked;
  };

  const validities: OrgApiValidities = {
    recent() {
      const age = last === undefined ? Number.POSITIVE_INFINITY : now() - last.askedAt;
      if (last === undefined || age > recentFor) return ask();
      if (age > renewAfter) ask().catch(() => {});
      return last.value;
    },
    forget() {
      generation += 1;
      last = undefined;
      asking = undefined;
    },
  };
  return validities;
}
