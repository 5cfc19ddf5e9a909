import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow } from '@gatehouse/service-kit/database';
import type { PushedRequest } from './pushed-request.ts';
import type { PushedRequestRow } from './pushed-request-table.ts';

export interface PushedRequestStore {
  insert(request: PushedRequest): Promise<void>;
  find(idHash: Buffer): Promise<PushedRequest | undefined>;
  /** Uses a request up: its parameters are empty from then on. True for exactly one caller. */
  consume(idHash: Buffer): Promise<boolean>;
}

export function createPushedRequestStore(database: Database): PushedRequestStore {
  return {
    async insert({ idHash, registrationId, parameters, expiresAt }) {
      const registration = idToBytes(registrationId);
      const row = { id_hash: idHash, registration_id: registration, parameters, expires_at: expiresAt };
      await insertRow(database, 'pushed_requests', row satisfies PushedRequestRow);
    },
    async find(idHash) {
      const [row] = await database.query<PushedRequestRow>('SELECT * FROM pushed_requests WHERE id_hash = ?', [idHash]);
      if (row === undefined) return undefined;
      const registrationId = idFromBytes(row.registration_id);
      return { idHash, registrationId, parameters: row.parameters, expiresAt: Number(row.expires_at) };
    },
    async consume(idHash) {
      const sql = "UPDATE pushed_requests SET parameters = '' WHERE id_hash = ? AND parameters <> ''";
      return (await database.execute(sql, [idHash])) === 1;
    },
  };
}
