import { createUsedIdentifiers, type Database } from '@gatehouse/service-kit';
import { createAuthorizationCodeStore } from './authorization-code-store.ts';
import { createBrowserSessionStore } from './browser-session-store.ts';
import { createClientStore } from './client-store.ts';
import { createConsentStore } from './consent-store.ts';
import { createPushedRequestStore } from './pushed-request-store.ts';
import { createRefreshTokenStore } from './refresh-token-store.ts';
import { createRequestBudgetStore } from './request-budget-store.ts';
import { createRevocationStore } from './revocation-store.ts';
import { createSessionParticipantStore } from './session-participant-store.ts';
import { createSigningKeyStore } from './signing-key-store.ts';
import { createStatusStore } from './status-store.ts';

/** Every store of the auth server, on its one database. */
export function createStores(database: Database) {
  return {
    clients: createClientStore(database),
    codes: createAuthorizationCodeStore(database),
    refreshTokens: createRefreshTokenStore(database),
    revocations: createRevocationStore(database),
    sessions: createBrowserSessionStore(database),
    pushedRequests: createPushedRequestStore(database),
    requestBudgets: createRequestBudgetStore(database),
    usedIdentifiers: createUsedIdentifiers(database),
    participants: createSessionParticipantStore(database),
    consents: createConsentStore(database),
    statuses: createStatusStore(database),
    signingKeys: createSigningKeyStore(database),
  };
}
