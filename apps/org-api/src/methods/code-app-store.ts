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
    /** Apps whose secret does not start with this text. */
    async listOthers(prefix: string, limit: number): Promise<CodeApp[]> {
      const sql = 'SELECT * FROM code_apps WHERE SUBSTR(sealed_secret, 1, ?) <> ? LIMIT ?';
      const rows = await database.query<CodeAppRow>(sql, [prefix.length, prefix, limit]);
      return rows.map(codeAppFromRow);
    },
    /** Stores the secret under another key; nothing where the app was replaced meanwhile. */
    async replaceSealed({ userId, sealedSecret }: CodeApp, next: string): Promise<void> {
      const sql = 'UPDATE code_apps SET sealed_secret = ? WHERE user_id = ? AND sealed_secret = ?';
      await database.execute(sql, [next, idToBytes(userId), sealedSecret]);
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
