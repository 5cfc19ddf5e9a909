import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, putRow } from '@gatehouse/service-kit/database';
import { parseScope } from '../protocol/scope.ts';
import { formatGranted, parseGranted } from '../resources/granted-resource.ts';
import type { Consent } from './consent.ts';
import type { ConsentRow } from './consent-table.ts';

export interface ConsentStore {
  find(userId: string, registrationId: string): Promise<Consent | undefined>;
  list(userId: string): Promise<Consent[]>;
  /** Those to a client, in the order of the ids of users. `after`: the user of the last one of the page before. */
  listOfClient(registrationId: string, page: { after: string | undefined; limit: number }): Promise<Consent[]>;
  /** Replaces what the user decided before. */
  put(consent: Consent): Promise<void>;
  delete(userId: string, registrationId: string): Promise<void>;
  deleteOfUser(userId: string): Promise<void>;
}

export function createConsentStore(database: Database): ConsentStore {
  return {
    async find(userId, registrationId) {
      // The id may come from a form, so it may be any text.
      const registration = findIdBytes(registrationId);
      if (registration === undefined) return undefined;
      const sql = 'SELECT * FROM consents WHERE user_id = ? AND registration_id = ?';
      const [row] = await database.query<ConsentRow>(sql, [userId, registration]);
      return row && consentFromRow(row);
    },
    async list(userId) {
      const sql = 'SELECT * FROM consents WHERE user_id = ? ORDER BY client_id';
      return (await database.query<ConsentRow>(sql, [userId])).map(consentFromRow);
    },
    async listOfClient(registrationId, { after = '', limit }) {
      const sql = 'SELECT * FROM consents WHERE registration_id = ? AND user_id > ? ORDER BY user_id LIMIT ?';
      const found = await database.query<ConsentRow>(sql, [idToBytes(registrationId), after, limit]);
      return found.map(consentFromRow);
    },
    async put(consent) {
      await putRow(database, 'consents', rowFromConsent(consent), ['user_id', 'registration_id']);
    },
    async deleteOfUser(userId) {
      await database.execute('DELETE FROM consents WHERE user_id = ?', [userId]);
    },
    async delete(userId, registrationId) {
      const registration = findIdBytes(registrationId);
      if (registration === undefined) return;
      await database.execute('DELETE FROM consents WHERE user_id = ? AND registration_id = ?', [userId, registration]);
    },
  };
}

function consentFromRow(row: ConsentRow): Consent {
  return {
    userId: row.user_id,
    registrationId: idFromBytes(row.registration_id),
    clientId: row.client_id,
    scope: parseScope(row.scope),
    resources: parseGranted(row.resources) ?? [],
    claims: parseScope(row.claims ?? ''),
    grantedAt: Number(row.granted_at),
  };
}

function rowFromConsent(consent: Consent): ConsentRow {
  return {
    user_id: consent.userId,
    registration_id: idToBytes(consent.registrationId),
    client_id: consent.clientId,
    scope: consent.scope.join(' '),
    claims: consent.claims.length === 0 ? null : consent.claims.join(' '),
    resources: formatGranted(consent.resources.length === 0 ? undefined : consent.resources),
    granted_at: consent.grantedAt,
  };
}
