import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createAuthorizationCodeStore } from './authorization-code-store.ts';
import { createPushedRequestStore } from './pushed-request-store.ts';
import { createPushedRequests } from './pushed-requests.ts';

export type Codes = ReturnType<typeof createCodes>;

/** Authorization codes and pushed requests, which work once. */
export function createCodes({ database, clock }: { database: Database; clock: Clock }) {
  return {
    codes: createAuthorizationCodeStore(database),
    pushedRequests: createPushedRequests({ pushedRequests: createPushedRequestStore(database), clock }),
  };
}
