import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { ResourceScope } from './resource.ts';
import type { ResourceScopeRow } from './resource-table.ts';

/** A name that a resource has taken. */
export interface TakenScopeName {
  /** The id of the scope. */
  id: string;
  name: string;
  resourceId: string;
  takenAt: number;
}

/** The scope names of all resources. A name is taken before the resource shows it, and given back after it does not. */
export interface ScopeNameStore {
  /** Takes the name for the resource. False where it is taken: exactly one of several at the same moment has it. */
  take(resourceId: string, scope: ResourceScope, now: number): Promise<boolean>;
  /** Gives names back by the ids of their scopes. */
  giveBack(scopeIds: readonly string[]): Promise<void>;
  giveBackAllOf(resourceId: string): Promise<void>;
  find(names: readonly string[]): Promise<TakenScopeName[]>;
}

export function createScopeNameStore(database: Database): ScopeNameStore {
  return {
    take(resourceId, { id, name }, now) {
      const row = { id: idToBytes(id), name, resource_id: idToBytes(resourceId), taken_at: now };
      return insertUnlessTaken(database, 'resource_scopes', row satisfies ResourceScopeRow);
    },
    async giveBack(scopeIds) {
      if (scopeIds.length === 0) return;
      const marks = scopeIds.map(() => '?').join(', ');
      await database.execute(`DELETE FROM resource_scopes WHERE id IN (${marks})`, scopeIds.map(idToBytes));
    },
    async giveBackAllOf(resourceId) {
      await database.execute('DELETE FROM resource_scopes WHERE resource_id = ?', [idToBytes(resourceId)]);
    },
    async find(names) {
      if (names.length === 0) return [];
      const sql = `SELECT * FROM resource_scopes WHERE name IN (${names.map(() => '?').join(', ')})`;
      return (await database.query<ResourceScopeRow>(sql, names)).map((row) => ({
        id: idFromBytes(row.id),
        name: row.name,
        resourceId: idFromBytes(row.resource_id),
        takenAt: Number(row.taken_at),
      }));
    },
  };
}
