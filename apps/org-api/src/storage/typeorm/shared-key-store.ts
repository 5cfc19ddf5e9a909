import { randomBytes } from 'node:crypto';
import { type Database, isDuplicateKey } from '@gatehouse/service-kit';
import type { SharedKeyRow } from './tables.ts';

/** Keys that every replica of this service has, and that guard nothing but what lives for minutes. */
export interface SharedKeyStore {
  /** The 32 bytes of that name; made by whoever asks first. */
  getOrMake(name: string): Promise<Buffer>;
}

export function createSharedKeyStore(database: Database): SharedKeyStore {
  return {
    async getOrMake(name) {
      const rows = database.manager().getRepository<SharedKeyRow>('SharedKey');
      try {
        await rows.insert({ name, value: randomBytes(32) });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      return (await rows.findOneByOrFail({ name })).value;
    },
  };
}
