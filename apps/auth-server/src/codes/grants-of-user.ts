import { findIdBytes, idFromBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';

/** Lists the grants that a client has for a user, by the rows of one table; of every client where none is named. Any text may stand for the registration. */
export async function listGrantsOfUser(
  database: Database,
  table: 'authorization_codes' | 'device_codes' | 'refresh_tokens',
  userId: string,
  registrationId: string | undefined,
): Promise<string[]> {
  if (registrationId === undefined)
    return select(database, `SELECT grant_id FROM ${table} WHERE user_id = ?`, [userId]);
  const registration = findIdBytes(registrationId);
  if (registration === undefined) return [];
  const sql = `SELECT grant_id FROM ${table} WHERE user_id = ? AND registration_id = ?`;
  return select(database, sql, [userId, registration]);
}

async function select(database: Database, sql: string, values: readonly unknown[]): Promise<string[]> {
  const found = await database.query<{ grant_id: Buffer | null }>(sql, values);
  return found.flatMap((row) => (row.grant_id === null ? [] : [idFromBytes(row.grant_id)]));
}
