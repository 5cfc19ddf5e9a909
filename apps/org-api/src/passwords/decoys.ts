import { createHmac } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import { foldUsername } from '@gatehouse/shared';
import type { SharedKeyStore } from '../users/shared-key-store.ts';

/** Milliseconds for which the forms of the stored hashes are as they were counted. */
const countedFor = 60_000;

/** How many users have a hash of a form; null where it is ours, or there is none. */
interface Share {
  imported_form: string | null;
  users: number;
}

export type FindDecoy = (username: string) => Promise<string | undefined>;

/**
 * Makes the function that chooses what a password is compared with where a name has none: a decoy of the forms in which the
 * hashes are stored, in their shares; undefined for one of ours. A name gets the same one each time, so the time of an answer
 * does not tell whether a user has yet to sign in for the first time.
 */
export function createFindDecoy({
  database,
  sharedKeys,
  clock,
}: {
  database: Database;
  sharedKeys: SharedKeyStore;
  clock: Clock;
}): FindDecoy {
  let key: Promise<Buffer> | undefined;
  let counted: { at: number; shares: Promise<Share[]> } | undefined;

  const count = async (): Promise<Share[]> => {
    const [imported] = await database.query('SELECT 1 FROM users WHERE imported_form IS NOT NULL LIMIT 1');
    if (imported === undefined) return [];
    const sql = 'SELECT imported_form, COUNT(*) AS users FROM users GROUP BY imported_form ORDER BY imported_form';
    const rows = await database.query<Share>(sql);
    return rows.map((row) => ({ ...row, users: Number(row.users) }));
  };
  const readShares = (): Promise<Share[]> => {
    const now = clock();
    if (counted !== undefined && now - counted.at < countedFor) return counted.shares;
    const before = counted?.shares;
    const shares = count();
    counted = { at: now, shares };
    // Until it is counted, and where that fails, it is as it was. Without anything from before it is counted at the next look.
    shares.catch(() => {
      counted = before && { at: now, shares: before };
    });
    return before ?? shares;
  };
  const readKey = (): Promise<Buffer> => {
    key ??= sharedKeys.getOrMake('decoys');
    key.catch(() => {
      key = undefined;
    });
    return key;
  };

  return async (username) => {
    const shares = await readShares();
    if (shares.length === 0) return undefined;
    const digest = createHmac('sha256', await readKey())
      .update(foldUsername(username))
      .digest();
    const all = shares.reduce((sum, { users }) => sum + users, 0);
    let place = (digest.readUIntBE(0, 6) / 2 ** 48) * all;
    const chosen = shares.find(({ users }) => {
      place -= users;
      return place < 0;
    });
    return chosen?.imported_form ?? undefined;
  };
}
