import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface ClientRow {
  client_id: string;
  registration_id: Buffer;
  secret_hash: string | null;
  secret_digest: string | null;
  /** Null in rows from before this was kept. */
  secret_set_at: number | null;
  previous_secret_hash: string | null;
  previous_secret_digest: string | null;
  /** As another server made it, with the name of the `secret_hash` that it stands in the place of. */
  imported_secret_hash: string | null;
  /** The same of the previous one. */
  imported_previous_hash: string | null;
  previous_secret_expires_at: number | null;
  scope: string;
  grant_types: string;
  redirect_uri: string | null;
  access_token_validity: number;
  service_account_user_id: string | null;
  service_account_username: string | null;
  /** JSON; null in rows from before there was metadata. */
  metadata: string | null;
  /** Roles; null is all of them, also in rows from before there were ceilings. */
  ceiling: string | null;
  /** Null too in rows from before this was kept. */
  ceiling_given_at: number | null;
  token_generation: number;
  grant_generation: number;
  /** Of the URI that `default_resource` names. */
  default_resource_hash: Buffer | null;
  /** Of a client that registered itself. */
  registration_token_hash: Buffer | null;
  /** JSON: how it registered itself. */
  registration: string | null;
  lapses_at: number | null;
  /** Of a client of open registration that never had a token: what it registered with, and where. */
  unused_hash: Buffer | null;
  /** 1 where the table `client_origins` has the origins of its pages; 0 too in rows from before there was one. */
  origins_indexed: number;
  enabled: number;
  /** JSON, of a disabled client: the values of columns that are empty meanwhile, so that the release before refuses it. */
  kept_settings: string | null;
  code_generation: number;
  /** The `updated_at` of the version whose terms `client_terms` has; 0 in rows from before there were any. */
  terms_at: number;
  created_at: number;
  updated_at: number;
  /** The profile, where releases before do not know it: what `metadata` says of it is for them. */
  profile_name: string | null;
  /** Of a client that a metadata document describes. */
  document_read_at: number | null;
  document_expires_at: number | null;
  document_changed_at: number | null;
}

export const clients = (column: ColumnTypes): EntitySchemaOptions<ClientRow> => ({
  name: 'Client',
  tableName: 'clients',
  columns: {
    client_id: { ...column.ascii(255), primary: true },
    registration_id: column.bytes(16),
    secret_hash: { ...column.ascii(255), nullable: true },
    secret_digest: { ...column.ascii(80), nullable: true },
    secret_set_at: { ...column.instant(), nullable: true },
    previous_secret_hash: { ...column.ascii(255), nullable: true },
    previous_secret_digest: { ...column.ascii(80), nullable: true },
    imported_secret_hash: { ...column.ascii(536), nullable: true },
    imported_previous_hash: { ...column.ascii(536), nullable: true },
    previous_secret_expires_at: { ...column.instant(), nullable: true },
    scope: column.ascii(2048),
    grant_types: column.ascii(255),
    redirect_uri: { ...column.ascii(2048), nullable: true },
    access_token_validity: column.integer(),
    service_account_user_id: { ...column.ascii(64), nullable: true },
    service_account_username: { ...column.unicode(255), nullable: true },
    metadata: { ...column.document(), nullable: true },
    ceiling: { ...column.ascii(255), nullable: true },
    ceiling_given_at: { ...column.instant(), nullable: true },
    token_generation: { ...column.integer(), default: 0 },
    grant_generation: { ...column.integer(), default: 0 },
    default_resource_hash: { ...column.bytes(32), nullable: true },
    registration_token_hash: { ...column.bytes(32), nullable: true },
    registration: { ...column.document(), nullable: true },
    lapses_at: { ...column.instant(), nullable: true },
    unused_hash: { ...column.bytes(32), nullable: true },
    origins_indexed: { ...column.flag(), default: 0 },
    enabled: { ...column.flag(), default: 1 },
    kept_settings: { ...column.document(), nullable: true },
    code_generation: { ...column.integer(), default: 0 },
    terms_at: { ...column.instant(), default: 0 },
    created_at: column.instant(),
    updated_at: column.instant(),
    profile_name: { ...column.ascii(64), nullable: true },
    document_read_at: { ...column.instant(), nullable: true },
    document_expires_at: { ...column.instant(), nullable: true },
    document_changed_at: { ...column.instant(), nullable: true },
  },
  indices: [
    { name: 'clients_registration', columns: ['registration_id'] },
    { name: 'clients_default_resource', columns: ['default_resource_hash'] },
    { name: 'clients_changed', columns: ['updated_at', 'client_id'] },
    { name: 'clients_lapse', columns: ['lapses_at'] },
    { name: 'clients_unused', columns: ['unused_hash'], unique: true },
    { name: 'clients_in_memory', columns: ['origins_indexed', 'updated_at', 'client_id'] },
  ],
});
