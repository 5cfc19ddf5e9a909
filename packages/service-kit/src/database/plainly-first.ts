import type { LoadMany } from './batched-lookup.ts';
import { causally, plainly, type StatementReading } from './cluster-statements.ts';
import type { Database } from './database.ts';

/**
 * For rows that may be a moment old, because a conditional write decides, but that must not be missed. Asks plainly.
 * Where another server may have more rows, it then asks causally for the keys that were not found.
 */
export function plainlyFirst<Value>(
  database: Pick<Database, 'isMultiPrimary'>,
  load: (keys: readonly string[], reading: StatementReading) => Promise<ReadonlyMap<string, Value>>,
): LoadMany<Value> {
  return async (keys) => {
    const found = await load(keys, plainly);
    if (!database.isMultiPrimary()) return found;
    const missing = keys.filter((key) => !found.has(key));
    return missing.length === 0 ? found : new Map([...found, ...(await load(missing, causally))]);
  };
}
