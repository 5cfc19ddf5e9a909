import { type Static, type TSchema, Type } from 'typebox';
import { plain } from './character-ranges.ts';
import { groupName } from './group.ts';
import { type Level, levels } from './levels.ts';
import { managedBy } from './managed-by.ts';

/*
 * Client metadata beyond the documented fields, by the names of RFC 7591, OpenID Connect Dynamic Client Registration,
 * Back-Channel Logout, RFC 9126 and RFC 9449. All of it is optional.
 */

/** The ways of clients that register themselves. */
export const ownAuthenticationMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;
export const clientAuthenticationMethods = [...ownAuthenticationMethods, 'federated_jwt'] as const;
export type ClientAuthenticationMethod = (typeof clientAuthenticationMethods)[number];

/** Of everything that is signed for a client: ID tokens, and answers where it registers for that. */
export const responseAlgorithms = ['RS256', 'ES256'] as const;
export type ResponseAlgorithm = (typeof responseAlgorithms)[number];

/** Signatures of client assertions, request objects and DPoP proofs. RFC 9864 gives EdDSA the name Ed25519. */
export const clientSignatureAlgorithms = ['ES256', 'RS256', 'PS256', 'Ed25519', 'EdDSA'] as const;

/** Names of sets of demands. */
export const clientProfiles = ['fapi2', 'fapi2_message_signing', 'oauth21'] as const;
export type ClientProfile = (typeof clientProfiles)[number];

/** Unreserved characters of RFC 3986, so a client_id never needs escaping and is never mistaken for a username. */
export const clientIdPattern = '^[A-Za-z0-9._~-]{1,255}$';

/** The same, or the URL of a Client ID Metadata Document: where an administrator names a client that exists. */
export const namedClientPattern = '^(?:[A-Za-z0-9._~-]{1,255}|https://[!-~]{1,247})$';

const uris = (description: string) =>
  Type.Array(Type.String({ maxLength: 2048 }), {
    maxItems: 20,
    uniqueItems: true,
    description,
    expected: 'be an array of at most 20 absolute URLs, without repeats',
  });
/** Absolute URIs of resources (RFC 8707). */
const resourceUri = Type.String({ minLength: 1, maxLength: 2048 });
/** Links that users see. RFC 7591 2, OpenID Connect Dynamic Client Registration 2. */
export const clientLinkNames = ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri', 'initiate_login_uri'] as const;
const link = (description: string) =>
  Type.String({ maxLength: 2048, description, expected: 'be an https URL of at most 2048 characters' });
const flag = (description: string) => Type.Boolean({ description, expected: 'be true or false' });

/**
 * The pattern of names that users see. A name with characters that change the direction of a text or end its line can look
 * like another name.
 */
export const namePattern = `^(?:${plain}){1,128}$`;

/** The same, of a name that has less room on pages. */
export const shortNamePattern = `^(?:${plain}){1,64}$`;

/**
 * The choices of a client that registers itself (RFC 7591) about a field: choose it; choose it with `application_type` native
 * only; choose it by an initial access token, and have it passed over without; send it in the form of RFC 7591, which has
 * rules of its own. A field that is `fixed` has the value that the server sets, one that is `ignored` is passed over, and one
 * that is `refused` is an error.
 */
export type DynamicUse = 'chosen' | 'native' | 'by_token' | 'own_form' | 'fixed' | 'ignored' | 'refused';

/** A level of a sign-in. The rules of clients and of resources name a value that is none. */
export function levelSchema(description?: string) {
  const expected = `be one of ${levels.join(', ')}`;
  return Type.Unsafe<Level>(Type.String({ maxLength: 255, ...(description && { description }), expected }));
}

function responseAlgorithm(description: string) {
  return Type.Enum([...responseAlgorithms], { description, expected: `be one of ${responseAlgorithms.join(', ')}` });
}

const field = <Use extends DynamicUse, Schema extends TSchema>(dynamic: Use, schema: Schema) => ({ dynamic, schema });

/** The fields, each optional in a registration by an administrator. */
export const clientMetadataFields = {
  client_name: field(
    'chosen',
    Type.String({
      pattern: namePattern,
      description: 'Name that users see',
      expected: 'be a string of 1–128 characters without control or direction characters',
    }),
  ),
  client_uri: field('chosen', link('Its website, which pages link to')),
  policy_uri: field('chosen', link('Its privacy policy, which pages link to')),
  tos_uri: field('chosen', link('Its terms of service, which pages link to')),
  logo_uri: field('chosen', link('Kept and given back; pages show only a logo that an administrator put here')),
  profile: field(
    'chosen',
    Type.Enum([...clientProfiles], {
      description:
        'fapi2: a client of the FAPI 2.0 Security Profile. Implies private_key_jwt, pushed requests, PKCE, bound tokens and ES256. fapi2_message_signing: one of FAPI 2.0 Message Signing, whose requests are signed, too. oauth21: one of OAuth 2.1. Implies PKCE',
      expected: `be one of ${clientProfiles.join(', ')}`,
    }),
  ),
  resources: field(
    'chosen',
    Type.Array(resourceUri, {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description: 'URIs of the resources it may ask for (RFC 8707); org-api alone where left out',
      expected: 'be an array of 1–100 URIs of registered resources, without repeats',
    }),
  ),
  default_resource: field(
    'chosen',
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'The one of its resources that a request without resource means; org-api where left out',
      expected: 'be the URI of one of its resources',
    }),
  ),
  exchange_from: field(
    'ignored',
    Type.Array(Type.String({ pattern: clientIdPattern }), {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description:
        'client_ids of the clients whose access tokens it may exchange (RFC 8693); its own where left out; not with require_consent',
      expected: 'be an array of 1–100 client_ids, without repeats',
    }),
  ),
  exchange_audiences: field(
    'ignored',
    Type.Array(resourceUri, {
      minItems: 1,
      maxItems: 100,
      uniqueItems: true,
      description:
        'URIs of the resources whose access tokens it may exchange (RFC 8693): the aud of such a token. Required with the grant type token-exchange, and accepted only with it',
      expected: 'be an array of 1–100 URIs of registered resources, without repeats',
    }),
  ),
  redirect_uris: field(
    'own_form',
    uris('Callback URLs, matched exactly: the ones in addition to redirect_uri, or all of them'),
  ),
  loopback_ports: field(
    'native',
    Type.Enum(['any'], {
      description:
        'any: a redirect URI of http://127.0.0.1 or http://[::1] matches with every port (RFC 8252 7.3). Requires PKCE',
      expected: 'be any',
    }),
  ),
  post_logout_redirect_uris: field('chosen', uris('Where the browser may be sent after signing out')),
  token_endpoint_auth_method: field(
    'own_form',
    Type.Enum([...clientAuthenticationMethods], {
      description: 'The one way in which the client authenticates; any that fits its credentials where left out',
      expected: `be one of ${clientAuthenticationMethods.join(', ')}`,
    }),
  ),
  jwks: field(
    'chosen',
    Type.Object(
      { keys: Type.Array(Type.Object({ kty: Type.String() }), { minItems: 1, maxItems: 10 }) },
      {
        additionalProperties: false,
        description:
          'Public keys of the client: with private_key_jwt they take the place of a secret, else they serve signed requests alone',
        expected: 'be a JSON Web Key Set of 1–10 public keys',
      },
    ),
  ),
  jwks_uri: field(
    'by_token',
    Type.String({
      maxLength: 512,
      description: 'The https URL of such a set, in place of jwks: it is read when its keys are needed',
      expected: 'be an https URL of at most 512 characters',
    }),
  ),
  id_token_signed_response_alg: field(
    'chosen',
    responseAlgorithm('How ID tokens for the client are signed; RS256 where left out'),
  ),
  id_token_scope_claims: field(
    'chosen',
    flag('Whether ID tokens of the code flow also carry the claims that the granted scopes open'),
  ),
  backchannel_logout_uri: field(
    'refused',
    Type.String({
      maxLength: 2048,
      description: 'Where the client is told that a session ended; in production no loopback host',
      expected: 'be an absolute URL of at most 2048 characters',
    }),
  ),
  backchannel_logout_session_required: field(
    'ignored',
    flag('Whether logout tokens must name the session; they always do'),
  ),
  require_consent: field(
    'fixed',
    flag(
      'Whether users are asked before the client gets anything: a third-party client; not with the grant type password',
    ),
  ),
  require_pkce: field('chosen', flag('Whether PKCE is required (RFC 7636), which it is of every public client')),
  require_pushed_authorization_requests: field(
    'chosen',
    flag('Whether authorization requests must be pushed (RFC 9126)'),
  ),
  default_acr_values: field(
    'chosen',
    Type.Array(levelSchema(), {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: `How users should sign in where a request does not say (acr_values), the preferred level first: ${levels.join(', ')}`,
      expected: `be an array of at least one of ${levels.join(', ')}, without repeats`,
    }),
  ),
  default_max_age: field(
    'chosen',
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: 'Seconds since the sign-in, at most, where a request does not say (max_age)',
      expected: 'be an integer number of seconds from 0 to 86400',
    }),
  ),
  required_acr: field(
    'chosen',
    levelSchema(
      `The lowest level by which users sign in: ${levels.join(', ')}; above the first not with the grant type password`,
    ),
  ),
  administration_max_age: field(
    'ignored',
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description:
        'Seconds since the sign-in, at most, for administrative requests that change something; no limit where left out',
      expected: 'be an integer number of seconds from 60 to 86400',
    }),
  ),
  dpop_bound_access_tokens: field('chosen', flag('Whether every token must be bound to a key (RFC 9449)')),
  authorization_signed_response_alg: field(
    'by_token',
    responseAlgorithm(
      'How answers of the authorization endpoint are signed where response_mode asks for that (JARM); RS256 where left out',
    ),
  ),
  userinfo_signed_response_alg: field(
    'by_token',
    responseAlgorithm('How userinfo is signed, which is plain JSON where left out'),
  ),
  introspection_signed_response_alg: field(
    'by_token',
    responseAlgorithm('How introspection is signed where a JWT is asked for (RFC 9701); RS256 where left out'),
  ),
  request_object_signing_alg: field(
    'by_token',
    Type.Enum([...clientSignatureAlgorithms], {
      description: 'The only signature of its request objects (RFC 9101); any of these where left out',
      expected: `be one of ${clientSignatureAlgorithms.join(', ')}`,
    }),
  ),
  request_uris: field(
    'by_token',
    Type.Array(Type.String({ maxLength: 512 }), {
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      description: 'https URLs at which it puts request objects: request_uri may be one of these',
      expected: 'be an array of 1–5 https URLs of at most 512 characters, without repeats',
    }),
  ),
  require_signed_request_object: field('ignored', flag('Whether authorization requests must be signed (RFC 9101)')),
  initiate_login_uri: field(
    'by_token',
    link(
      'Where a sign-in to it begins from elsewhere (OpenID Connect Core 4), as from /account/applications, which links to it',
    ),
  ),
  federated_credentials: field(
    'refused',
    Type.Array(
      Type.Object(
        {
          issuer: Type.String({ minLength: 1, maxLength: 512 }),
          subject: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
          claims: Type.Optional(
            Type.Record(Type.String({ pattern: '^.{1,128}$' }), Type.String({ maxLength: 2048 }), {
              minProperties: 1,
              maxProperties: 10,
            }),
          ),
          audience: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: 10,
        description:
          'The tokens of issuers that prove the client with federated_jwt, each by the exact sub or claims, and by its aud: AUTH_URL where left out',
        expected:
          'be an array of 1–10 objects { issuer, subject, claims, audience }: issuer a registered one, subject an exact string, claims 1–10 names with exact strings, audience a string of at most 255 characters',
      },
    ),
  ),
  allowed_groups: field(
    'ignored',
    Type.Array(groupName, {
      minItems: 1,
      maxItems: 100,
      description: 'Groups of which users have to be in one to sign in; any user may where left out',
      expected: 'be an array of 1–100 names of groups',
    }),
  ),
  managed_by: field('ignored', managedBy),
};

type Fields = typeof clientMetadataFields;
type OptionalFields = { [Name in keyof Fields]: ReturnType<typeof Type.Optional<Fields[Name]['schema']>> };

/** The same fields, as members of a body that may lack them. */
export const optionalClientMetadata = mapFields(({ schema }) => Type.Optional(schema)) as unknown as OptionalFields;
const metadataSchema = Type.Object(optionalClientMetadata);
export type ClientMetadata = Static<typeof metadataSchema>;

/** The same fields for a change; null removes a field. */
export const changeableClientMetadata = mapFields(({ schema }) => {
  const { expected } = schema as { expected?: string };
  return Type.Optional(Type.Union([schema, Type.Null()], { expected: `${expected}, or null` }));
});
export type ClientMetadataChanges = { [Name in keyof ClientMetadata]?: ClientMetadata[Name] | null };

function mapFields<T>(build: (field: { dynamic: DynamicUse; schema: TSchema }) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(clientMetadataFields).map(([name, found]) => [name, build(found)]));
}

export const clientMetadataNames = Object.keys(clientMetadataFields) as (keyof ClientMetadata)[];

type NamesOf<Use extends DynamicUse> = {
  [Name in keyof Fields]: Fields[Name]['dynamic'] extends Use ? Name : never;
}[keyof Fields];

/** The names of the fields that a client which registers itself may use so. */
export function listDynamicFields<Use extends DynamicUse>(...uses: readonly Use[]): NamesOf<Use>[] {
  const names = clientMetadataNames.filter((name) =>
    (uses as readonly DynamicUse[]).includes(clientMetadataFields[name].dynamic),
  );
  return names as NamesOf<Use>[];
}
