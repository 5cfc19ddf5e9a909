import { findIdBytes, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { createRecentLookup, type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import { aliasPattern, type Upstream, type UpstreamKind, upstreamDefaults } from './upstream.ts';
import type { UpstreamRow } from './upstream-table.ts';

/** The most upstreams of a realm. */
export const mostUpstreams = 50;

export interface UpstreamStore {
  /** False where the alias is taken: exactly one of several at the same moment is inserted. */
  insert(upstream: Upstream): Promise<boolean>;
  /** Any text may stand for the alias. */
  findByAlias(alias: string): Promise<Upstream | undefined>;
  /** All of them in the order of their registration, as they were at most a second ago; what was changed here is known here at once. */
  listRecent(): Promise<readonly Upstream[]>;
  list(page: { after: string | undefined; limit: number }): Promise<Upstream[]>;
  count(): Promise<number>;
  /** All that changes. False where it is gone or was changed since `seenUpdatedAt`. */
  update(upstream: Upstream, seenUpdatedAt: number): Promise<boolean>;
  /** Another form of the same secret, so no change; none where another secret took its place. */
  replaceSealedSecret(seen: Upstream, sealedSecret: string): Promise<void>;
  /** Makes a version without a secret; none where another secret took its place. */
  forgetSecret(seen: Upstream, now: number): Promise<void>;
  /** False where it is gone or was changed since it was seen. */
  delete(seen: Upstream): Promise<boolean>;
}

const changeable = [
  'display_name',
  'enabled',
  'client_id',
  'client_secret',
  'members',
  'updated_at',
] as const satisfies (keyof UpstreamRow)[];

const isAlias = new RegExp(aliasPattern);

/** The one key of the list of all. */
const allKey = '';

export function createUpstreamStore(database: Database): UpstreamStore {
  const list: UpstreamStore['list'] = async ({ after, limit }) => {
    const start = after === undefined ? undefined : findIdBytes(after);
    const where = start === undefined ? '' : 'WHERE id > ?';
    const sql = `SELECT * FROM upstreams ${where} ORDER BY id LIMIT ?`;
    const found = await database.query<UpstreamRow>(sql, [...(start === undefined ? [] : [start]), limit]);
    return found.map(upstreamFromRow);
  };
  const all = createRecentLookup(() => list({ after: undefined, limit: mostUpstreams }));
  /** Passes on whether a change was made, which the next one who asks has to see. */
  const changed = (isChanged: boolean) => {
    all.forget(allKey);
    return isChanged;
  };
  return {
    list,
    listRecent: async () => (await all.find(allKey)) ?? [],
    insert: async (upstream) => changed(await insertUnlessTaken(database, 'upstreams', rowFromUpstream(upstream))),
    async findByAlias(alias) {
      // MySQL compares no other text with an ASCII column.
      if (!isAlias.test(alias)) return undefined;
      const [row] = await database.query<UpstreamRow>('SELECT * FROM upstreams WHERE alias = ?', [alias]);
      return row && upstreamFromRow(row);
    },
    async count() {
      const [row] = await database.query<{ found: number }>('SELECT COUNT(*) AS found FROM upstreams');
      return Number(row?.found ?? 0);
    },
    async update(upstream, seenUpdatedAt) {
      const row = rowFromUpstream(upstream);
      const set = changeable.map((name) => `${name} = ?`).join(', ');
      const sql = `UPDATE upstreams SET ${set} WHERE id = ? AND updated_at = ?`;
      const values = [...changeable.map((name) => row[name]), row.id, seenUpdatedAt];
      return changed((await database.execute(sql, values)) === 1);
    },
    async replaceSealedSecret({ id, sealedSecret: seen }, sealedSecret) {
      const sql = 'UPDATE upstreams SET client_secret = ? WHERE id = ? AND client_secret = ?';
      await database.execute(sql, [sealedSecret, idToBytes(id), seen]);
    },
    async forgetSecret({ id, sealedSecret, updatedAt }, now) {
      const sql = 'UPDATE upstreams SET client_secret = NULL, updated_at = ? WHERE id = ? AND client_secret = ?';
      await database.execute(sql, [Math.max(now, updatedAt + 1), idToBytes(id), sealedSecret]);
    },
    async delete({ id, updatedAt }) {
      const sql = 'DELETE FROM upstreams WHERE id = ? AND updated_at = ?';
      return changed((await database.execute(sql, [idToBytes(id), updatedAt])) === 1);
    },
  };
}

/** The members that stand in the document of the row. */
type Members = Omit<
  Upstream,
  | 'id'
  | 'alias'
  | 'displayName'
  | 'enabled'
  | 'kind'
  | 'issuer'
  | 'clientId'
  | 'sealedSecret'
  | 'createdAt'
  | 'updatedAt'
>;

function upstreamFromRow(row: UpstreamRow): Upstream {
  return {
    ...upstreamDefaults,
    ...(JSON.parse(row.members) as Members),
    id: idFromBytes(row.id),
    alias: row.alias,
    displayName: row.display_name,
    enabled: Boolean(row.enabled),
    kind: row.kind as UpstreamKind,
    issuer: row.issuer,
    clientId: row.client_id,
    sealedSecret: row.client_secret ?? undefined,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

function rowFromUpstream(upstream: Upstream): UpstreamRow {
  const { id, alias, displayName, enabled, kind, issuer, clientId, sealedSecret, createdAt, updatedAt, ...rest } =
    upstream;
  const members: Members = rest;
  return {
    ...{ id: idToBytes(id), alias, display_name: displayName, enabled: enabled ? 1 : 0, kind, issuer },
    client_id: clientId,
    client_secret: sealedSecret ?? null,
    members: JSON.stringify(members),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
