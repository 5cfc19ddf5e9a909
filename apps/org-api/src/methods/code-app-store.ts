import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, optionalNumber } from '@gatehouse/service-kit/database';
import type { CodeApp } from './code-app.ts';
import type { CodeAppRow } from './code-app-table.ts';
import { type ClaimedMethods, whileClaimed } from './guarded-passwords.ts';

export type CodeAppStore = ReturnType<typeof createCodeAppStore>;

/** The code apps of users, one a user at most. */
export function createCodeAppStore(database: Database) {
  return {
    async find(userId: string): Promise<CodeApp | undefined> {
      const sql = 'SELECT * FROM code_apps WHERE user_id = ?';
      const [row] = await database.query<CodeAppRow>(sql, [idToBytes(userId)]);
      return row && codeAppFromRow(row);
    },
    async listOfUsers(userIds: readonly string[]): Promise<CodeApp[]> {
      if (userIds.length === 0) return [];
      const sql = `SELECT * FROM code_apps WHERE user_id IN (${userIds.map(() => '?').join(', ')})`;
      return (await database.query<CodeAppRow>(sql, userIds.map(idToBytes))).map(codeAppFromRow);
    },
    /** Replaces the app before. False where the methods changed meanwhile. */
    async put(
      claimed: ClaimedMethods,
      { userId, sealedSecret, lastStep, createdAt, lastUsedAt }: CodeApp,
    ): Promise<boolean> {
      const { condition, parameters } = whileClaimed(claimed);
      const values = [sealedSecret, lastStep, createdAt, lastUsedAt ?? null, idToBytes(userId)];
      const replace = `UPDATE code_apps SET sealed_secret = ?, last_step = ?, created_at = ?, last_used_at = ?
        WHERE user_id = ? AND ${condition}`;
      if ((await database.execute(replace, [...values, ...parameters])) === 1) return true;
      const insert = `INSERT INTO code_apps (sealed_secret, last_step, created_at, last_used_at, user_id)
        SELECT ?, ?, ?, ?, ? FROM users WHERE users.id = ? AND users.methods_version = ?`;
      return (await database.execute(insert, [...values, ...parameters])) === 1;
    },
    /** Uses a step up; false where it, or one after it, is used up, or the app was replaced. */
    async useStep({ userId, sealedSecret }: CodeApp, step: number, now: number): Promise<boolean> {
      const sql = `UPDATE code_apps SET last_step = ?, last_used_at = ?
        WHERE user_id = ? AND sealed_secret = ? AND last_step < ?`;
      return (await database.execute(sql, [step, now, idToBytes(userId), sealedSecret, step])) === 1;
    },
    /** Apps whose secret does not start with this text, without those whose secret was lost. */
    async listOthers(prefix: string, limit: number): Promise<CodeApp[]> {
      const sql = "SELECT * FROM code_apps WHERE SUBSTR(sealed_secret, 1, ?) <> ? AND sealed_secret <> '' LIMIT ?";
      const rows = await database.query<CodeAppRow>(sql, [prefix.length, prefix, limit]);
      return rows.map(codeAppFromRow);
    },
    /** Stores the secret under another key; nothing where the app was replaced meanwhile. */
    async replaceSealed({ userId, sealedSecret }: CodeApp, next: string): Promise<void> {
      const sql = 'UPDATE code_apps SET sealed_secret = ? WHERE user_id = ? AND sealed_secret = ?';
      await database.execute(sql, [next, idToBytes(userId), sealedSecret]);
    },
    /** Apps whose secret was not lost, in the order of their users, after the user of the page before. */
    async list({ after, limit }: { after: string | undefined; limit: number }): Promise<CodeApp[]> {
      const start = after === undefined ? undefined : idToBytes(after);
      const sql = `SELECT * FROM code_apps WHERE sealed_secret <> ''${start === undefined ? '' : ' AND user_id > ?'}
        ORDER BY user_id LIMIT ?`;
      const rows = await database.query<CodeAppRow>(sql, [...(start === undefined ? [] : [start]), limit]);
      return rows.map(codeAppFromRow);
    },
    /** Deletes the app of a user who has a passkey; of another one its secret alone. Nothing where the app was replaced meanwhile. */
    async loseSecret({ userId, sealedSecret }: CodeApp): Promise<void> {
      const seen = [idToBytes(userId), sealedSecret];
      const ofPasskeys = 'EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = code_apps.user_id)';
      await database.execute(`DELETE FROM code_apps WHERE user_id = ? AND sealed_secret = ? AND ${ofPasskeys}`, seen);
      await database.execute("UPDATE code_apps SET sealed_secret = '' WHERE user_id = ? AND sealed_secret = ?", seen);
    },
    /** Deletes the app of a user who has another second step from now on, where its secret was lost. */
    async deleteLost(userId: string): Promise<void> {
      await database.execute("DELETE FROM code_apps WHERE user_id = ? AND sealed_secret = ''", [idToBytes(userId)]);
    },
    /** False where the methods changed meanwhile. */
    async deleteWhile(claimed: ClaimedMethods): Promise<boolean> {
      const { condition, parameters } = whileClaimed(claimed);
      const sql = `DELETE FROM code_apps WHERE user_id = ? AND ${condition}`;
      return (await database.execute(sql, [idToBytes(claimed.userId), ...parameters])) === 1;
    },
    async delete(userId: string): Promise<void> {
      await database.execute('DELETE FROM code_apps WHERE user_id = ?', [idToBytes(userId)]);
    },
  };
}

function codeAppFromRow(row: CodeAppRow): CodeApp {
  return {
    userId: idFromBytes(row.user_id),
    sealedSecret: row.sealed_secret,
    lastStep: Number(row.last_step),
    createdAt: Number(row.created_at),
    lastUsedAt: optionalNumber(row.last_used_at),
  };
}
