import type { Database } from '@gatehouse/service-kit/database';
import { createIdentityStore } from './identity-store.ts';

export type Identities = ReturnType<typeof createIdentities>;

/** The accounts at other servers by which users sign in. */
export function createIdentities({ database }: { database: Database }) {
  return { identities: createIdentityStore(database) };
}
