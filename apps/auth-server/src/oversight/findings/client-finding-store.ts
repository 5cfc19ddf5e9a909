import { lowestIdAt } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { createTermSearch, type Examined, mostExamined } from '@gatehouse/service-kit/terms';
import { clientFacets, findingTerms } from '../../clients/client-terms.ts';
import { clientTermTable } from '../../clients/client-terms-table.ts';
import { beginningOfUses } from '../../clients/client-use-store.ts';
import { isEnabled, isSecretSetBefore } from '../../clients/listed-finding.ts';

/** Milliseconds: a range of instants; `before` does not count. */
interface Span {
  from: number;
  before: number;
}

export type ClientFindingStore = ReturnType<typeof createClientFindingStore>;

/**
 * Enabled clients that have something in common, each by an index. All examine the first `limit` entries of it at most, but
 * {@link listNeverUsed}, which examines 10,000.
 */
export function createClientFindingStore(database: Database) {
  const search = createTermSearch(database, clientTermTable);
  const examine = async (sql: string, values: readonly unknown[], limit: number): Promise<Examined> => {
    const entries = await database.query<{ client_id: string; listed: number }>(sql, values);
    const listed = entries.slice(0, limit).filter((entry) => Number(entry.listed) === 1);
    return { ids: listed.map((entry) => entry.client_id), isExact: entries.length <= limit };
  };
  /** Clients of uses, in the order of the uses. */
  const examineUses = (
    kind: string,
    { from, before }: Span,
    limit: number,
    also: { sql: string; values: unknown[] },
  ) => {
    const uses = `SELECT registration, used_at FROM client_uses WHERE kind = ? AND used_at >= ? AND used_at < ?
      ORDER BY used_at, registration LIMIT ${limit + 1}`;
    const sql = `SELECT clients.client_id, CASE WHEN ${isEnabled} AND ${also.sql} THEN 1 ELSE 0 END AS listed
      FROM (${uses}) u LEFT JOIN clients ON clients.registration_id = u.registration`;
    return examine(sql, [...also.values, kind, from, before], limit);
  };
  return {
    listByGrantType: (grantType: string, limit: number) =>
      search.examine({ term: clientFacets.grant_type(grantType) }, limit, { sql: isEnabled, values: [] }),
    /** That may use all roles, and nothing says that an administrator who has them gave them. */
    listWithAllRoles(limit: number) {
      const sql = `${isEnabled} AND clients.ceiling IS NULL AND clients.ceiling_given_at IS NULL`;
      return search.examine({ term: findingTerms.allRoles }, limit, { sql, values: [] });
    },
    listWithHttpRedirect: (limit: number) =>
      search.examine({ term: findingTerms.httpRedirect }, limit, { sql: isEnabled, values: [] }),
    /** That have their secret since before an instant, the oldest day first. */
    listWithSecretSince(before: number, limit: number) {
      const range = { from: findingTerms.secretSinceEver, before: findingTerms.secretSince(before) };
      return search.examine(range, limit, isSecretSetBefore(before));
    },
    /** Whose previous secret ends within a span, and was used within `margin` milliseconds of its end. */
    listWithOverlap(ends: Span, margin: number, limit: number) {
      const end = 'clients.previous_secret_expires_at';
      const sql = `${end} >= ? AND ${end} < ? AND u.used_at >= ${end} - ?`;
      const uses = { from: ends.from - margin, before: ends.before };
      return examineUses('previous_secret', uses, limit, { sql, values: [ends.from, ends.before, margin] });
    },
    /** That got no token since an instant, and did before. */
    listUnused: (since: number, limit: number) =>
      examineUses('token', { from: 0, before: since }, limit, { sql: '1 = 1', values: [] }),
    /** That were registered before an instant and never got a token; none where uses are noted since later alone. */
    async listNeverUsed(since: number, limit: number): Promise<Examined> {
      const { registration, kind } = beginningOfUses;
      const begun = 'SELECT used_at FROM client_uses WHERE registration = ? AND kind = ? AND used_at <= ?';
      if ((await database.query(begun, [registration, kind, since])).length === 0) return { ids: [], isExact: true };
      const oldest = 'FROM clients WHERE registration_id < ? ORDER BY registration_id LIMIT';
      const [end] = await database.query(`SELECT 1 ${oldest} 1 OFFSET ${mostExamined}`, [lowestIdAt(since)]);
      // Indices alone are read to find them: a row each would take ten times as long.
      const never = `SELECT o.client_id FROM (SELECT client_id, registration_id ${oldest} ${mostExamined}) o
        LEFT JOIN client_uses u ON u.registration = o.registration_id AND u.kind = 'token'
        WHERE u.registration IS NULL LIMIT ${limit + 1}`;
      const sql = `SELECT n.client_id, CASE WHEN ${isEnabled} THEN 1 ELSE 0 END AS listed
        FROM (${never}) n LEFT JOIN clients ON clients.client_id = n.client_id`;
      const { ids, isExact } = await examine(sql, [lowestIdAt(since)], limit);
      return { ids, isExact: isExact && end === undefined };
    },
  };
}
