import { hash } from 'node:crypto';
import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { type Database, isDuplicateKey, putRow } from '@gatehouse/service-kit/database';
import { type ClaimedMethods, whileClaimed } from './guarded-passwords.ts';
import type { Passkey } from './passkey.ts';
import { deletedPasskeyTable, type PasskeyRow, passkeyTable } from './passkey-table.ts';

/** Milliseconds for which a deleted passkey is remembered: 400 days. */
const rememberedFor = 400 * 86_400_000;

/** In `backup_eligible`: its first use here says it. */
const notKnown = 2;

/** The use of a passkey, as its authenticator says. */
export interface PasskeyUse {
  signCount: number;
  backupEligible: boolean;
  backedUp: boolean;
  userVerified: boolean;
}

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

/** The passkeys of users. */
export function createPasskeyStore(database: Database) {
  const select = async (column: 'credential_hash' | 'user_id', value: Buffer): Promise<Passkey[]> => {
    const sql = `SELECT * FROM ${passkeyTable} WHERE ${column} = ? ORDER BY id`;
    return (await database.query<PasskeyRow>(sql, [value])).map(passkeyFromRow);
  };
  const remember = (credentialId: Buffer, now: number) => {
    const row = { credential_hash: hashCredentialId(credentialId), expires_at: now + rememberedFor };
    return putRow(database, deletedPasskeyTable, row, ['credential_hash']);
  };
  const listOfUser = async (userId: string) => select('user_id', idToBytes(userId));
  const findOfUser = async (userId: string, id: string) =>
    (await listOfUser(userId)).find((passkey) => passkey.id === id);
  return {
    async findByCredential(credentialId: Buffer): Promise<Passkey | undefined> {
      return (await select('credential_hash', hashCredentialId(credentialId)))[0];
    },
    /** The oldest first. */
    listOfUser,
    async listOfUsers(userIds: readonly string[]): Promise<Passkey[]> {
      if (userIds.length === 0) return [];
      const marks = userIds.map(() => '?').join(', ');
      const sql = `SELECT * FROM ${passkeyTable} WHERE user_id IN (${marks}) ORDER BY id`;
      return (await database.query<PasskeyRow>(sql, userIds.map(idToBytes))).map(passkeyFromRow);
    },
    /** Empty where the user has no such passkey. */
    findName: async (userId: string, id: string): Promise<string> => (await findOfUser(userId, id))?.name ?? '',
    /** False where there is such a passkey already, of this user or another, or the methods changed meanwhile. */
    insert(claimed: ClaimedMethods, passkey: Passkey): Promise<boolean> {
      const row = passkeyRow(passkey);
      const columns = Object.keys(row);
      const sql = `INSERT INTO ${passkeyTable} (${columns.join(', ')})
        SELECT ${columns.map(() => '?').join(', ')} FROM users WHERE users.id = ? AND users.methods_version = ?`;
      const { parameters } = whileClaimed(claimed);
      return insertOne(database.execute(sql, [...Object.values(row), ...parameters]));
    },
    /** False where the counter is not above the one before, which a copy of the authenticator may be the reason for. */
    async use(
      { credentialId }: Passkey,
      { signCount, backupEligible, backedUp, userVerified }: PasskeyUse,
      now: number,
    ): Promise<boolean> {
      const sql = `UPDATE ${passkeyTable} SET sign_count = ?, backed_up = ?, last_used_at = ?,
        user_verified = CASE WHEN user_verified = 1 THEN 1 ELSE ? END,
        backup_eligible = CASE WHEN backup_eligible = ${notKnown} THEN ? ELSE backup_eligible END
        WHERE credential_hash = ? AND (backup_eligible = 1 OR sign_count < ? OR (sign_count = 0 AND ? = 0))`;
      const key = hashCredentialId(credentialId);
      const flags = [Number(backedUp), now, Number(userVerified), Number(backupEligible)];
      const parameters = [signCount, ...flags, key, signCount, signCount];
      return (await database.execute(sql, parameters)) === 1;
    },
    /** False where the user has no such passkey. */
    async rename(userId: string, id: string, name: string): Promise<boolean> {
      const known = await findOfUser(userId, id);
      if (known === undefined) return false;
      const sql = `UPDATE ${passkeyTable} SET name = ? WHERE credential_hash = ?`;
      await database.execute(sql, [name, hashCredentialId(known.credentialId)]);
      return true;
    },
    /** False where the methods changed meanwhile. */
    async deleteWhile(claimed: ClaimedMethods, { credentialId }: Passkey, now: number): Promise<boolean> {
      await remember(credentialId, now);
      const { condition, parameters } = whileClaimed(claimed);
      const sql = `DELETE FROM ${passkeyTable} WHERE credential_hash = ? AND ${condition}`;
      return (await database.execute(sql, [hashCredentialId(credentialId), ...parameters])) === 1;
    },
    async deleteOfUser(userId: string, now: number): Promise<void> {
      for (const { credentialId } of await listOfUser(userId)) await remember(credentialId, now);
      await database.execute(`DELETE FROM ${passkeyTable} WHERE user_id = ?`, [idToBytes(userId)]);
    },
    /** Whether a passkey with this id was deleted here, at most 400 days ago. */
    async wasDeleted(credentialId: Buffer): Promise<boolean> {
      const sql = `SELECT 1 FROM ${deletedPasskeyTable} WHERE credential_hash = ?`;
      return (await database.query(sql, [hashCredentialId(credentialId)])).length > 0;
    },
  };
}

async function insertOne(insert: Promise<number>): Promise<boolean> {
  const inserted = await insert.catch((error: unknown) => {
    if (isDuplicateKey(error)) return 0;
    throw error;
  });
  return inserted === 1;
}

function hashCredentialId(credentialId: Buffer): Buffer {
  return hash('sha256', credentialId, 'buffer');
}

function passkeyFromRow(row: PasskeyRow): Passkey {
  return {
    id: idFromBytes(row.id),
    credentialId: row.credential_id,
    userId: idFromBytes(row.user_id),
    userHandle: row.user_handle,
    publicKey: row.public_key,
    signCount: Number(row.sign_count),
    backupEligible: row.backup_eligible === notKnown ? undefined : Boolean(row.backup_eligible),
    backedUp: Boolean(row.backed_up),
    userVerified: Boolean(row.user_verified),
    transports: row.transports === '' ? [] : row.transports.split(' '),
    aaguid: row.aaguid,
    name: row.name,
    createdAt: Number(row.created_at),
    lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
  };
}

export function passkeyRow(passkey: Passkey): PasskeyRow {
  return {
    credential_hash: hashCredentialId(passkey.credentialId),
    id: idToBytes(passkey.id),
    credential_id: passkey.credentialId,
    user_id: idToBytes(passkey.userId),
    user_handle: passkey.userHandle,
    public_key: passkey.publicKey,
    sign_count: passkey.signCount,
    backup_eligible: passkey.backupEligible === undefined ? notKnown : Number(passkey.backupEligible),
    backed_up: Number(passkey.backedUp),
    user_verified: Number(passkey.userVerified),
    transports: passkey.transports.join(' '),
    aaguid: passkey.aaguid,
    name: passkey.name,
    created_at: passkey.createdAt,
    last_used_at: passkey.lastUsedAt ?? null,
  };
}
