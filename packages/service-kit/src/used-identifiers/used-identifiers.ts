import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { usedIdentifierTable } from './used-identifier-table.ts';

/** Identifiers that work once: the `jti` of client assertions and DPoP proofs, for example. */
export interface UsedIdentifiers {
  /** False where the identifier was used before. Of several uses at the same moment exactly one gets true. */
  use(identifierHash: Buffer, expiresAt: number): Promise<boolean>;
}

export function createUsedIdentifiers(database: Database): UsedIdentifiers {
  const sql = `INSERT INTO ${usedIdentifierTable} (identifier_hash, expires_at) VALUES (?, ?)`;
  return {
    async use(identifierHash, expiresAt) {
      try {
        await database.execute(sql, [identifierHash, expiresAt]);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
