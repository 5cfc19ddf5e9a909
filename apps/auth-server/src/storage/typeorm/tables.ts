import {
  auditEventEntity,
  auditEventTable,
  columnTypes,
  type Dialect,
  failedAttemptEntity,
  failedAttemptTable,
  knownNetworkEntity,
  knownNetworkTable,
  usedIdentifierEntity,
  usedIdentifierTable,
} from '@gatehouse/service-kit';
import type { EntitySchema } from 'typeorm';
import { clients, consents } from './tables/client-tables.ts';
import {
  authorizationCodes,
  pushedRequests,
  refreshTokens,
  requestBudgets,
  revocations,
} from './tables/grant-tables.ts';
import { signingKeys } from './tables/key-tables.ts';
import { browserSessions, sessionParticipants } from './tables/session-tables.ts';
import { statusBlocks, statusRevocations } from './tables/status-tables.ts';

/*
 * The rows as they are stored: ids and hashes as bytes, instants as milliseconds, lists separated by spaces.
 */

export function authServerEntities(dialect: Dialect): EntitySchema[] {
  const column = columnTypes(dialect);
  return [
    clients(column),
    authorizationCodes(column),
    refreshTokens(column),
    revocations(column),
    pushedRequests(column),
    requestBudgets(column),
    usedIdentifierEntity(dialect),
    browserSessions(column),
    consents(column),
    statusBlocks(column),
    statusRevocations(column),
    sessionParticipants(column),
    signingKeys(column),
    failedAttemptEntity(dialect),
    knownNetworkEntity(dialect),
    auditEventEntity(dialect),
  ] as EntitySchema[];
}

/** Rows that anybody can have stored, and that live for about a minute. */
export const shortLivedTables = ['pushed_requests', usedIdentifierTable, 'request_budgets'];

/** The tables whose rows expire. */
export const expiringTables = [
  'authorization_codes',
  'refresh_tokens',
  'revocations',
  ...shortLivedTables,
  'browser_sessions',
  'session_participants',
  'status_blocks',
  'status_revocations',
  'signing_keys',
  failedAttemptTable,
  knownNetworkTable,
  auditEventTable,
];
