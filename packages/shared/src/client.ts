import { type Static, Type } from 'typebox';
import { createFieldsChecker, type FieldsResult, namedValues } from './check-fields.ts';
import {
  type ClientMetadata,
  type ClientMetadataChanges,
  changeableClientMetadata,
  findMetadataFaults,
  optionalClientMetadata,
  pickClientMetadata,
} from './client-metadata.ts';
import type { FieldError } from './problem-details.ts';
import { findRedirectUriFault } from './redirect-uri.ts';
import { knownScopes } from './scope.ts';

export const grantTypes = [
  'authorization_code',
  'client_credentials',
  'password',
  'refresh_token',
  'implicit',
  'service_account',
] as const;
export type GrantType = (typeof grantTypes)[number];

/** The grant types of public clients, which have no secret (RFC 6749 2.1). */
const publicGrantTypes: ReadonlySet<GrantType> = new Set(['authorization_code', 'implicit', 'refresh_token']);
const redirectingGrantTypes: readonly GrantType[] = ['authorization_code', 'implicit'];

export const defaultAccessTokenValidity = 1800;
export const maximumAccessTokenValidity = 86_400;

/** Unreserved characters of RFC 3986, so a client_id never needs escaping and is never mistaken for a username. */
export const clientIdPattern = '^[A-Za-z0-9._~-]{1,255}$';

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
  description: 'Callback URL, matched exactly; required with authorization_code or implicit',
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

/** The body of `POST /clients`, for a realm that knows `extraScopes` beside the known ones. */
export function clientRegistrationSchema(extraScopes: readonly string[]) {
  return Type.Object(
    {
      client_id: clientId,
      client_secret: Type.Optional(clientSecret),
      scope: namedValues([...knownScopes, ...extraScopes], 'Access permissions the client may request'),
      authorized_grant_types: namedValues(grantTypes, 'OAuth 2.0 flows the client may use'),
      redirect_uri: Type.Optional(redirectUri),
      access_token_validity: Type.Optional(accessTokenValidity),
      srvc_ac_user_name: Type.Optional(serviceAccountUsername),
      ...optionalClientMetadata,
    },
    { additionalProperties: false, examples: [registrationExample] },
  );
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
export function clientChangesSchema(extraScopes: readonly string[]) {
  const { properties } = clientRegistrationSchema(extraScopes);
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
      ...changeableClientMetadata,
    },
    { additionalProperties: false },
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
};

/** The settings of a new or changed client, as the rules between fields read them. */
export interface ClientSettings {
  authorized_grant_types: readonly GrantType[];
  redirect_uri?: string | undefined;
  srvc_ac_user_name?: string | undefined;
  hasSecret: boolean;
  metadata: ClientMetadata;
}

/** Whether a client with these grant types may have no secret. */
export function mayBePublic(grants: readonly GrantType[]): boolean {
  return grants.every((grant) => publicGrantTypes.has(grant));
}

/** The rules between the fields of a client, each a named check that returns its fault or nothing. */
const settingsRules: readonly ((settings: ClientSettings) => FieldError | undefined)[] = [
  function secretUnlessPublic({ authorized_grant_types, hasSecret, metadata }) {
    if (hasSecret || mayBePublic(authorized_grant_types)) return undefined;
    if (metadata.token_endpoint_auth_method === 'private_key_jwt') return undefined;
    const detail = 'is required unless the only grant types are authorization_code, implicit and refresh_token';
    return { field: 'client_secret', detail };
  },
  function serviceAccountAlone({ authorized_grant_types }) {
    if (!authorized_grant_types.includes('service_account')) return undefined;
    const others = authorized_grant_types.filter(
      (grant) => grant !== 'service_account' && grant !== 'client_credentials',
    );
    if (others.length === 0) return undefined;
    const detail = 'may hold service_account beside client_credentials and beside nothing else';
    return { field: 'authorized_grant_types', detail };
  },
  function consentNotByPassword({ authorized_grant_types, metadata }) {
    if (metadata.require_consent !== true || !authorized_grant_types.includes('password')) return undefined;
    const detail = 'is not accepted with the grant type password, which asks no user';
    return { field: 'require_consent', detail };
  },
  function boundTokensNotImplicit({ authorized_grant_types, metadata }) {
    if (!metadata.dpop_bound_access_tokens || !authorized_grant_types.includes('implicit')) return undefined;
    return { field: 'dpop_bound_access_tokens', detail: 'is not accepted with implicit, whose tokens cannot be bound' };
  },
  function redirectUriWhereUsed({ authorized_grant_types, redirect_uri }) {
    const field = 'redirect_uri';
    const redirecting = redirectingGrantTypes.find((grant) => authorized_grant_types.includes(grant));
    if (redirect_uri === undefined) {
      return redirecting === undefined ? undefined : { field, detail: `is required with ${redirecting}` };
    }
    if (authorized_grant_types.includes('service_account')) {
      return { field, detail: 'is not accepted with service_account' };
    }
    const fault = findRedirectUriFault(redirect_uri);
    return fault === undefined ? undefined : { field, detail: fault };
  },
  function serviceAccountUser({ authorized_grant_types, srvc_ac_user_name }) {
    const field = 'srvc_ac_user_name';
    const isServiceAccount = authorized_grant_types.includes('service_account');
    if (isServiceAccount && srvc_ac_user_name === undefined) {
      return { field, detail: 'is required with service_account and must name an existing, enabled Robot user' };
    }
    if (!isServiceAccount && srvc_ac_user_name !== undefined) {
      return { field, detail: 'is accepted with service_account only' };
    }
    return undefined;
  },
];

/** Every broken rule between the fields; empty where all hold. */
export function findSettingsFaults(settings: ClientSettings): FieldError[] {
  const faults = settingsRules.map((rule) => rule(settings)).filter((fault) => fault !== undefined);
  return [...faults, ...findMetadataFaults(settings.metadata, settings)];
}

/** Checks a registration's fields and the rules between them, in one result. */
export function createRegistrationChecker(
  extraScopes: readonly string[],
): (body: unknown) => FieldsResult<ClientRegistration> {
  const checkFields = createFieldsChecker(clientRegistrationSchema(extraScopes));
  return (body) => {
    const result = checkFields(body);
    if (!result.ok) return result;
    const errors = findSettingsFaults({
      ...result.value,
      hasSecret: result.value.client_secret !== undefined,
      metadata: pickClientMetadata(result.value),
    });
    return errors.length > 0 ? { ok: false, errors } : result;
  };
}
