import { type Static, Type } from 'typebox';
import { namedValues } from './check-fields.ts';
import {
  type ClientMetadataChanges,
  changeableClientMetadata,
  clientIdPattern,
  optionalClientMetadata,
} from './client-metadata.ts';
import { type GrantType, grantTypes } from './grant-types.ts';
import { groupsScope, knownScopes, scopeTokenPattern } from './scope.ts';

export const defaultAccessTokenValidity = 1800;
export const maximumAccessTokenValidity = 86_400;

const clientId = Type.String({
  pattern: clientIdPattern,
  description: 'Identifier of the client, unique in the realm, compared byte for byte',
  expected: 'be 1–255 characters of A–Z a–z 0–9 . _ ~ -',
});
const clientSecret = Type.String({
  pattern: '^[\\x20-\\x7e]{1,1024}$',
  description: 'Confidential credential; required unless the client is public',
  expected: 'be 1–1024 printable ASCII characters',
});
const redirectUri = Type.String({
  description:
    'Callback URL, matched exactly; required with authorization_code or implicit unless redirect_uris has one',
  expected: 'be an absolute URL as a string',
});
const accessTokenValidity = Type.Integer({
  minimum: 1,
  maximum: maximumAccessTokenValidity,
  default: defaultAccessTokenValidity,
  description: 'Lifetime of access tokens, in seconds',
  expected: `be an integer number of seconds from 1 to ${maximumAccessTokenValidity}`,
});
const serviceAccountUsername = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Username of an existing, enabled Robot user; required with service_account',
  expected: 'be the username of an existing, enabled Robot user',
});

const trusted = Type.Literal(true, {
  description: 'Raises the ceiling of the client to all roles; for a SystemAdministrator',
  expected: 'be true, which raises the ceiling of the client to all roles',
});

const enabled = Type.Boolean({
  description: 'false ends the codes and access tokens of the client, which is then refused everywhere',
  expected: 'be true or false',
});

/** Names of scopes. Which of them the client may request depends on its resources. */
const scope = Type.Array(Type.String({ pattern: scopeTokenPattern, maxLength: 255 }), {
  minItems: 1,
  maxItems: 200,
  uniqueItems: true,
  description: `Access permissions the client may request: ${knownScopes.join(', ')}, ${groupsScope}, EXTRA_SCOPES, and scopes of its resources`,
  expected: 'be an array of 1–200 scopes of its resources, without repeats',
});

/** In the place of a secret. The service says which forms it knows. */
export const clientSecretHash = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'In place of `client_secret`, from a SystemAdministrator: its hash as another server made it',
  expected: 'be a text of 1 to 512 characters',
});

/** The body of `POST /clients`. */
export function clientRegistrationSchema() {
  return Type.Object(
    {
      client_id: clientId,
      client_secret: Type.Optional(clientSecret),
      client_secret_hash: Type.Optional(clientSecretHash),
      scope,
      authorized_grant_types: namedValues(grantTypes, 'OAuth 2.0 flows the client may use'),
      redirect_uri: Type.Optional(redirectUri),
      access_token_validity: Type.Optional(accessTokenValidity),
      srvc_ac_user_name: Type.Optional(serviceAccountUsername),
      ...optionalClientMetadata,
    },
    { additionalProperties: false, examples: [registrationExample] },
  );
}

/** The same for a client of org-api alone, which has the scopes of these names. */
export function plainRegistrationSchema(names: readonly string[]) {
  const { properties } = clientRegistrationSchema();
  const plainScope = namedValues(names, 'Access permissions the client may request');
  return Type.Object({ ...properties, scope: plainScope }, { additionalProperties: false });
}

const registrationExample = {
  client_id: 'my-app',
  client_secret: 'my-app-secret',
  scope: ['openid', 'profile', 'email'],
  authorized_grant_types: ['password', 'authorization_code', 'refresh_token'],
  redirect_uri: 'https://app.example.com/callback',
  access_token_validity: 1800,
};

/** The body of `PATCH /clients/{client_id}`; null removes an optional field. */
export function clientChangesSchema() {
  const { properties } = clientRegistrationSchema();
  return Type.Object(
    {
      scope: Type.Optional(properties.scope),
      authorized_grant_types: Type.Optional(properties.authorized_grant_types),
      redirect_uri: Type.Optional(
        Type.Union([redirectUri, Type.Null()], { expected: 'be an absolute URL as a string, or null' }),
      ),
      access_token_validity: Type.Optional(accessTokenValidity),
      srvc_ac_user_name: Type.Optional(
        Type.Union([serviceAccountUsername, Type.Null()], {
          expected: 'be the username of an existing, enabled Robot user, or null',
        }),
      ),
      trusted: Type.Optional(trusted),
      enabled: Type.Optional(enabled),
      ...changeableClientMetadata,
    },
    { additionalProperties: false, examples: [{ access_token_validity: 3600 }] },
  );
}

export type ClientRegistration = Static<ReturnType<typeof clientRegistrationSchema>>;
export type ClientChanges = ClientMetadataChanges & {
  scope?: string[];
  authorized_grant_types?: GrantType[];
  redirect_uri?: string | null;
  access_token_validity?: number;
  srvc_ac_user_name?: string | null;
  trusted?: true;
  enabled?: boolean;
};
