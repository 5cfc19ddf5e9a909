import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { RequestBudgetRow } from './request-budget-table.ts';

export interface RequestBudgetStore {
  /** True for at most `limit` callers, whichever replicas they ask, as long as the row lives. */
  take(keyHash: Buffer, budget: { limit: number; expiresAt: number }): Promise<boolean>;
}

export function createRequestBudgetStore(database: Database): RequestBudgetStore {
  return {
    async take(keyHash, { limit, expiresAt }) {
      const count = async () => {
        const sql = 'UPDATE request_budgets SET used = used + 1 WHERE key_hash = ? AND used < ?';
        return (await database.execute(sql, [keyHash, limit])) === 1;
      };
      if (await count()) return true;
      // No row yet, or nothing left in it. Of several who insert the first one does, and the others count again.
      const first: RequestBudgetRow = { key_hash: keyHash, used: 1, expires_at: expiresAt };
      return (await insertUnlessTaken(database, 'request_budgets', first)) || count();
    },
  };
}
