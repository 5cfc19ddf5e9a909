import { randomBytes } from 'node:crypto';
import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { SharedKeyRow } from './shared-key-table.ts';

/** Keys that all replicas of this service share. None protects what must stay secret for longer than minutes. */
export interface SharedKeyStore {
  /** Gives the 32 bytes of that name. The first replica that asks makes them. */
  getOrMake(name: string): Promise<Buffer>;
}

export function createSharedKeyStore(database: Database): SharedKeyStore {
  return {
    async getOrMake(name) {
      await insertUnlessTaken(database, 'shared_keys', { name, value: randomBytes(32) });
      const [row] = await database.query<SharedKeyRow>('SELECT value FROM shared_keys WHERE name = ?', [name]);
      if (row === undefined) throw new Error(`the key ${name} was stored and is gone`);
      return row.value;
    },
  };
}
