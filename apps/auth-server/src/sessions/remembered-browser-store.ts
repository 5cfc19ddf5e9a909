import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow } from '@gatehouse/service-kit/database';
import type { SessionPlace } from './browser-session.ts';
import { type RememberedBrowserRow, rememberedBrowserTable } from './remembered-browser-table.ts';

/** A browser that is not asked for the second step of a user, as it is stored. Instants are milliseconds. */
export interface RememberedBrowser extends Required<{ [Key in keyof SessionPlace]: string }> {
  /** UUIDv7. */
  id: string;
  /** SHA-256 of the cookie's value. */
  tokenHash: Buffer;
  userId: string;
  passwordChangedAt: number;
  createdAt: number;
  /** Up to ten minutes old. */
  lastUsedAt: number;
  expiresAt: number;
}

export type RememberedBrowserStore = ReturnType<typeof createRememberedBrowserStore>;

export function createRememberedBrowserStore(database: Database) {
  const list = async (column: 'token_hash' | 'user_id', value: Buffer | string): Promise<RememberedBrowser[]> => {
    const sql = `SELECT * FROM ${rememberedBrowserTable} WHERE ${column} = ? ORDER BY id`;
    return (await database.query<RememberedBrowserRow>(sql, [value])).map(fromRow);
  };
  return {
    insert: (browser: RememberedBrowser): Promise<void> =>
      insertRow(database, rememberedBrowserTable, {
        id: idToBytes(browser.id),
        token_hash: browser.tokenHash,
        user_id: browser.userId,
        password_changed_at: browser.passwordChangedAt,
        label: browser.label,
        network: browser.network,
        created_at: browser.createdAt,
        last_used_at: browser.lastUsedAt,
        expires_at: browser.expiresAt,
      } satisfies RememberedBrowserRow),
    /** Those of several users, the oldest first. */
    listByToken: (tokenHash: Buffer) => list('token_hash', tokenHash),
    listOfUser: (userId: string) => list('user_id', userId),
    async touch({ id }: RememberedBrowser, now: number): Promise<void> {
      const sql = `UPDATE ${rememberedBrowserTable} SET last_used_at = ? WHERE id = ?`;
      await database.execute(sql, [now, idToBytes(id)]);
    },
    /** Gives the browser another cookie. */
    async move({ id }: RememberedBrowser, tokenHash: Buffer): Promise<void> {
      const sql = `UPDATE ${rememberedBrowserTable} SET token_hash = ? WHERE id = ?`;
      await database.execute(sql, [tokenHash, idToBytes(id)]);
    },
    /** True for exactly one of several at the same moment. */
    async delete({ id }: Pick<RememberedBrowser, 'id'>): Promise<boolean> {
      return (await database.execute(`DELETE FROM ${rememberedBrowserTable} WHERE id = ?`, [idToBytes(id)])) === 1;
    },
    async deleteOfUser(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${rememberedBrowserTable} WHERE user_id = ?`, [userId]);
    },
  };
}

function fromRow(row: RememberedBrowserRow): RememberedBrowser {
  return {
    id: idFromBytes(row.id),
    tokenHash: row.token_hash,
    userId: row.user_id,
    passwordChangedAt: Number(row.password_changed_at),
    label: row.label,
    network: row.network,
    createdAt: Number(row.created_at),
    lastUsedAt: Number(row.last_used_at),
    expiresAt: Number(row.expires_at),
  };
}
