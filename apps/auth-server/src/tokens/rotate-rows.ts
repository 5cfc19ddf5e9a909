import {
  type Change,
  causally,
  chooseByRow,
  createBatchedChange,
  type Database,
} from '@gatehouse/service-kit/database';
import type { TokenStatus } from '../protocol/token-status.ts';
import { formatStatuses } from './refresh-token-statuses.ts';
import type { RefreshTokenRow } from './refresh-token-table.ts';

export interface RefreshTokenRotation {
  from: Buffer;
  to: Buffer;
  /** Milliseconds. */
  now: number;
  network: Buffer;
  endsAt: number;
  expiresAt: number;
  /** The last one is of this use alone. */
  statuses: readonly TokenStatus[];
}

type RowRotation = RefreshTokenRotation & { id: Buffer };

/** Rotates the token of one row; false where another use came first, or the row has ended. */
export function createRotate(database: Database): Change<RowRotation> {
  return createBatchedChange<RowRotation>({
    keyOf: ({ id }) => id.toString('hex'),
    change: (rotations) => rotateRows(database, rotations),
    findChanged: (rotations) => findRotated(database, rotations),
  });
}

/** A row is changed while it has the secret that its rotation begins with. Secrets are random: no two rows have the same. */
function rotateRows(database: Database, rotations: readonly RowRotation[]): Promise<number> {
  const marks = rotations.map(() => '?').join(', ');
  const { choice, choose } = chooseByRow(rotations, 'id', ({ id }) => id);
  return database.execute(
    `UPDATE refresh_tokens SET previous_secret_hash = secret_hash, secret_hash = ${choice}, rotated_at = ${choice},
      rotated_from = ${choice}, ends_at = ${choice}, expires_at = ${choice}, statuses = ${choice}
      WHERE id IN (${marks}) AND secret_hash IN (${marks}) AND expires_at > ?`,
    [
      ...choose(({ to }) => to),
      ...choose(({ now }) => now),
      ...choose(({ network }) => network),
      ...choose(({ endsAt }) => endsAt),
      ...choose(({ expiresAt }) => expiresAt),
      ...choose(({ statuses }) => formatStatuses(statuses)),
      ...rotations.map(({ id }) => id),
      ...rotations.map(({ from }) => from),
      Math.min(...rotations.map(({ now }) => now)),
    ],
  );
}

/** A row that remembers the status of a use was rotated by that use. */
async function findRotated(database: Database, rotations: readonly RowRotation[]): Promise<RowRotation[]> {
  const sql = `SELECT id, statuses FROM refresh_tokens WHERE id IN (${rotations.map(() => '?').join(', ')})`;
  const ids = rotations.map(({ id }) => id);
  const rows = await database.query<Pick<RefreshTokenRow, 'id' | 'statuses'>>(sql, ids, causally);
  const statusesById = new Map(rows.map((row) => [row.id.toString('hex'), ` ${row.statuses} `]));
  return rotations.filter(({ id, statuses }) =>
    statusesById.get(id.toString('hex'))?.includes(` ${formatStatuses(statuses.slice(-1))} `),
  );
}
