import type { Database } from '@gatehouse/service-kit/database';
import { createIssuerStore } from './issuer-store.ts';

export type Issuers = ReturnType<typeof createIssuers>;

/** The issuers whose tokens clients may prove themselves by. */
export function createIssuers({ database }: { database: Database }) {
  return { issuers: createIssuerStore(database) };
}
