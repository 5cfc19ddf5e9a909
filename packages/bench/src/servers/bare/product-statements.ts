import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createId, idToBytes } from '@gatehouse/service-kit';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise';

/*
 * The statements that auth-server and org-api send for one refresh and for one code exchange, in their order, by raw
 * mysql2. `packages/e2e/test/query-plans.test.ts` shows what they really send; a change of a hot path needs a
 * change of this file. Statements that many requests share are left out: the client and its wrong guesses, read every 750 ms, and the block of
 * status indices that a client reserves once for some thousand tokens.
 */

export interface Pools {
  auth: Pool;
  org: Pool;
}

/** RFC 6749 6, with rotation; gives the successor. */
export async function refresh({ auth, org }: Pools, token: string): Promise<string> {
  const [idText = '', secret = ''] = token.split('.');
  const id = Buffer.from(idText, 'base64url');
  const stored = await findRow(auth, 'SELECT * FROM refresh_tokens WHERE id = ?', [id]);
  await findUser(org, String(stored.user_id));
  const successor = createHmac('sha256', successorKey).update(secret).digest('base64url');
  const [{ affectedRows }] = await auth.query<ResultSetHeader>(
    `UPDATE refresh_tokens SET previous_secret_hash = ?, secret_hash = ?, rotated_at = ?, rotated_from = ?, ends_at = ?,
      expires_at = ?, statuses = ? WHERE id = ? AND secret_hash = ? AND expires_at > ?`,
    [
      sha256(secret),
      sha256(successor),
      Date.now(),
      sha256(`${secret}127.0.0.1`),
      Date.now() + 3_600_000,
      Date.now() + 3_600_000,
      '498000.4711',
      id,
      sha256(secret),
      Date.now(),
    ],
  );
  if (affectedRows !== 1) throw new Error('the refresh token was used before');
  await isRevoked(auth, stored.grant_id as Buffer);
  return `${idText}.${successor}`;
}

/** RFC 6749 4.1.3; gives the refresh token that goes with the answer. */
export async function exchangeCode({ auth, org }: Pools, code: string): Promise<string> {
  const codeHash = sha256(code);
  const stored = await findRow(auth, 'SELECT * FROM authorization_codes WHERE code_hash = ?', [codeHash]);
  await isRevoked(auth, stored.grant_id as Buffer);
  await findUser(org, String(stored.user_id));
  const [{ affectedRows }] = await auth.query<ResultSetHeader>(
    `UPDATE authorization_codes SET consumed_at = ?, status_list_id = ?, status_index = ?
      WHERE code_hash = ? AND consumed_at IS NULL AND issued_at > ?`,
    [Date.now(), 498_000, 4711, codeHash, Date.now() - 60_000],
  );
  if (affectedRows !== 1) throw new Error('the code was used before');
  const refreshToken = await insertRefreshToken(auth, stored);
  await isRevoked(auth, stored.grant_id as Buffer);
  return refreshToken;
}

const successorKey = randomBytes(32);

async function findUser(org: Pool, userId: string): Promise<RowDataPacket> {
  return findRow(org, 'SELECT * FROM users WHERE id IN (?)', [Buffer.from(userId.replaceAll('-', ''), 'hex')]);
}

async function isRevoked(auth: Pool, grantId: Buffer): Promise<boolean> {
  const subject = sha256(`grant:${grantId.toString('hex')}`);
  const [rows] = await auth.query<RowDataPacket[]>('SELECT 1 FROM revocations WHERE subject_hash IN (?) LIMIT 1', [
    subject,
  ]);
  return rows.length > 0;
}

async function insertRefreshToken(auth: Pool, code: RowDataPacket): Promise<string> {
  const [id, secret] = [idToBytes(createId()), randomBytes(32).toString('base64url')];
  const row = {
    id,
    secret_hash: sha256(secret),
    grant_id: code.grant_id,
    registration_id: code.registration_id,
    user_id: code.user_id,
    password_changed_at: code.password_changed_at,
    scope: code.scope,
    auth_time: code.auth_time,
    session_id: code.session_id,
    statuses: '498000.4711',
    claims: code.claims,
    ends_at: Date.now() + 3_600_000,
    expires_at: Date.now() + 3_600_000,
  };
  await auth.query('INSERT INTO refresh_tokens SET ?', [row]);
  return `${id.toString('base64url')}.${secret}`;
}

async function findRow(pool: Pool, sql: string, parameters: unknown[]): Promise<RowDataPacket> {
  const [[row]] = await pool.query<RowDataPacket[]>(sql, parameters);
  if (row === undefined) throw new Error('a row is missing');
  return row;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
