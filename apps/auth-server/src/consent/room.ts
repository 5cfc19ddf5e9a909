import type { Clock, Database } from '@gatehouse/service-kit';
import type { Clients } from '../clients/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createConsentStore } from './consent-store.ts';
import { createConsents } from './consents.ts';

interface Needs {
  database: Database;
  clients: Clients;
  tokens: Tokens;
  clock: Clock;
}

export type Consent = ReturnType<typeof createConsent>;

/** What users allow third-party clients. */
export function createConsent({ database, clients, tokens, clock }: Needs) {
  const consents = createConsentStore(database);
  return {
    consents: createConsents({ consents, clients: clients.clients, revocations: tokens.revocations, clock }),
  };
}
