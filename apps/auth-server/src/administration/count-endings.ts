import { type Clock, type Ending, idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Client } from '../clients/client.ts';

/** Lists the kinds of things that a change of a client ends, with the number of each; a deletion where `after` is undefined. */
export type CountEndings = (before: Client, after: Client | undefined) => Promise<Ending[]>;

type What = Exclude<Ending['what'], 'sessions'>;

/** The most that are counted, and the most codes that are looked through: they live for a minute. */
const mostCounted = 1_000;
const mostCodes = 10_000;

export function createCountEndings(database: Database, clock: Clock): CountEndings {
  const readNumbers = async (sql: string, values: readonly unknown[]): Promise<Record<string, number>> => {
    const [row = {}] = await database.query<Record<string, number | string | null>>(sql, values);
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
  };
  const countRows = async (table: string, condition: string, values: readonly unknown[]) => {
    const rows = `SELECT 1 AS one FROM ${table} WHERE registration_id = ? AND ${condition} LIMIT ${mostCounted + 1}`;
    const { found = 0 } = await readNumbers(`SELECT COUNT(*) AS found FROM (${rows}) AS listed`, values);
    return found;
  };
  const buildEnding = (what: What, found: number, isExact = found <= mostCounted): Ending => ({
    what,
    count: Math.min(found, mostCounted),
    count_is_exact: isExact,
  });

  const counts: Record<What, (id: Buffer, now: number) => Promise<Ending>> = {
    // Statuses are given out in blocks, and a block is not told from a token.
    async access_tokens(id, now) {
      const sql = 'SELECT SUM(size) AS size FROM status_blocks WHERE registration_id = ? AND expires_at > ?';
      const { size = 0 } = await readNumbers(sql, [id, now]);
      return buildEnding('access_tokens', size, size === 0);
    },
    refresh_tokens: async (id, now) =>
      buildEnding('refresh_tokens', await countRows('refresh_tokens', 'expires_at > ?', [id, now])),
    // No index leads from a client to its codes, which would cost each sign-in.
    async codes(id, now) {
      const recent = `SELECT registration_id FROM authorization_codes
        WHERE expires_at > ? AND consumed_at IS NULL LIMIT ${mostCodes}`;
      const { seen = 0, own = 0 } = await readNumbers(
        `SELECT COUNT(*) AS seen, SUM(CASE WHEN registration_id = ? THEN 1 ELSE 0 END) AS own FROM (${recent}) AS recent`,
        [id, now],
      );
      const found = own + (await countRows('device_codes', 'open_until > ?', [id, now]));
      return buildEnding('codes', found, seen < mostCodes && found <= mostCounted);
    },
    consents: async (id) => buildEnding('consents', await countRows('consents', '1 = 1', [id])),
  };

  return (before, after) =>
    Promise.all(listEnded(before, after).map((what) => counts[what](idToBytes(before.registrationId), clock())));
}

function listEnded(before: Client, after: Client | undefined): What[] {
  if (after === undefined) return ['access_tokens', 'refresh_tokens', 'codes', 'consents'];
  const endsGrants = after.grantGeneration > before.grantGeneration;
  const endsCodes = endsGrants || after.codeGeneration > before.codeGeneration;
  return [
    ...(after.tokenGeneration > before.tokenGeneration ? (['access_tokens'] as const) : []),
    ...(endsGrants ? (['refresh_tokens'] as const) : []),
    ...(endsCodes ? (['codes'] as const) : []),
  ];
}
