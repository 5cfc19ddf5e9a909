import type { Database } from '../database/database.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { usedIdentifierTable } from './used-identifier-table.ts';

/** What may be used once: `jti` of client assertions and DPoP proofs. */
export interface UsedIdentifiers {
  /** False where the identifier was used before: of several at the same moment exactly one is told true. */
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
