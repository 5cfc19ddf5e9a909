import { auditEventEntity, auditEventTable } from '@gatehouse/service-kit/audit';
import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import {
  failedAttemptEntity,
  failedAttemptTable,
  knownNetworkEntity,
  knownNetworkTable,
} from '@gatehouse/service-kit/guess-limit';
import { refusalEntity, refusalTable } from '@gatehouse/service-kit/refusals';
import { usedIdentifierEntity, usedIdentifierTable } from '@gatehouse/service-kit/used-identifiers';
import type { EntitySchemaOptions, ObjectLiteral } from 'typeorm';
import { clientLogos } from '../clients/client-logo-table.ts';
import { clientOrigins } from '../clients/client-origin-table.ts';
import { clients } from '../clients/client-table.ts';
import { clientTerms } from '../clients/client-terms-table.ts';
import { clientUses } from '../clients/client-use-table.ts';
import { requestBudgets } from '../clients/request-budget-table.ts';
import { authorizationCodes } from '../codes/authorization-code-table.ts';
import { deviceCodes } from '../codes/device-code-table.ts';
import { pushedRequests } from '../codes/pushed-request-table.ts';
import { consents } from '../consent/consent-table.ts';
import { issuers } from '../issuers/issuer-table.ts';
import { signingKeys } from '../keys/signing-key-table.ts';
import { initialAccessTokens } from '../registration/initial-token-table.ts';
import { resourceScopes, resources } from '../resources/resource-table.ts';
import { browserSessions } from '../sessions/browser-session-table.ts';
import { rememberedBrowsers, rememberedBrowserTable } from '../sessions/remembered-browser-table.ts';
import { sessionParticipants } from '../sessions/session-participant-table.ts';
import { grantStatuses } from '../status-lists/grant-status-table.ts';
import { statusBlocks } from '../status-lists/status-block-table.ts';
import { statusRevocations } from '../status-lists/status-revocation-table.ts';
import { refreshTokens } from '../tokens/refresh-token-table.ts';
import { revocations } from '../tokens/revocation-table.ts';
import { upstreamAttempts } from '../upstreams/upstream-attempt-table.ts';
import { upstreamDomains } from '../upstreams/upstream-domain-table.ts';
import { upstreams } from '../upstreams/upstream-table.ts';
import { usageCounts, usageCountTable } from '../usage/usage-count-table.ts';

/*
 * The rows as they are stored: ids and hashes as bytes, instants as milliseconds, lists separated by spaces.
 */

export function authServerEntities(dialect: Dialect): EntitySchemaOptions<ObjectLiteral>[] {
  const column = columnTypes(dialect);
  return [
    resources(column),
    resourceScopes(column),
    clients(column),
    clientLogos(column),
    clientOrigins(column),
    clientUses(column),
    clientTerms(dialect, column),
    authorizationCodes(column),
    deviceCodes(column),
    refreshTokens(column),
    revocations(column),
    pushedRequests(column),
    requestBudgets(column),
    usedIdentifierEntity(dialect),
    browserSessions(column),
    rememberedBrowsers(column),
    consents(column),
    statusBlocks(column),
    statusRevocations(column),
    grantStatuses(column),
    sessionParticipants(column),
    signingKeys(column),
    initialAccessTokens(column),
    failedAttemptEntity(dialect),
    knownNetworkEntity(dialect),
    auditEventEntity(dialect),
    refusalEntity(dialect),
    usageCounts(column),
    issuers(column),
    upstreams(column),
    upstreamAttempts(column),
    upstreamDomains(column),
  ] as EntitySchemaOptions<ObjectLiteral>[];
}

/** The tables whose rows callers without a secret can cause. The rows live for about a minute; those of open registrations for an hour. */
export const shortLivedTables = ['pushed_requests', usedIdentifierTable, 'request_budgets'];

/** The tables whose rows expire. */
export const expiringTables = [
  'authorization_codes',
  'device_codes',
  'refresh_tokens',
  'revocations',
  ...shortLivedTables,
  'browser_sessions',
  rememberedBrowserTable,
  'session_participants',
  'status_blocks',
  'status_revocations',
  'grant_statuses',
  'signing_keys',
  'initial_access_tokens',
  'upstream_attempts',
  failedAttemptTable,
  knownNetworkTable,
  auditEventTable,
  refusalTable,
  usageCountTable,
];
