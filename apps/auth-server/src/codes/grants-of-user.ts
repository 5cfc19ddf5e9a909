import { findIdBytes, idFromBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';

/** Lists the grants that a client has for a user, by the rows of one table. Any text may stand for the registration. */
export async function listGrantsOfUser(
  database: Database,
  table: 'authorization_codes' | 'device_codes' | 'refresh_tokens',
  userId: string,
  registrationId: string,
): Promise<string[]> {
  const registration = findIdBytes(registrationId);
  if (registration === undefined) return [];
  const sql = `SELECT grant_id FROM ${table} WHERE user_id = ? AND registration_id = ?`;
  const found = await database.query<{ grant_id: Buffer }>(sql, [userId, registration]);
  return found.map((row) => idFromBytes(row.grant_id));
}
