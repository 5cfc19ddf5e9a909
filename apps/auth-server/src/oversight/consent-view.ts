import type { DirectoryUser } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import type { Consent } from '../consent/consent.ts';

/** A consent, as administrators see it. */
export const ConsentView = Type.Object(
  {
    client_id: Type.String(),
    user: Type.Object({ id: Type.String(), username: Type.String() }),
    scope: Type.Array(Type.String(), { description: 'Of org-api' }),
    resources: Type.Array(
      Type.Object({ resource: Type.String({ description: 'URI' }), scope: Type.Array(Type.String()) }),
      { description: 'Other APIs, with the scopes of each' },
    ),
    claims: Type.Array(Type.String(), { description: 'Allowed by name, beyond those of the scope' }),
    grantedAt: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Consent', description: 'What a user allows a third-party client' },
);
export type ConsentView = Static<typeof ConsentView>;

export function buildConsentView(
  { clientId, scope, resources, claims, grantedAt }: Consent,
  { id, username }: Pick<DirectoryUser, 'id' | 'username'>,
): ConsentView {
  return {
    client_id: clientId,
    user: { id, username },
    scope,
    resources: resources.map(({ resource, scopes }) => ({ resource, scope: scopes.map(({ name }) => name) })),
    claims,
    grantedAt: new Date(grantedAt).toISOString(),
  };
}
