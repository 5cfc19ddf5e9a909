import type { Database } from '@gatehouse/service-kit';
import type { RequestBudgetStore } from '../stores.ts';
import { insertUnlessTaken, rowsOf } from './rows.ts';
import type { RequestBudgetRow } from './tables/grant-tables.ts';

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
      return (await insertUnlessTaken(rowsOf<RequestBudgetRow>(database, 'RequestBudget'), first)) || count();
    },
  };
}
