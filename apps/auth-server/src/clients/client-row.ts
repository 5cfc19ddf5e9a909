import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { columnTypes, nameReadColumns, optionalNumber } from '@gatehouse/service-kit/database';
import {
  type ClientMetadata,
  type ClientProfile,
  type GrantType,
  isEveryRole,
  type Role,
  roles,
} from '@gatehouse/shared';
import { hashResourceUri } from '../protocol/resource-uri.ts';
import { parseScope } from '../protocol/scope.ts';
import type { Client } from './client.ts';
import { impliedBy } from './client-demands.ts';
import { type ClientRow, clients } from './client-table.ts';
import type { DynamicRegistration } from './dynamic-registration.ts';
import { formatImported, parseImported } from './imported-secret.ts';

/** The columns that no client is made of. */
const unread = ['default_resource_hash', 'unused_hash', 'origins_indexed', 'terms_at'] as const;
export type ReadClientRow = Omit<ClientRow, (typeof unread)[number]>;
export const readColumns = nameReadColumns(clients(columnTypes('sqlite')).columns, unread);

/** The columns that are empty in the row of a disabled client. */
type KeptSettings = Pick<ClientRow, 'scope' | 'grant_types' | 'service_account_user_id' | 'service_account_username'>;

const noSettings: KeptSettings = {
  scope: '',
  grant_types: '',
  service_account_user_id: null,
  service_account_username: null,
};

/** The row with the settings of a client, also of a disabled one. Nearly no client is, and each look-up would copy a whole row. */
function withKeptSettings<Row extends Pick<ClientRow, 'kept_settings'>>(stored: Row): Row {
  const { kept_settings: kept } = stored;
  return kept === null ? stored : { ...stored, ...(JSON.parse(kept) as KeptSettings) };
}

function parseGrantTypes({ grant_types: names }: Pick<ClientRow, 'grant_types'>): GrantType[] {
  return names.split(' ') as GrantType[];
}

/** The grant types of a client, also of a disabled one. */
export function grantTypesFromRow(stored: Pick<ClientRow, 'grant_types' | 'kept_settings'>): GrantType[] {
  return parseGrantTypes(withKeptSettings(stored));
}

export function clientFromRow(stored: ReadClientRow): Client {
  const row = withKeptSettings(stored);
  const { previous_secret_hash: previousHash, service_account_user_id: userId } = row;
  return {
    clientId: row.client_id,
    registrationId: idFromBytes(row.registration_id),
    enabled: Number(row.enabled) === 1,
    secretHash: row.secret_hash ?? undefined,
    secretDigest: row.secret_digest ?? undefined,
    importedSecret: parseImported(row.secret_hash, row.imported_secret_hash),
    secretSetAt: optionalNumber(row.secret_set_at),
    previousSecret:
      previousHash === null
        ? undefined
        : {
            hash: previousHash,
            digest: row.previous_secret_digest ?? undefined,
            imported: parseImported(previousHash, row.imported_previous_hash),
            expiresAt: Number(row.previous_secret_expires_at),
          },
    grantTypes: parseGrantTypes(row),
    redirectUri: row.redirect_uri ?? undefined,
    accessTokenValidity: row.access_token_validity,
    serviceAccount: userId === null ? undefined : { userId, username: row.service_account_username ?? '' },
    metadata: parseMetadata(row),
    ceiling: parseCeiling(row.ceiling),
    ceilingGivenAt: optionalNumber(row.ceiling_given_at),
    tokenGeneration: row.token_generation,
    grantGeneration: row.grant_generation,
    codeGeneration: row.code_generation,
    dynamic: parseRegistration(row),
    document: parseDocument(row),
    managedBy: undefined,
    scope: parseScope(row.scope),
    lapsesAt: optionalNumber(row.lapses_at),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** The columns that a client has of its row: whether it was ever used, and which terms are stored, is written by itself. */
export type WrittenClientRow = Omit<ClientRow, 'unused_hash' | 'terms_at'>;

export function rowFromClient(client: Client): WrittenClientRow {
  const settings: KeptSettings = {
    scope: client.scope.join(' '),
    grant_types: client.grantTypes.join(' '),
    service_account_user_id: client.serviceAccount?.userId ?? null,
    service_account_username: client.serviceAccount?.username ?? null,
  };
  return {
    client_id: client.clientId,
    registration_id: idToBytes(client.registrationId),
    ...secretColumnsOf(client),
    ...(client.enabled ? settings : noSettings),
    redirect_uri: client.redirectUri ?? null,
    access_token_validity: client.accessTokenValidity,
    ceiling: formatCeiling(client.ceiling),
    ceiling_given_at: client.ceilingGivenAt ?? null,
    token_generation: client.tokenGeneration,
    grant_generation: client.grantGeneration,
    default_resource_hash: findDefaultHash(client),
    registration_token_hash: client.dynamic?.tokenHash ?? null,
    registration: formatRegistration(client),
    lapses_at: client.lapsesAt ?? null,
    document_read_at: client.document?.readAt ?? null,
    document_expires_at: client.document?.expiresAt ?? null,
    document_changed_at: client.document?.changedAt ?? null,
    origins_indexed: client.dynamic === undefined ? 0 : 1,
    enabled: client.enabled ? 1 : 0,
    kept_settings: client.enabled ? null : JSON.stringify(settings),
    code_generation: client.codeGeneration,
    created_at: client.createdAt,
    updated_at: client.updatedAt,
    ...metadataColumnsOf(client),
  };
}

/** The profiles that the release before does not know, and what its column `metadata` says in their place. */
const olderProfiles = new Map<ClientProfile, ClientProfile | undefined>([
  ['fapi2_message_signing', 'fapi2'],
  ['oauth21', undefined],
]);

function metadataColumnsOf({ metadata }: Client): Pick<ClientRow, 'metadata' | 'profile_name'> {
  const { profile } = metadata;
  if (profile === undefined || !olderProfiles.has(profile)) {
    return { metadata: JSON.stringify(metadata), profile_name: null };
  }
  return { metadata: JSON.stringify({ ...metadata, profile: olderProfiles.get(profile) }), profile_name: profile };
}

/** Where the release before changed the profile meanwhile, its choice counts. Implied members that it dropped are there again. */
function parseMetadata({ metadata, profile_name: name }: ReadClientRow): ClientMetadata {
  const stored: ClientMetadata = metadata === null ? {} : JSON.parse(metadata);
  if (name === null) return stored;
  const profile = name as ClientProfile;
  // Nor does one count that a later release set, and that this one does not know.
  if (!olderProfiles.has(profile) || stored.profile !== olderProfiles.get(profile)) return stored;
  return { ...stored, profile, ...impliedBy(profile) };
}

function secretColumnsOf({ secretHash, secretDigest, importedSecret, secretSetAt, previousSecret }: Client) {
  return {
    secret_hash: secretHash ?? null,
    secret_digest: secretDigest ?? null,
    imported_secret_hash: formatImported(secretHash, importedSecret),
    secret_set_at: secretSetAt ?? null,
    previous_secret_hash: previousSecret?.hash ?? null,
    previous_secret_digest: previousSecret?.digest ?? null,
    imported_previous_hash: formatImported(previousSecret?.hash, previousSecret?.imported),
    previous_secret_expires_at: previousSecret?.expiresAt ?? null,
  };
}

function findDefaultHash({ metadata }: Client): Buffer | null {
  const { default_resource: uri } = metadata;
  return uri === undefined ? null : hashResourceUri(uri);
}

function parseRegistration(row: ReadClientRow): Client['dynamic'] {
  const { registration_token_hash: tokenHash, registration } = row;
  if (tokenHash === null && row.document_read_at === null) return undefined;
  const { initialToken, applicationType } = JSON.parse(registration ?? '{}') as Omit<DynamicRegistration, 'tokenHash'>;
  return { tokenHash: tokenHash ?? undefined, initialToken, applicationType };
}

function parseDocument(row: ReadClientRow): Client['document'] {
  const { document_read_at: readAt, document_expires_at: expiresAt, document_changed_at: changedAt } = row;
  if (readAt === null) return undefined;
  return { readAt: Number(readAt), expiresAt: Number(expiresAt), changedAt: Number(changedAt) };
}

function formatRegistration({ dynamic }: Client): string | null {
  if (dynamic === undefined) return null;
  const { tokenHash: _, ...registration } = dynamic;
  return JSON.stringify(registration);
}

export function formatCeiling(ceiling: readonly Role[]): string | null {
  return isEveryRole(ceiling) ? null : ceiling.join(' ');
}

export function parseCeiling(text: string | null): readonly Role[] {
  const names = text?.split(' ');
  return names === undefined ? roles : roles.filter((role) => names.includes(role));
}
