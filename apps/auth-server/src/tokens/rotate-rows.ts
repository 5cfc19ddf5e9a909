import { idToBytes } from '@gatehouse/service-kit';
import { causally, createBatchedWrite, type Database } from '@gatehouse/service-kit/database';
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

type RowRotation = RefreshTokenRotation & { id: string };

/** Rotates the token of one row; false where another use came first, or the row has ended. */
export type Rotate = (rotation: RowRotation) => Promise<boolean>;

/** Rotates all tokens of one turn of the event loop by one statement: a commit for each costs more than the rest of a refresh. */
export function createRotate(database: Database): Rotate {
  const write = createBatchedWrite<RowRotation, ReadonlySet<RowRotation>>((rotations) =>
    rotateMany(database, rotations),
  );
  return async (rotation) => (await write(rotation)).has(rotation);
}

/** Gives the rotations that came first. Two uses of one token take turns. */
async function rotateMany(database: Database, rotations: readonly RowRotation[]): Promise<Set<RowRotation>> {
  const turn = [...new Map(rotations.map((rotation) => [rotation.id, rotation])).values()];
  const count = await updateRows(database, turn);
  const rotated = count === turn.length ? new Set(turn) : await findRotated(database, turn);
  if (turn.length === rotations.length) return rotated;
  const others = rotations.filter((rotation) => !turn.includes(rotation));
  return new Set([...rotated, ...(await rotateMany(database, others))]);
}

/** The statement decides for each row by itself: a row is changed while it has the secret that its rotation begins with. */
function updateRows(database: Database, rotations: readonly RowRotation[]): Promise<number> {
  const ids = rotations.map(({ id }) => idToBytes(id));
  const marks = rotations.map(() => '?').join(', ');
  const ofEach = `CASE id ${rotations.map(() => 'WHEN ? THEN ?').join(' ')} END`;
  const choose = (column: (rotation: RowRotation) => unknown) =>
    rotations.flatMap((rotation, position) => [ids[position], column(rotation)]);
  return database.execute(
    `UPDATE refresh_tokens SET previous_secret_hash = secret_hash, secret_hash = ${ofEach}, rotated_at = ${ofEach},
      rotated_from = ${ofEach}, ends_at = ${ofEach}, expires_at = ${ofEach}, statuses = ${ofEach}
      WHERE id IN (${marks}) AND secret_hash IN (${marks}) AND expires_at > ?`,
    [
      ...choose(({ to }) => to),
      ...choose(({ now }) => now),
      ...choose(({ network }) => network),
      ...choose(({ endsAt }) => endsAt),
      ...choose(({ expiresAt }) => expiresAt),
      ...choose(({ statuses }) => formatStatuses(statuses)),
      ...ids,
      ...rotations.map(({ from }) => from),
      Math.max(...rotations.map(({ now }) => now)),
    ],
  );
}

/** A row that remembers the status of a use was rotated by that use. */
async function findRotated(database: Database, rotations: readonly RowRotation[]): Promise<Set<RowRotation>> {
  const marks = rotations.map(() => '?').join(', ');
  const sql = `SELECT id, statuses FROM refresh_tokens WHERE id IN (${marks})`;
  const keys = rotations.map(({ id }) => idToBytes(id));
  const rows = await database.query<Pick<RefreshTokenRow, 'id' | 'statuses'>>(sql, keys, causally);
  const statusesById = new Map(rows.map(({ id, statuses }) => [id.toString('hex'), ` ${statuses} `]));
  const isRotated = ({ id, statuses }: RowRotation) =>
    statusesById.get(id.replaceAll('-', ''))?.includes(` ${formatStatuses(statuses.slice(-1))} `);
  return new Set(rotations.filter(isRotated));
}
