import { type Database, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import type { PushedRequestStore } from '../stores.ts';
import { rowsOf } from './rows.ts';
import type { PushedRequestRow } from './tables/grant-tables.ts';

export function createPushedRequestStore(database: Database): PushedRequestStore {
  const rows = () => rowsOf<PushedRequestRow>(database, 'PushedRequest');
  return {
    async insert({ idHash, registrationId, parameters, expiresAt }) {
      const registration = idToBytes(registrationId);
      await rows().insert({ id_hash: idHash, registration_id: registration, parameters, expires_at: expiresAt });
    },
    async find(idHash) {
      const row = await rows().findOneBy({ id_hash: idHash });
      if (row === null) return undefined;
      const registrationId = idFromBytes(row.registration_id);
      return { idHash, registrationId, parameters: row.parameters, expiresAt: row.expires_at };
    },
    async consume(idHash) {
      return (await rows().delete({ id_hash: idHash })).affected === 1;
    },
  };
}
