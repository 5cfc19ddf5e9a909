import { idToBytes } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { User } from '../users/user.ts';
import { hashInForce } from '../users/user-store.ts';

type SeenMethods = Pick<User, 'id' | 'methodsVersion' | 'passwordChangedAt'>;

/** The version of the methods that a change made, for the statements that follow: they do nothing once another change passed. */
export interface ClaimedMethods {
  userId: string;
  version: number;
}

/** A condition for statements that follow a claim, with its parameters. */
export function whileClaimed({ userId, version }: ClaimedMethods): { condition: string; parameters: unknown[] } {
  const condition = 'EXISTS (SELECT 1 FROM users WHERE users.id = ? AND users.methods_version = ?)';
  return { condition, parameters: [idToBytes(userId), version] };
}

export type GuardedPasswords = ReturnType<typeof createGuardedPasswords>;

/**
 * The gate before each change of the methods of a user, in the row of the user: of several changes at the same moment one
 * passes, and what it decides by is read behind the gate. It also moves the hash of the password to a column that a release
 * without second steps does not read. There the empty text stands for a user without a password, who signs in by a passkey alone.
 */
export function createGuardedPasswords(database: Database) {
  const execute = async (sql: string, parameters: readonly unknown[]) =>
    (await database.execute(sql, parameters)) === 1;
  /** Undefined where the methods or the password changed since they were seen. */
  const claim = async (seen: SeenMethods, assignments: string, values: readonly unknown[] = []) => {
    const { id: userId, methodsVersion, passwordChangedAt } = seen;
    const sql = `UPDATE users SET methods_version = methods_version + 1, ${assignments}
      WHERE id = ? AND methods_version = ? AND password_changed_at = ?`;
    const passed = await execute(sql, [...values, idToBytes(userId), methodsVersion, passwordChangedAt]);
    return passed ? { userId, version: methodsVersion + 1 } : undefined;
  };
  return {
    /** For a method that is added next. */
    guard: (seen: SeenMethods): Promise<ClaimedMethods | undefined> =>
      claim(seen, "guarded_hash = COALESCE(password_hash, guarded_hash, ''), password_hash = NULL"),
    /** For a method that is removed next. Sessions and tokens issued before `voidedAt` (milliseconds) are void, where that is given. */
    claim: (seen: SeenMethods, voidedAt: number | undefined): Promise<ClaimedMethods | undefined> =>
      claim(seen, 'password_changed_at = COALESCE(?, password_changed_at)', [voidedAt ?? null]),
    /** Moves the password back, of a user whose last second step was removed. False where another change passed meanwhile. */
    release({ userId, version }: ClaimedMethods): Promise<boolean> {
      const sql = `UPDATE users SET password_hash = COALESCE(password_hash, NULLIF(guarded_hash, '')), guarded_hash = NULL
        WHERE id = ? AND methods_version = ?`;
      return execute(sql, [idToBytes(userId), version]);
    },
    /** The same of a user whose second steps are all removed; or removes the password, too. */
    reset(claimed: ClaimedMethods, { password }: { password: boolean }): Promise<boolean> {
      if (!password) return this.release(claimed);
      const sql = `UPDATE users SET password_hash = NULL, guarded_hash = NULL, imported_hash = NULL, imported_form = NULL
        WHERE id = ? AND methods_version = ?`;
      return execute(sql, [idToBytes(claimed.userId), claimed.version]);
    },
    /**
     * Removes the password of a user who has another way in. `isGuarded`: the user has a second step. False where there is no password,
     * or another change passed meanwhile.
     */
    removePassword({ userId, version }: ClaimedMethods, isGuarded: boolean): Promise<boolean> {
      const sql = `UPDATE users SET password_hash = NULL, guarded_hash = ?, imported_hash = NULL, imported_form = NULL
        WHERE id = ? AND methods_version = ? AND ${hashInForce} <> ''`;
      return execute(sql, [isGuarded ? '' : null, idToBytes(userId), version]);
    },
    /** Guards the password that a replica of the release before wrote meanwhile. */
    async guardAgain({ id }: Pick<User, 'id'>): Promise<void> {
      const sql = `UPDATE users SET guarded_hash = password_hash, password_hash = NULL
        WHERE id = ? AND password_hash IS NOT NULL`;
      await database.execute(sql, [idToBytes(id)]);
    },
    /** Moves the password of a user back whose first method never came, because the process ended in between. */
    async releaseUnused({ id, methodsVersion }: Pick<User, 'id' | 'methodsVersion'>): Promise<void> {
      const sql = `UPDATE users SET password_hash = COALESCE(password_hash, NULLIF(guarded_hash, '')), guarded_hash = NULL
        WHERE id = ? AND methods_version = ? AND NOT EXISTS (SELECT 1 FROM code_apps WHERE code_apps.user_id = users.id)
        AND NOT EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)`;
      await database.execute(sql, [idToBytes(id), methodsVersion]);
    },
  };
}
