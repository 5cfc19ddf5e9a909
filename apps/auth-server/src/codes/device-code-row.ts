import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { optionalNumber } from '@gatehouse/service-kit/database';
import { isLevel } from '@gatehouse/shared';
import { authenticationFromRow, rowFromAuthentication } from '../levels/authentication.ts';
import { parseScope } from '../protocol/scope.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import { formatGranted, parseGranted } from '../resources/granted-resource.ts';
import type { DeviceApproval, DeviceCode } from './device-code.ts';
import type { DeviceCodeRow } from './device-code-table.ts';

const noAuthentication = { auth_time: null, acr: null, amr: null };

export function deviceCodeFromRow(row: DeviceCodeRow): DeviceCode {
  return {
    codeHash: row.code_hash,
    userCodeHash: row.user_code_hash,
    grantId: idFromBytes(row.grant_id),
    registrationId: idFromBytes(row.registration_id),
    clientId: row.client_id,
    clientGeneration: row.client_generation,
    scope: parseScope(row.scope),
    resources: parseGranted(row.resources),
    acrValues: (row.acr_values ?? '').split(' ').filter(isLevel),
    maxAge: optionalNumber(row.asked_max_age),
    openUntil: optionalNumber(row.open_until),
    approval: approvalFromRow(row),
    interval: row.poll_interval,
    polledAt: optionalNumber(row.polled_at),
    consumedAt: optionalNumber(row.consumed_at),
    status: statusFromRow(row),
    endsAt: Number(row.ends_at),
    expiresAt: Number(row.expires_at),
    publicNetwork: row.network_hash ?? undefined,
  };
}

export function rowFromDeviceCode(code: DeviceCode): DeviceCodeRow {
  return {
    code_hash: code.codeHash,
    user_code_hash: code.userCodeHash,
    grant_id: idToBytes(code.grantId),
    registration_id: idToBytes(code.registrationId),
    client_id: code.clientId,
    client_generation: code.clientGeneration,
    scope: code.scope.join(' '),
    resources: formatGranted(code.resources),
    open_until: code.openUntil ?? null,
    user_id: code.approval?.userId ?? null,
    gives_consent: Number(code.approval?.givesConsent ?? false),
    password_changed_at: code.approval?.passwordChangedAt ?? null,
    ...(code.approval === undefined ? noAuthentication : rowFromAuthentication(code.approval.authentication)),
    acr_values: code.acrValues.length === 0 ? null : code.acrValues.join(' '),
    asked_max_age: code.maxAge ?? null,
    poll_interval: code.interval,
    polled_at: code.polledAt ?? null,
    consumed_at: code.consumedAt ?? null,
    status_list_id: code.status?.listId ?? null,
    status_index: code.status?.index ?? null,
    ends_at: code.endsAt,
    expires_at: code.expiresAt,
    is_public: code.publicNetwork === undefined ? 0 : 1,
    network_hash: code.publicNetwork ?? null,
  };
}

export function statusFromRow(row: Pick<DeviceCodeRow, 'status_list_id' | 'status_index'>): TokenStatus | undefined {
  const { status_list_id: listId, status_index: index } = row;
  return listId === null || index === null ? undefined : { listId, index };
}

function approvalFromRow(row: DeviceCodeRow): DeviceApproval | undefined {
  const { user_id: userId, password_changed_at: passwordChangedAt, auth_time, acr, amr } = row;
  if (userId === null) return undefined;
  return {
    userId,
    passwordChangedAt: Number(passwordChangedAt),
    authentication: authenticationFromRow({ auth_time: Number(auth_time), acr, amr }),
    givesConsent: Boolean(row.gives_consent),
  };
}
