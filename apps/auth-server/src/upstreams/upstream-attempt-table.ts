import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface UpstreamAttemptRow {
  /** SHA-256 of `state`. */
  state_hash: Buffer;
  id: Buffer;
  upstream_id: Buffer;
  /** SHA-256 of what names the browser. */
  browser_hash: Buffer;
  /** The forms that the user came from. */
  place: string;
  /** The request that these carried. */
  carried: string;
  client_id: string | null;
  /** Seconds. */
  max_age: number | null;
  is_new: number;
  status: string;
  /** JSON: the account that came back. */
  account: string | null;
  began_at: number;
  expires_at: number;
}

export const upstreamAttempts = (column: ColumnTypes): EntitySchemaOptions<UpstreamAttemptRow> => ({
  name: 'UpstreamAttempt',
  tableName: 'upstream_attempts',
  columns: {
    state_hash: { ...column.bytes(32), primary: true },
    id: column.bytes(16),
    upstream_id: column.bytes(16),
    browser_hash: column.bytes(32),
    place: column.ascii(16),
    carried: column.document(),
    client_id: { ...column.ascii(255), nullable: true },
    max_age: { ...column.instant(), nullable: true },
    is_new: { ...column.flag(), default: 0 },
    status: column.ascii(16),
    account: { ...column.document(), nullable: true },
    began_at: column.instant(),
    expires_at: column.instant(),
  },
  indices: [
    { name: 'upstream_attempts_id', columns: ['id'] },
    { name: 'upstream_attempts_browser', columns: ['browser_hash'] },
    { name: 'upstream_attempts_expiry', columns: ['expires_at'] },
  ],
});
