import type { Database } from '@gatehouse/service-kit/database';
import { createUsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { createClientLogoStore } from '../../src/clients/client-logo-store.ts';
import { createClientStore } from '../../src/clients/client-store.ts';
import { createClientUseStore } from '../../src/clients/client-use-store.ts';
import { createLapsingClientStore } from '../../src/clients/lapsing-client-store.ts';
import { createRequestBudgetStore } from '../../src/clients/request-budget-store.ts';
import { createAuthorizationCodeStore } from '../../src/codes/authorization-code-store.ts';
import { createDeviceCodeStore } from '../../src/codes/device-code-store.ts';
import { createPushedRequestStore } from '../../src/codes/pushed-request-store.ts';
import { createConsentStore } from '../../src/consent/consent-store.ts';
import { createIssuerStore } from '../../src/issuers/issuer-store.ts';
import { createSigningKeyStore } from '../../src/keys/signing-key-store.ts';
import { createInitialTokenStore } from '../../src/registration/initial-token-store.ts';
import { createResourceStore } from '../../src/resources/resource-store.ts';
import { createScopeNameStore } from '../../src/resources/scope-name-store.ts';
import { createBrowserSessionStore } from '../../src/sessions/browser-session-store.ts';
import { createSessionParticipantStore } from '../../src/sessions/session-participant-store.ts';
import { createGrantStatusStore } from '../../src/status-lists/grant-status-store.ts';
import { createStatusStore } from '../../src/status-lists/status-store.ts';
import { createRefreshTokenStore } from '../../src/tokens/refresh-token-store.ts';
import { createRevocationStore } from '../../src/tokens/revocation-store.ts';
import { createUpstreamDomainStore } from '../../src/upstreams/upstream-domain-store.ts';
import { createUpstreamStore } from '../../src/upstreams/upstream-store.ts';

/** Every store of the auth server, on one database. */
export function createStores(database: Database) {
  return {
    resources: createResourceStore(database),
    scopeNames: createScopeNameStore(database),
    clients: createClientStore(database),
    clientLogos: createClientLogoStore(database),
    clientUses: createClientUseStore(database),
    codes: createAuthorizationCodeStore(database),
    deviceCodes: createDeviceCodeStore(database),
    refreshTokens: createRefreshTokenStore(database),
    revocations: createRevocationStore(database),
    sessions: createBrowserSessionStore(database),
    pushedRequests: createPushedRequestStore(database),
    requestBudgets: createRequestBudgetStore(database),
    usedIdentifiers: createUsedIdentifiers(database),
    participants: createSessionParticipantStore(database),
    consents: createConsentStore(database),
    initialTokens: createInitialTokenStore(database),
    lapsing: createLapsingClientStore(database),
    statuses: createStatusStore(database, Math.random),
    grantStatuses: createGrantStatusStore(database),
    signingKeys: createSigningKeyStore(database),
    issuers: createIssuerStore(database),
    upstreams: createUpstreamStore(database),
    upstreamDomains: createUpstreamDomainStore(database),
  };
}
