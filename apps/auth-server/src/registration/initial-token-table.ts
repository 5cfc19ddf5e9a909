import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface InitialTokenRow {
  id: Buffer;
  token_hash: Buffer;
  uses: number;
  uses_left: number;
  /** JSON. */
  limits: string;
  /** Roles; null is all of them. */
  ceiling: string | null;
  created_at: number;
  expires_at: number;
}

export const initialAccessTokens = (column: ColumnTypes): EntitySchemaOptions<InitialTokenRow> => ({
  name: 'InitialAccessToken',
  tableName: 'initial_access_tokens',
  columns: {
    id: { ...column.bytes(16), primary: true },
    token_hash: column.bytes(32),
    uses: column.integer(),
    uses_left: column.integer(),
    limits: column.document(),
    ceiling: { ...column.ascii(255), nullable: true },
    created_at: column.instant(),
    expires_at: column.instant(),
  },
  indices: [
    { name: 'initial_access_tokens_token', columns: ['token_hash'], unique: true },
    { name: 'initial_access_tokens_expiry', columns: ['expires_at'] },
  ],
});
