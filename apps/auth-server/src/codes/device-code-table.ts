import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface DeviceCodeRow {
  code_hash: Buffer;
  user_code_hash: Buffer;
  grant_id: Buffer;
  registration_id: Buffer;
  client_id: string;
  client_generation: number;
  scope: string;
  /** JSON. Null where org-api alone was asked for. */
  resources: string | null;
  open_until: number | null;
  user_id: string | null;
  gives_consent: number;
  password_changed_at: number | null;
  auth_time: number | null;
  acr: string | null;
  amr: string | null;
  /** Levels that the device asks for, separated by spaces. */
  acr_values: string | null;
  /** Seconds. */
  asked_max_age: number | null;
  poll_interval: number;
  polled_at: number | null;
  consumed_at: number | null;
  status_list_id: number | null;
  status_index: number | null;
  ends_at: number;
  expires_at: number;
  /** 1 where a public client asked; 0 too in rows from before it was told. */
  is_public: number;
  /** Of the network that asked, where a public client did. */
  network_hash: Buffer | null;
}

export const deviceCodes = (column: ColumnTypes): EntitySchemaOptions<DeviceCodeRow> => ({
  name: 'DeviceCode',
  tableName: 'device_codes',
  columns: {
    code_hash: { ...column.bytes(32), primary: true },
    user_code_hash: column.bytes(32),
    grant_id: column.bytes(16),
    registration_id: column.bytes(16),
    client_id: column.ascii(255),
    client_generation: column.integer(),
    scope: column.ascii(2048),
    resources: { ...column.document(), nullable: true },
    open_until: { ...column.instant(), nullable: true },
    user_id: { ...column.ascii(64), nullable: true },
    gives_consent: { ...column.flag(), default: 0 },
    password_changed_at: { ...column.instant(), nullable: true },
    auth_time: { ...column.instant(), nullable: true },
    acr: { ...column.ascii(64), nullable: true },
    amr: { ...column.ascii(64), nullable: true },
    acr_values: { ...column.ascii(255), nullable: true },
    asked_max_age: { ...column.integer(), nullable: true },
    poll_interval: column.integer(),
    polled_at: { ...column.instant(), nullable: true },
    consumed_at: { ...column.instant(), nullable: true },
    status_list_id: { ...column.integer(), nullable: true },
    status_index: { ...column.integer(), nullable: true },
    ends_at: column.instant(),
    expires_at: column.instant(),
    is_public: { ...column.flag(), default: 0 },
    network_hash: { ...column.bytes(32), nullable: true },
  },
  indices: [
    { name: 'device_codes_user_code', columns: ['user_code_hash'], unique: true },
    { name: 'device_codes_grant', columns: ['grant_id'] },
    { name: 'device_codes_user', columns: ['user_id'] },
    { name: 'device_codes_open', columns: ['open_until'] },
    { name: 'device_codes_expiry', columns: ['expires_at'] },
    { name: 'device_codes_public', columns: ['is_public', 'open_until'] },
    { name: 'device_codes_client', columns: ['registration_id', 'open_until'] },
    { name: 'device_codes_network', columns: ['network_hash', 'open_until'] },
  ],
});
