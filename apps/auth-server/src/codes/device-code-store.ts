import { idToBytes } from '@gatehouse/service-kit';
import { type Database, insertUnlessTaken } from '@gatehouse/service-kit/database';
import { rowFromAuthentication } from '../levels/authentication.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { DeviceApproval, DeviceCode } from './device-code.ts';
import { deviceCodeFromRow, rowFromDeviceCode, statusFromRow } from './device-code-row.ts';
import type { DeviceCodeRow } from './device-code-table.ts';
import { listGrantsOfUser } from './grants-of-user.ts';

export interface OpenCodes {
  all: number;
  /** Of public clients, of the same client, and from the same network; 0 for a code of a confidential client. */
  ofPublic: number;
  ofClient: number;
  ofNetwork: number;
}

export interface DeviceCodeStore {
  /** False where another code has the user code. */
  insert(code: DeviceCode): Promise<boolean>;
  delete(codeHash: Buffer): Promise<void>;
  /** How many codes wait for a user to decide: all, and those that count with one of a public client. */
  countOpen(now: number, code: Pick<DeviceCode, 'registrationId' | 'publicNetwork'>): Promise<OpenCodes>;
  find(codeHash: Buffer): Promise<DeviceCode | undefined>;
  findByUserCode(userCodeHash: Buffer): Promise<DeviceCode | undefined>;
  findByGrant(grantId: string): Promise<DeviceCode | undefined>;
  /** True where the code is open and its device kept the interval; of several at the same moment, for one. `early`: milliseconds. */
  poll(codeHash: Buffer, times: { now: number; early: number }): Promise<boolean>;
  /** Adds seconds to the interval, for good. False where the code is not open any more. */
  slowDown(codeHash: Buffer, change: { now: number; seconds: number }): Promise<boolean>;
  /** True for the one who decides an open code. */
  approve(userCodeHash: Buffer, approval: DeviceApproval, now: number): Promise<boolean>;
  deny(userCodeHash: Buffer, now: number): Promise<boolean>;
  /** True for exactly one caller, of a code that was approved and has not expired. */
  consume(codeHash: Buffer, use: { now: number; status: TokenStatus; expiresAt: number }): Promise<boolean>;
  /** Lists the status of the access token that the grant's code was exchanged for. */
  listStatuses(grantId: string): Promise<TokenStatus[]>;
  /** Grants that the user's codes for the client began, or will begin. */
  listGrantsOf(userId: string, registrationId: string | undefined): Promise<string[]>;
}

export function createDeviceCodeStore(database: Database): DeviceCodeStore {
  const findBy = async (column: 'code_hash' | 'user_code_hash' | 'grant_id', value: Buffer) => {
    const [row] = await database.query<DeviceCodeRow>(`SELECT * FROM device_codes WHERE ${column} = ?`, [value]);
    return row && deviceCodeFromRow(row);
  };
  return {
    insert: (code) => insertUnlessTaken(database, 'device_codes', rowFromDeviceCode(code)),
    async delete(codeHash) {
      await database.execute('DELETE FROM device_codes WHERE code_hash = ?', [codeHash]);
    },
    countOpen: (now, code) => countOpen(database, now, code),
    find: (codeHash) => findBy('code_hash', codeHash),
    findByGrant: (grantId) => findBy('grant_id', idToBytes(grantId)),
    findByUserCode: (userCodeHash) => findBy('user_code_hash', userCodeHash),
    ...createTurns(database),
    async listStatuses(grantId) {
      const sql = 'SELECT status_list_id, status_index FROM device_codes WHERE grant_id = ?';
      const found = await database.query<DeviceCodeRow>(sql, [idToBytes(grantId)]);
      return found.map(statusFromRow).filter((status) => status !== undefined);
    },
    listGrantsOf: (userId, registrationId) => listGrantsOfUser(database, 'device_codes', userId, registrationId),
  };
}

/** Each count reads an index, and no more of it than what it counts. */
async function countOpen(
  database: Database,
  now: number,
  { registrationId, publicNetwork }: Pick<DeviceCode, 'registrationId' | 'publicNetwork'>,
): Promise<OpenCodes> {
  const count = (condition: string) => `(SELECT COUNT(*) FROM device_codes WHERE ${condition}open_until > ?)`;
  const [isPublic, isOfClient, isOfNetwork] = [
    'is_public = 1 AND ',
    'registration_id = ? AND ',
    'network_hash = ? AND ',
  ];
  const ofPublic = `, ${count(isPublic)} AS of_public, ${count(isOfClient)} AS of_client, ${count(isOfNetwork)} AS of_network`;
  const isOfPublic = publicNetwork !== undefined;
  const sql = `SELECT ${count('')} AS codes${isOfPublic ? ofPublic : ''}`;
  const values = isOfPublic ? [now, now, idToBytes(registrationId), now, publicNetwork, now] : [now];
  const [row = {}] = await database.query<Record<string, number>>(sql, values);
  const { codes = 0, of_public = 0, of_client = 0, of_network = 0 } = row;
  return {
    all: Number(codes),
    ofPublic: Number(of_public),
    ofClient: Number(of_client),
    ofNetwork: Number(of_network),
  };
}

/** Each decides a race by one statement. */
function createTurns(database: Database): Pick<DeviceCodeStore, 'poll' | 'slowDown' | 'approve' | 'deny' | 'consume'> {
  return {
    async poll(codeHash, { now, early }) {
      const polled = await database.execute(
        `UPDATE device_codes SET polled_at = ? WHERE code_hash = ? AND open_until IS NOT NULL
          AND (polled_at IS NULL OR polled_at <= ? - poll_interval * 1000)`,
        [now, codeHash, now + early],
      );
      return polled === 1;
    },
    async slowDown(codeHash, { now, seconds }) {
      const slowed = await database.execute(
        `UPDATE device_codes SET poll_interval = poll_interval + ?, polled_at = ?
          WHERE code_hash = ? AND open_until IS NOT NULL`,
        [seconds, now, codeHash],
      );
      return slowed === 1;
    },
    async approve(userCodeHash, { userId, passwordChangedAt, authentication, givesConsent }, now) {
      const { auth_time, acr, amr } = rowFromAuthentication(authentication);
      const approved = await database.execute(
        `UPDATE device_codes SET open_until = NULL, user_id = ?, password_changed_at = ?, auth_time = ?, acr = ?,
          amr = ?, gives_consent = ?
          WHERE user_code_hash = ? AND open_until > ?`,
        [userId, passwordChangedAt, auth_time, acr, amr, Number(givesConsent), userCodeHash, now],
      );
      return approved === 1;
    },
    async deny(userCodeHash, now) {
      const sql = 'UPDATE device_codes SET open_until = NULL WHERE user_code_hash = ? AND open_until > ?';
      return (await database.execute(sql, [userCodeHash, now])) === 1;
    },
    async consume(codeHash, { now, status, expiresAt }) {
      const consumed = await database.execute(
        `UPDATE device_codes SET consumed_at = ?, status_list_id = ?, status_index = ?, expires_at = ?
          WHERE code_hash = ? AND consumed_at IS NULL AND user_id IS NOT NULL AND ends_at > ?`,
        [now, status.listId, status.index, expiresAt, codeHash, now],
      );
      return consumed === 1;
    },
  };
}
