import type { DirectoryUser } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { RefreshToken } from '../tokens/refresh-token.ts';

const kinds = ['code', 'password', 'device'] as const;

/** A grant that goes on with a refresh token, as administrators see it. Instants are RFC 3339, UTC. */
export const GrantView = Type.Object(
  {
    id: Type.String({ description: 'UUID: `grant` in the details of audit events' }),
    client_id: Type.String(),
    user: Type.Object({ id: Type.String(), username: Type.String() }),
    scope: Type.Array(Type.String()),
    resources: Type.Array(Type.String(), { description: 'URIs; none: org-api alone' }),
    kind: Type.Enum([...kinds], { description: 'How it began' }),
    offline: Type.Boolean({ description: 'Whether it outlives the session in which it began' }),
    sid: Type.Optional(Type.String({ description: 'UUID: the session that it ends with' })),
    createdAt: Type.String(),
    lastUsedAt: Type.String({ description: 'When the client got an access token last' }),
    expiresAt: Type.String({ description: 'Unless it is used before, where it is offline' }),
  },
  { $id: 'Grant', description: 'What a client may have for a user, by a refresh token' },
);
export type GrantView = Static<typeof GrantView>;

export function buildGrantView(
  token: RefreshToken,
  { id, username }: Pick<DirectoryUser, 'id' | 'username'>,
  { clientId }: Pick<Client, 'clientId'>,
): GrantView {
  const { grantId, scope, resources = [], sessionId, rotatedAt, expiresAt } = token;
  const createdAt = createdAtOf(token);
  const name = (instant: number) => new Date(instant).toISOString();
  return {
    id: grantId,
    client_id: clientId,
    user: { id, username },
    scope,
    resources: resources.map(({ resource }) => resource),
    kind: kindOf(token),
    offline: sessionId === undefined && scope.includes('offline_access'),
    ...(sessionId !== undefined && { sid: sessionId }),
    createdAt: name(createdAt),
    lastUsedAt: name(rotatedAt ?? createdAt),
    expiresAt: name(expiresAt),
  };
}

/** The id of a refresh token is a UUIDv7 of its first issue. */
function createdAtOf({ id }: Pick<RefreshToken, 'id'>): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

/** Devices alone have roles by their scope alone. Behind a code there is a session; a password has none. */
function kindOf({ rolesByScope, sessionId, beganIn }: RefreshToken): GrantView['kind'] {
  if (rolesByScope) return 'device';
  return sessionId === undefined && beganIn === undefined ? 'password' : 'code';
}
