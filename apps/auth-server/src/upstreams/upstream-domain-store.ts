import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import type { UpstreamDomainRow } from './upstream-domain-table.ts';

/** A domain that an upstream has taken. */
export interface TakenDomain {
  domain: string;
  upstreamId: string;
  /** Milliseconds since the epoch. */
  takenAt: number;
}

/** The domains of all upstreams. A domain is taken before its upstream shows it, and given back after it does not. */
export interface UpstreamDomainStore {
  /** False where any upstream has it: exactly one of several at the same moment takes it. */
  take(taken: TakenDomain): Promise<boolean>;
  /** Gives back what was seen: a domain that was taken once more since then stays. */
  giveBack(taken: readonly TakenDomain[]): Promise<void>;
  giveBackAllOf(upstreamId: string): Promise<void>;
  find(domains: readonly string[]): Promise<TakenDomain[]>;
}

export function createUpstreamDomainStore(database: Database): UpstreamDomainStore {
  return {
    take({ domain, upstreamId, takenAt }) {
      const row = { domain, upstream_id: idToBytes(upstreamId), taken_at: takenAt };
      return insertUnlessTaken(database, 'upstream_domains', row satisfies UpstreamDomainRow);
    },
    async giveBack(taken) {
      const sql = 'DELETE FROM upstream_domains WHERE domain = ? AND upstream_id = ? AND taken_at = ?';
      for (const { domain, upstreamId, takenAt } of taken) {
        await database.execute(sql, [domain, idToBytes(upstreamId), takenAt]);
      }
    },
    async giveBackAllOf(upstreamId) {
      await database.execute('DELETE FROM upstream_domains WHERE upstream_id = ?', [idToBytes(upstreamId)]);
    },
    async find(domains) {
      if (domains.length === 0) return [];
      const sql = `SELECT * FROM upstream_domains WHERE domain IN (${domains.map(() => '?').join(', ')})`;
      return (await database.query<UpstreamDomainRow>(sql, domains)).map((row) => ({
        domain: row.domain,
        upstreamId: idFromBytes(row.upstream_id),
        takenAt: Number(row.taken_at),
      }));
    },
  };
}
