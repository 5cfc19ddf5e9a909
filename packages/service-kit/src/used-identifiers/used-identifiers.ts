import type { Database } from '../database/database.ts';
import { createInsert, isInserted } from '../database/insert-row.ts';
import { type UsedIdentifierRow, usedIdentifierTable } from './used-identifier-table.ts';

/** Identifiers that work once: the `jti` of client assertions and DPoP proofs, for example. */
export interface UsedIdentifiers {
  /** False where the identifier was used before. Of several uses at the same moment exactly one gets true. */
  use(identifierHash: Buffer, expiresAt: number): Promise<boolean>;
}

export function createUsedIdentifiers(database: Database): UsedIdentifiers {
  const insert = createInsert<UsedIdentifierRow>(database, usedIdentifierTable);
  return {
    use: (identifierHash, expiresAt) => isInserted(insert({ identifier_hash: identifierHash, expires_at: expiresAt })),
  };
}
