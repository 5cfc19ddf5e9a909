import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, insertRow } from '@gatehouse/service-kit/database';
import type { Link } from './link.ts';
import { type LinkRow, linkTable } from './link-table.ts';

export type LinkStore = ReturnType<typeof createLinkStore>;

/** The links that were mailed. */
export function createLinkStore(database: Database) {
  return {
    insert: (link: Link): Promise<void> => insertRow(database, linkTable, rowFromLink(link)),
    async find(tokenHash: Buffer): Promise<Link | undefined> {
      const [row] = await database.query<LinkRow>(`SELECT * FROM ${linkTable} WHERE token_hash = ?`, [tokenHash]);
      return row && linkFromRow(row);
    },
    /** The oldest first. */
    async listOfUser(userId: string): Promise<Link[]> {
      const sql = `SELECT * FROM ${linkTable} WHERE user_id = ? ORDER BY link_id`;
      return (await database.query<LinkRow>(sql, [idToBytes(userId)])).map(linkFromRow);
    },
    async setData({ tokenHash }: Link, data: string | undefined): Promise<void> {
      await database.execute(`UPDATE ${linkTable} SET data = ? WHERE token_hash = ?`, [data ?? null, tokenHash]);
    },
    /** True for exactly one of several at the same moment. */
    async delete({ tokenHash }: Link): Promise<boolean> {
      return (await database.execute(`DELETE FROM ${linkTable} WHERE token_hash = ?`, [tokenHash])) === 1;
    },
    /** How many there were. */
    deleteOfPurpose: (userId: string, purpose: Link['purpose']): Promise<number> =>
      database.execute(`DELETE FROM ${linkTable} WHERE user_id = ? AND purpose = ?`, [idToBytes(userId), purpose]),
    async deleteOfUser(userId: string): Promise<void> {
      await database.execute(`DELETE FROM ${linkTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
  };
}

function linkFromRow(row: LinkRow): Link {
  return {
    tokenHash: row.token_hash,
    linkId: idFromBytes(row.link_id),
    keyId: row.key_id,
    purpose: row.purpose as Link['purpose'],
    userId: idFromBytes(row.user_id),
    address: row.address,
    data: row.data ?? undefined,
    passwordChangedAt: Number(row.password_changed_at),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromLink(link: Link): LinkRow {
  return {
    token_hash: link.tokenHash,
    link_id: idToBytes(link.linkId),
    key_id: link.keyId,
    purpose: link.purpose,
    user_id: idToBytes(link.userId),
    address: link.address,
    data: link.data ?? null,
    password_changed_at: link.passwordChangedAt,
    created_at: link.createdAt,
    expires_at: link.expiresAt,
  };
}
