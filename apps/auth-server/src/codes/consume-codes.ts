import {
  type Change,
  causally,
  chooseByRow,
  createBatchedChange,
  type Database,
} from '@gatehouse/service-kit/database';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { AuthorizationCodeRow } from './authorization-code-table.ts';

/** The exchange of a code. Instants are milliseconds. */
export interface CodeUse {
  now: number;
  /** Codes that were issued at or before this instant have expired. */
  issuedAfter: number;
  /** Of the access token; no other has it. */
  status: TokenStatus;
}

type RowUse = CodeUse & { codeHash: Buffer };
type ConsumedRow = Pick<AuthorizationCodeRow, 'code_hash' | 'status_list_id' | 'status_index'>;

/** Consumes one code; false where it was consumed before, or has expired. */
export function createConsume(database: Database): Change<RowUse> {
  return createBatchedChange<RowUse>({
    keyOf: ({ codeHash }) => codeHash.toString('hex'),
    change: (uses) => consumeRows(database, uses),
    findChanged: (uses) => findConsumed(database, uses),
  });
}

function consumeRows(database: Database, uses: readonly RowUse[]): Promise<number> {
  const { choice, choose } = chooseByRow(uses, 'code_hash', ({ codeHash }) => codeHash);
  return database.execute(
    `UPDATE authorization_codes SET consumed_at = ${choice}, status_list_id = ${choice}, status_index = ${choice}
      WHERE code_hash IN (${uses.map(() => '?').join(', ')}) AND consumed_at IS NULL AND issued_at > ?`,
    [
      ...choose(({ now }) => now),
      ...choose(({ status }) => status.listId),
      ...choose(({ status }) => status.index),
      ...uses.map(({ codeHash }) => codeHash),
      Math.min(...uses.map(({ issuedAfter }) => issuedAfter)),
    ],
  );
}

/** A row that has the status of a use was consumed by that use. */
async function findConsumed(database: Database, uses: readonly RowUse[]): Promise<RowUse[]> {
  const sql = `SELECT code_hash, status_list_id, status_index FROM authorization_codes
    WHERE code_hash IN (${uses.map(() => '?').join(', ')})`;
  const hashes = uses.map(({ codeHash }) => codeHash);
  const rows = await database.query<ConsumedRow>(sql, hashes, causally);
  const rowByHash = new Map(rows.map((row) => [row.code_hash.toString('hex'), row]));
  return uses.filter(({ codeHash, status }) => {
    const row = rowByHash.get(codeHash.toString('hex'));
    return row?.status_list_id === status.listId && row.status_index === status.index;
  });
}
