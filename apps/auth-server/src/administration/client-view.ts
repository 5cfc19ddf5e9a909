import { grantTypes, optionalClientMetadata, roles } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import { isPublic } from '../clients/client-demands.ts';

const anyMembers = { additionalProperties: true };

/** A client as administrators see it. It shows no secret. */
export const ClientView = Type.Object(
  {
    client_id: Type.String(),
    scope: Type.Array(Type.String()),
    authorized_grant_types: Type.Array(Type.Enum([...grantTypes])),
    redirect_uri: Type.Optional(Type.String()),
    access_token_validity: Type.Integer({ description: 'Seconds' }),
    srvc_ac_user_name: Type.Optional(Type.String()),
    ...optionalClientMetadata,
    // All members of a key are allowed: the answer drops members that its schema does not allow.
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }, anyMembers)) })),
    ceiling: Type.Array(Type.Enum([...roles]), { description: 'The roles that can be used through it at most' }),
    public: Type.Boolean({ description: 'Whether it has no secret' }),
    enabled: Type.Boolean({ description: 'false: it is refused everywhere' }),
    created_at: Type.String({ description: 'RFC 3339, UTC' }),
    updated_at: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Client' },
);

export function buildClientView(client: Client): Static<typeof ClientView> {
  const { redirectUri, serviceAccount } = client;
  return {
    client_id: client.clientId,
    scope: client.scope,
    authorized_grant_types: client.grantTypes,
    ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
    access_token_validity: client.accessTokenValidity,
    ...(serviceAccount === undefined ? {} : { srvc_ac_user_name: serviceAccount.username }),
    ...client.metadata,
    ceiling: [...client.ceiling],
    public: isPublic(client),
    enabled: client.enabled,
    created_at: new Date(client.createdAt).toISOString(),
    updated_at: new Date(client.updatedAt).toISOString(),
  };
}
