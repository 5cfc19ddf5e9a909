import { createUsedIdentifiers, type Database } from '@gatehouse/service-kit';
import { createClientStore } from './clients/client-store.ts';
import { createRequestBudgetStore } from './clients/request-budget-store.ts';
import { createAuthorizationCodeStore } from './codes/authorization-code-store.ts';
import { createPushedRequestStore } from './codes/pushed-request-store.ts';
import { createConsentStore } from './consent/consent-store.ts';
import { createSigningKeyStore } from './keys/signing-key-store.ts';
import { createBrowserSessionStore } from './sessions/browser-session-store.ts';
import { createSessionParticipantStore } from './sessions/session-participant-store.ts';
import { createStatusStore } from './status-lists/status-store.ts';
import { createRefreshTokenStore } from './tokens/refresh-token-store.ts';
import { createRevocationStore } from './tokens/revocation-store.ts';

/** Every store of the auth server, on one database. */
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
