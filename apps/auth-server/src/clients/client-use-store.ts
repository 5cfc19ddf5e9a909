import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import { isBuiltInRegistration } from './built-in-clients.ts';
import type { ClientUse, LastUses } from './client-use.ts';
import type { ClientUseRow } from './client-use-table.ts';

/** When clients were used last. The rows are no part of a client: a use changes no version. */
export interface ClientUseStore {
  /** Writes uses by one statement; where two processes noted one, the later stays. */
  put(uses: readonly ClientUse[]): Promise<void>;
  findAll(registrationIds: readonly string[]): Promise<ReadonlyMap<string, LastUses>>;
  /** The secret became the previous one. `setAt`: since when it was the secret; earlier uses were of the one before. */
  passOnSecret(registrationId: string, setAt: number | undefined): Promise<void>;
  deleteOf(registrationId: string): Promise<void>;
  /** Writes, once for all, since when uses are noted. */
  begin(now: number): Promise<void>;
}

/** The row of no client that says since when uses are noted. */
export const beginningOfUses = { registration: Buffer.alloc(16), kind: 'beginning' } as const;

export function createClientUseStore(database: Database): ClientUseStore {
  const insert = 'INSERT INTO client_uses (registration, kind, used_at)';
  const [onConflict, assign] =
    database.dialect === 'mysql'
      ? ['ON DUPLICATE KEY UPDATE', 'GREATEST(used_at, VALUES(used_at))']
      : ['ON CONFLICT (registration, kind) DO UPDATE SET', 'MAX(used_at, excluded.used_at)'];
  const unlessLater = `${onConflict} used_at = ${assign}`;

  /** A client may be deleted while its use is on the way: the deletion comes before this look, or deletes the use itself. */
  const deleteOfGone = async (registrations: readonly Buffer[]): Promise<void> => {
    const sql = `SELECT registration_id FROM clients WHERE registration_id IN (${marks(registrations)})`;
    const found = await database.query<{ registration_id: Buffer }>(sql, registrations);
    const there = new Set(found.map((row) => idFromBytes(row.registration_id)));
    const gone = registrations.filter((registration) => {
      const id = idFromBytes(registration);
      return !there.has(id) && !isBuiltInRegistration(id);
    });
    if (gone.length === 0) return;
    await database.execute(`DELETE FROM client_uses WHERE registration IN (${marks(gone)})`, gone);
  };

  return {
    async put(uses) {
      const rows = uses.map(({ registrationId, kind, usedAt }) => [idToBytes(registrationId), kind, usedAt] as const);
      const values = rows.map(() => '(?, ?, ?)').join(', ');
      await database.execute(`${insert} VALUES ${values} ${unlessLater}`, rows.flat());
      await deleteOfGone(rows.map(([registration]) => registration));
    },
    async findAll(registrationIds) {
      if (registrationIds.length === 0) return new Map();
      const registrations = registrationIds.map(idToBytes);
      const sql = `SELECT * FROM client_uses WHERE registration IN (${marks(registrations)})`;
      const uses = new Map<string, Partial<Record<ClientUse['kind'], number>>>();
      for (const row of await database.query<ClientUseRow>(sql, registrations)) {
        const id = idFromBytes(row.registration);
        uses.set(id, { ...uses.get(id), [row.kind]: Number(row.used_at) });
      }
      return uses;
    },
    async passOnSecret(registrationId, setAt = 0) {
      const registration = idToBytes(registrationId);
      const forget = 'DELETE FROM client_uses WHERE registration = ? AND kind = ?';
      await database.execute(forget, [registration, 'previous_secret']);
      const copy = `${insert} SELECT registration, 'previous_secret', used_at FROM client_uses
        WHERE registration = ? AND kind = 'secret' AND used_at >= ?`;
      // Another process may note a use of the previous secret meanwhile.
      const ofNew = database.dialect === 'mysql' ? 'VALUES(used_at)' : 'excluded.used_at';
      await database.execute(`${copy} ${onConflict} used_at = ${ofNew}`, [registration, setAt]);
      await database.execute(forget, [registration, 'secret']);
    },
    async begin(now) {
      const { registration, kind } = beginningOfUses;
      const sql = 'SELECT used_at FROM client_uses WHERE registration = ? AND kind = ?';
      if ((await database.query(sql, [registration, kind])).length > 0) return;
      await insertUnlessTaken(database, 'client_uses', { registration, kind, used_at: now });
    },
    async deleteOf(registrationId) {
      await database.execute('DELETE FROM client_uses WHERE registration = ?', [idToBytes(registrationId)]);
    },
  };
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
