import { createRecentLookup } from '@gatehouse/service-kit/database';
import type { ResourceStore } from './resource-store.ts';

/** Milliseconds after which a caller causes the next question, without waiting for it (ADR 15). */
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

export function createOrgApiValidities({ resources, uri, ...options }: Dependencies): OrgApiValidities {
  const find = async (): Promise<OrgApiValidity> => ({
    seconds: (await resources.findByUri(uri))?.accessTokenValidity,
  });
  const validities = createRecentLookup(find, { renewal: { after: renewAfter, lookup: find }, ...options });
  return {
    // There is always an answer, with or without seconds.
    recent: () => validities.findAtOnce(uri) as OrgApiValidity | Promise<OrgApiValidity>,
    forget: () => validities.forget(uri),
  };
}
