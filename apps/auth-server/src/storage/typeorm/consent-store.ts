import { type Database, findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { parseScope } from '@gatehouse/shared';
import type { Consent } from '../../consent/consent.ts';
import type { ConsentStore } from '../stores.ts';
import { rowsOf } from './rows.ts';
import type { ConsentRow } from './tables/client-tables.ts';

export function createConsentStore(database: Database): ConsentStore {
  const rows = () => rowsOf<ConsentRow>(database, 'Consent');
  return {
    async find(userId, registrationId) {
      // The id may stand in a form, so it may be anything.
      const registration = findIdBytes(registrationId);
      if (registration === undefined) return undefined;
      const sql = 'SELECT * FROM consents WHERE user_id = ? AND registration_id = ?';
      const [row] = await database.query<ConsentRow>(sql, [userId, registration]);
      return row && consentFromRow(row);
    },
    async list(userId) {
      return (await rows().find({ where: { user_id: userId }, order: { client_id: 'ASC' } })).map(consentFromRow);
    },
    async put(consent) {
      await rows().upsert(rowFromConsent(consent), ['user_id', 'registration_id']);
    },
    async delete(userId, registrationId) {
      const registration = findIdBytes(registrationId);
      if (registration !== undefined) await rows().delete({ user_id: userId, registration_id: registration });
    },
  };
}

function consentFromRow(row: ConsentRow): Consent {
  return {
    userId: row.user_id,
    registrationId: idFromBytes(row.registration_id),
    clientId: row.client_id,
    scope: parseScope(row.scope),
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
    granted_at: consent.grantedAt,
  };
}
