import { type Database, emptyTables } from '@gatehouse/service-kit/database';

/** The tables of what is under way or signed in. Clients, consents and registration tokens are in others. */
const tablesOfSignIns = [
  'browser_sessions',
  'session_participants',
  'remembered_browsers',
  'refresh_tokens',
  'authorization_codes',
  'device_codes',
  'pushed_requests',
  'upstream_attempts',
] as const;

/** The signing keys come first: with them all tokens end that no row stands for. auth-server makes others at its start. */
const endedTables = ['signing_keys', ...tablesOfSignIns] as const;

/** Ends what anybody was issued or began. Gives the deleted rows by table. Cut off half way and done again it does the rest. */
export function endEverything(database: Database): Promise<Record<string, number>> {
  return emptyTables(database, endedTables);
}

/** Rows of a table that count at a moment, and the end (milliseconds) of the last of them. */
export interface RowsInForce {
  table: string;
  rows: number;
  lastUntil: number;
}

/** Counts what {@link endEverything} would end, without tables where nothing is in force at `now` (milliseconds). */
export async function countInForce(database: Database, now: number): Promise<RowsInForce[]> {
  const counted = await Promise.all(
    endedTables.map(async (table) => {
      const sql = `SELECT COUNT(*) AS found, MAX(expires_at) AS last FROM ${table} WHERE expires_at > ?`;
      const [row] = await database.query<{ found: number; last: number | null }>(sql, [now]);
      return { table, rows: Number(row?.found ?? 0), lastUntil: Number(row?.last ?? 0) };
    }),
  );
  return counted.filter(({ rows }) => rows > 0);
}
