import { columnTypes, type Dialect } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface UserRow {
  id: Buffer;
  username: string;
  username_key: string;
  user_type: string;
  password_hash: string | null;
  password_changed_at: number;
  first_name: string;
  last_name: string;
  email: string;
  /** 1 or 0. */
  enabled: number;
  /** Space-separated, the most powerful role first, so that the row of a SystemAdministrator starts with it. */
  roles: string;
  organization: string;
  locale: string;
  timezone: string;
  created_at: number;
  updated_at: number;
  /**
   * JSON, see `StoredPersonalData`; null where the user has none. One document: no query looks for anything in it, and
   * each look-up of a user reads one column more in place of eleven.
   */
  personal_data: string | null;
  /**
   * The hash of the password of a user who has a second step; `password_hash` is null then, so that the release before, which
   * asks for no second step, finds no password. Empty where the user has no password at all.
   */
  guarded_hash: string | null;
  /** Counts the changes of the methods. */
  methods_version: number;
  /**
   * The folded e-mail address, by which users are found. A replica of the release before leaves it as it was, so a query that finds a
   * row by it compares the address too. Null in rows that it inserted.
   */
  email_key: string | null;
  /** The `updated_at` of the version whose terms `user_terms` has; 0 in rows from before there were any. */
  terms_at: number;
  /** 1 of a user who was ever put into a group: others take no statement to read their groups. */
  in_groups: number;
  /** The same of a user who ever had an identity. */
  has_identities: number;
  /** The hash of the password as another server made it, until it is right once; null where `password_hash` or `guarded_hash` has one. */
  imported_hash: string | null;
  /** A decoy of the same form, by which the forms are counted. */
  imported_form: string | null;
  /** The id in another system; null where there is none. */
  external_id: string | null;
}

export function userEntity(dialect: Dialect): EntitySchemaOptions<UserRow> {
  const column = columnTypes(dialect);
  return {
    name: 'User',
    tableName: 'users',
    columns: {
      id: { ...column.bytes(16), primary: true },
      username: column.unicode(255),
      username_key: column.unicode(255),
      user_type: column.ascii(16),
      password_hash: { ...column.ascii(255), nullable: true },
      password_changed_at: column.instant(),
      first_name: column.unicode(255),
      last_name: column.unicode(255),
      email: column.unicode(255),
      enabled: column.flag(),
      roles: column.ascii(255),
      organization: column.unicode(255),
      locale: column.ascii(35),
      timezone: column.ascii(64),
      created_at: column.instant(),
      updated_at: column.instant(),
      personal_data: { ...column.document(), nullable: true },
      guarded_hash: { ...column.ascii(255), nullable: true },
      methods_version: { ...column.integer(), default: 0 },
      email_key: { ...column.unicode(255), nullable: true },
      terms_at: { ...column.instant(), default: 0 },
      in_groups: { ...column.flag(), default: 0 },
      has_identities: { ...column.flag(), default: 0 },
      imported_hash: { ...column.ascii(512), nullable: true },
      imported_form: { ...column.ascii(160), nullable: true },
      external_id: { ...column.unicode(255), nullable: true },
    },
    indices: [
      { name: 'users_username_key', columns: ['username_key'], unique: true },
      { name: 'users_roles', columns: ['roles'] },
      { name: 'users_email_key', columns: ['email_key'] },
      { name: 'users_changed', columns: ['updated_at', 'id'] },
      { name: 'users_created', columns: ['created_at', 'id'] },
      { name: 'users_imported_form', columns: ['imported_form'] },
      { name: 'users_external_id', columns: ['external_id'], unique: true },
    ],
  };
}
