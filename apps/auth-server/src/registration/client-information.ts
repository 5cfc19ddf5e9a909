import { Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import { isPublic } from '../clients/client-demands.ts';
import { redirectUrisOf } from '../clients/redirect-uri.ts';
import { listResponseTypes } from './dynamic-client-rules.ts';
import type { RegisteredClient } from './register-dynamic-client.ts';

/** RFC 7591 3.2.1, RFC 7592 3. Further members are the metadata in force. */
export const ClientInformation = Type.Object(
  {
    client_id: Type.String(),
    client_secret: Type.Optional(Type.String({ description: 'Shown this once' })),
    client_id_issued_at: Type.Integer({ description: 'Seconds since the epoch' }),
    client_secret_expires_at: Type.Optional(Type.Integer({ description: '0: never' })),
    registration_access_token: Type.String({ description: 'For the registration_client_uri alone' }),
    registration_client_uri: Type.String({
      description: 'Where the client reads, replaces and deletes its registration',
    }),
    redirect_uris: Type.Array(Type.String()),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.String(),
    scope: Type.String(),
  },
  { $id: 'ClientInformation', additionalProperties: true, description: 'RFC 7591 3.2.1, RFC 7592 3' },
);

/** The values in force for a client, by the names of RFC 7591. */
export function buildClientInformation(
  { client, secret, registrationAccessToken }: RegisteredClient,
  authUrl: string,
): Record<string, unknown> {
  const { clientId, grantTypes, metadata, dynamic } = client;
  const { applicationType } = dynamic ?? {};
  return {
    client_id: clientId,
    ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_id_issued_at: Math.floor(client.createdAt / 1000),
    registration_access_token: registrationAccessToken,
    registration_client_uri: `${authUrl}/oauth/register/${clientId}`,
    ...metadata,
    redirect_uris: redirectUrisOf(client),
    grant_types: grantTypes,
    response_types: listResponseTypes(grantTypes),
    token_endpoint_auth_method: metadata.token_endpoint_auth_method ?? findMethod(client),
    scope: client.scope.join(' '),
    ...(applicationType === undefined ? {} : { application_type: applicationType }),
  };
}

/** Of a client of which an administrator took the method away. */
function findMethod(client: Client): string {
  return isPublic(client) ? 'none' : 'client_secret_basic';
}
