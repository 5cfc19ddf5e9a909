import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { createBatchedLookup } from '../database/batched-lookup.ts';
import type { Database } from '../database/database.ts';
import { putRow } from '../database/insert-row.ts';
import { buildEntryLimit } from '../entry-limit.ts';
import { hashName, hashPair } from './guess-hashes.ts';
import { type KnownNetworkRow, knownNetworkTable } from './known-network-table.ts';

/** Milliseconds for which a network is known after a success; and after which another success is written again. */
const knownFor = 30 * 86_400_000;
const renewedAfter = 86_400_000;
/** The newest networks of one name that are kept. */
const mostOfName = 16;
/** Milliseconds for which a known network is not read again; and the most pairs remembered so. */
const rememberedFor = 10 * 60_000;
const mostRemembered = 50_000;
/** Milliseconds after the first success from which on a network, or a browser, is familiar. */
export const familiarAfter = 86_400_000;

/** The networks from which a name authenticated in the last 30 days: the newest 16 of each name, for all replicas. */
export interface KnownNetworks {
  isKnown(name: string, network: string): Promise<boolean>;
  /** Stores a success, at most once a day. */
  remember(name: string, network: string): Promise<void>;
  /** Whether it is known for a day, so that one from which an attacker just succeeded is not. */
  isFamiliar(name: string, network: string): Promise<boolean>;
}

export function createKnownNetworks({ database, clock }: { database: Database; clock: Clock }): KnownNetworks {
  /** When each pair expires, by its hash in hexadecimal. */
  const remembered = new LRUCache<string, number>({ ttl: rememberedFor, ...buildEntryLimit(mostRemembered) });
  const findExpiry = createBatchedLookup<number>(async (pairs) => {
    const sql = `SELECT pair_hash, expires_at FROM ${knownNetworkTable}
      WHERE pair_hash IN (${pairs.map(() => '?').join(', ')}) AND expires_at > ?`;
    const values = [...pairs.map((pair) => Buffer.from(pair, 'hex')), clock()];
    const rows = await database.query<KnownNetworkRow>(sql, values);
    return new Map(rows.map((row) => [row.pair_hash.toString('hex'), Number(row.expires_at)]));
  });

  const expiryOf = async (pair: string): Promise<number> => {
    const known = remembered.get(pair) ?? 0;
    if (known > clock()) return known;
    const found = (await findExpiry(pair)) ?? 0;
    if (found > 0) remembered.set(pair, found);
    return found;
  };

  const deleteOldest = async (name: Buffer) => {
    const sql = `SELECT expires_at FROM ${knownNetworkTable} WHERE name_hash = ?
      ORDER BY expires_at DESC LIMIT 1 OFFSET ${mostOfName - 1}`;
    const [lastKept] = await database.query<Pick<KnownNetworkRow, 'expires_at'>>(sql, [name]);
    if (lastKept === undefined) return;
    const older = `DELETE FROM ${knownNetworkTable} WHERE name_hash = ? AND expires_at < ?`;
    await database.execute(older, [name, Number(lastKept.expires_at)]);
  };

  return {
    async isKnown(name, network) {
      return (await expiryOf(hashPair(name, network).toString('hex'))) > clock();
    },
    async isFamiliar(name, network) {
      const sql = `SELECT 1 FROM ${knownNetworkTable} WHERE pair_hash = ? AND expires_at > ?
        AND (known_since IS NULL OR known_since <= ?)`;
      const now = clock();
      return (await database.query(sql, [hashPair(name, network), now, now - familiarAfter])).length > 0;
    },
    async remember(name, network) {
      const pair = hashPair(name, network);
      const before = await expiryOf(pair.toString('hex'));
      const expiresAt = clock() + knownFor;
      if (before > expiresAt - renewedAfter) return;
      const nameHash = hashName(name);
      const renew = `UPDATE ${knownNetworkTable} SET expires_at = ? WHERE pair_hash = ?`;
      // The row of one that is remembered here may be gone: another replica stored sixteen newer ones.
      const isRenewed = before > 0 && (await database.execute(renew, [expiresAt, pair])) > 0;
      if (!isRenewed) {
        const row: KnownNetworkRow = {
          pair_hash: pair,
          name_hash: nameHash,
          expires_at: expiresAt,
          known_since: clock(),
        };
        await putRow(database, knownNetworkTable, row, ['pair_hash']);
        await deleteOldest(nameHash);
      }
      remembered.set(pair.toString('hex'), expiresAt);
    },
  };
}
