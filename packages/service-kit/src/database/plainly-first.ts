import type { LoadMany } from './batched-lookup.ts';
import { causally, plainly, type StatementReading } from './cluster-statements.ts';
import type { Database } from './database.ts';

/**
 * For what may be found as it was a moment ago, since a conditional write decides, but must not be missed: asks
 * plainly and, where another server may have more, causally for the keys that were not found.
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
