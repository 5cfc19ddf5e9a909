import { idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { User } from '../users/user.ts';

type SeenMethods = Pick<User, 'id' | 'methodsVersion'>;

export type GuardedPasswords = ReturnType<typeof createGuardedPasswords>;

/**
 * The gate before each change of the methods of a user, in the row of the user: of several changes at the same moment one
 * passes. It also moves the hash of the password to a column that a release without second steps does not read.
 */
export function createGuardedPasswords(database: Database) {
  const execute = async (sql: string, parameters: readonly unknown[]) =>
    (await database.execute(sql, parameters)) === 1;
  return {
    /** For a method that is added next. False where the methods or the password changed since they were seen. */
    guard({ id, methodsVersion, passwordChangedAt }: SeenMethods & Pick<User, 'passwordChangedAt'>): Promise<boolean> {
      const sql = `UPDATE users SET methods_version = methods_version + 1,
        guarded_hash = COALESCE(password_hash, guarded_hash), password_hash = NULL
        WHERE id = ? AND methods_version = ? AND password_changed_at = ?`;
      return execute(sql, [idToBytes(id), methodsVersion, passwordChangedAt]);
    },
    /**
     * For a method that is removed next. Sessions and tokens issued before `now` are void. Where that is the last second step, the
     * password moves back. False where the methods changed since they were seen.
     */
    release({ id, methodsVersion }: SeenMethods, { isLast, now }: { isLast: boolean; now: number }): Promise<boolean> {
      const moved = 'password_hash = COALESCE(password_hash, guarded_hash), guarded_hash = NULL,';
      const sql = `UPDATE users SET ${isLast ? moved : ''} methods_version = methods_version + 1,
        password_changed_at = ? WHERE id = ? AND methods_version = ?`;
      return execute(sql, [now, idToBytes(id), methodsVersion]);
    },
    /** Guards the password that a replica of the release before wrote meanwhile. */
    async guardAgain({ id }: Pick<User, 'id'>): Promise<void> {
      const sql = `UPDATE users SET guarded_hash = password_hash, password_hash = NULL
        WHERE id = ? AND password_hash IS NOT NULL`;
      await database.execute(sql, [idToBytes(id)]);
    },
    /** Moves the password of a user back whose first method never came, because the process ended in between. */
    async releaseUnused({ id, methodsVersion }: SeenMethods): Promise<void> {
      const sql = `UPDATE users SET password_hash = COALESCE(password_hash, guarded_hash), guarded_hash = NULL
        WHERE id = ? AND methods_version = ? AND NOT EXISTS (SELECT 1 FROM code_apps WHERE code_apps.user_id = users.id)
        AND NOT EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)`;
      await database.execute(sql, [idToBytes(id), methodsVersion]);
    },
  };
}
