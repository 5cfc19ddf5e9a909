import {
  type ClientAuthenticationMethod,
  type ClientMetadata,
  type ClientProfile,
  clientSignatureAlgorithms,
  type FieldError,
  type GrantType,
  listGrantTypes,
  type ResponseAlgorithm,
} from '@gatehouse/shared';
import type { Client } from './client.ts';

/** The demands of the server on a client, and how it serves it: by the profile and the metadata of its registration. */
export interface ClientDemands {
  /** The one way to authenticate (OpenID Connect Registration 2); undefined where any that fits its credentials will do. */
  authenticationMethod: ClientAuthenticationMethod | undefined;
  /** Of client assertions and DPoP proofs. */
  signatureAlgorithms: readonly string[];
  /** Whether the `aud` of client assertions is the issuer as one string, and nothing else. */
  issuerAsAudience: boolean;
  pushedRequests: boolean;
  pkce: boolean;
  /** Whether `redirect_uri` stands in every authorization request, also where only one is registered. */
  redirectUri: boolean;
  /** Whether the user sees a page that names the client at every authorization request (RFC 6749 10.2, RFC 8252 8.6). */
  pageEachTime: boolean;
  boundTokens: boolean;
  idTokenAlgorithm: ResponseAlgorithm;
  /** Whether ID tokens of the code flow also carry the claims that the granted scopes open. */
  idTokenScopeClaims: boolean;
  /** Whether a refresh token stays the same at each use. Else each use replaces it. */
  refreshTokenStays: boolean;
  /** Of answers of the authorization endpoint, where it asks for signed ones. */
  authorizationAlgorithm: ResponseAlgorithm;
  /** Of userinfo; undefined where that is plain JSON. */
  userinfoAlgorithm: ResponseAlgorithm | undefined;
  /** Of introspection, where it asks for a JWT. */
  introspectionAlgorithm: ResponseAlgorithm;
  signedRequests: boolean;
  requestObjectAlgorithms: readonly string[];
  /** Whether request objects say for how long, by whom and for which server they were made. */
  datedRequestObjects: boolean;
}

type SaidByProfile = 'signatureAlgorithms' | 'issuerAsAudience' | 'redirectUri' | 'datedRequestObjects';

interface Profile extends Pick<ClientDemands, SaidByProfile> {
  /** The metadata that are in force with the profile, and that cannot be said otherwise. */
  implied: Partial<ClientMetadata>;
  /** The metadata that are left out, or say this. */
  allowed: Partial<ClientMetadata>;
  /** The grant types that a client may have. */
  grantTypes: readonly GrantType[] | undefined;
  /** Where a client gets a stricter profile than it had, all ends that was issued to it before. */
  strictness: number;
}

const noProfile: Profile = {
  implied: {},
  allowed: {},
  grantTypes: undefined,
  signatureAlgorithms: clientSignatureAlgorithms,
  issuerAsAudience: false,
  redirectUri: false,
  datedRequestObjects: false,
  strictness: 0,
};

/** FAPI 2.0 Security Profile 5.3.2.1, 5.3.2.2 and 5.4. */
const fapi2: Profile = {
  implied: {
    token_endpoint_auth_method: 'private_key_jwt',
    require_pushed_authorization_requests: true,
    require_pkce: true,
    dpop_bound_access_tokens: true,
    id_token_signed_response_alg: 'ES256',
  },
  allowed: {},
  grantTypes: listGrantTypes((rules) => rules.fapi2),
  signatureAlgorithms: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
  issuerAsAudience: true,
  redirectUri: true,
  datedRequestObjects: false,
  strictness: 1,
};

const profiles: Record<ClientProfile, Profile> = {
  fapi2,
  // FAPI 2.0 Message Signing 5.3.1.
  fapi2_message_signing: {
    ...fapi2,
    implied: {
      ...fapi2.implied,
      require_signed_request_object: true,
      authorization_signed_response_alg: 'ES256',
      introspection_signed_response_alg: 'ES256',
    },
    // FAPI 2.0 asks for no signature of userinfo: clients of OpenID Connect read plain JSON unless they registered another answer.
    allowed: { userinfo_signed_response_alg: 'ES256' },
    datedRequestObjects: true,
    strictness: 2,
  },
  // OAuth 2.1 4.1.1 and 10. Each client may keep to it without the profile, so nothing ends.
  oauth21: {
    ...noProfile,
    implied: { require_pkce: true },
    grantTypes: listGrantTypes((rules) => rules.oauth21),
  },
};

function profileOf({ profile }: { profile?: ClientProfile | undefined }): Profile {
  return profile === undefined ? noProfile : profiles[profile];
}

/** RFC 6749 2.1: a client that cannot keep a credential has none. */
export function isPublic({ secretHash, metadata }: Client): boolean {
  return secretHash === undefined && !provesByJwt(metadata);
}

/** Whether a client has a key, or an issuer that knows it, in place of a secret. */
export function provesByJwt({ token_endpoint_auth_method: method }: ClientMetadata): boolean {
  return method === 'private_key_jwt' || method === 'federated_jwt';
}

/** Whether the ports of its loopback redirect URIs are left to the machine that it runs on. */
export function hasAnyLoopbackPort({ metadata }: Pick<Client, 'metadata'>): boolean {
  return metadata.loopback_ports === 'any';
}

/** Reads the demands from a registration. */
export function demandsOf(client: Client): ClientDemands {
  const { metadata } = client;
  const profile = profileOf(metadata);
  const isPublicClient = isPublic(client);
  const hasAnyPort = hasAnyLoopbackPort(client);
  const { token_endpoint_auth_method: method, dpop_bound_access_tokens: isBound } = metadata;
  return {
    authenticationMethod: method,
    signatureAlgorithms: profile.signatureAlgorithms,
    issuerAsAudience: profile.issuerAsAudience,
    pushedRequests: metadata.require_pushed_authorization_requests === true,
    // RFC 8252 8.1: another program of the machine may listen at the port.
    pkce: metadata.require_pkce === true || isPublicClient || hasAnyPort,
    redirectUri: profile.redirectUri,
    pageEachTime: hasAnyPort && (isPublicClient || client.document !== undefined),
    boundTokens: isBound === true,
    idTokenAlgorithm: metadata.id_token_signed_response_alg ?? 'RS256',
    idTokenScopeClaims: metadata.id_token_scope_claims === true,
    // FAPI 2.0 Security Profile 5.3.2.1 (9): rotation protects refresh tokens that no key protects.
    refreshTokenStays: !isPublicClient && (method === 'private_key_jwt' || isBound === true),
    signedRequests: metadata.require_signed_request_object === true,
    requestObjectAlgorithms:
      metadata.request_object_signing_alg === undefined
        ? profile.signatureAlgorithms
        : [metadata.request_object_signing_alg],
    datedRequestObjects: profile.datedRequestObjects,
    // Last: V8 copies an object that more fields follow twenty times as slowly.
    ...chooseAnswerAlgorithms(metadata),
  };
}

function chooseAnswerAlgorithms({
  authorization_signed_response_alg: authorizationAlgorithm = 'RS256',
  userinfo_signed_response_alg: userinfoAlgorithm,
  introspection_signed_response_alg: introspectionAlgorithm = 'RS256',
}: ClientMetadata) {
  return { authorizationAlgorithm, userinfoAlgorithm, introspectionAlgorithm };
}

/**
 * The only signatures of DPoP proofs that APIs may take from the client; undefined where they may take any that they know.
 * An API knows no profile of a client, so the access token has to say it.
 */
export function findProofLimit({ metadata }: Client): readonly string[] | undefined {
  const { signatureAlgorithms } = profileOf(metadata);
  return signatureAlgorithms === clientSignatureAlgorithms ? undefined : signatureAlgorithms;
}

/** The metadata that a profile implies. */
export function impliedBy(profile: ClientProfile | undefined): Partial<ClientMetadata> {
  return profileOf({ profile }).implied;
}

/** The metadata of a registration with all that its profile implies. A value that the registration itself has stays. */
export function completeMetadata(metadata: ClientMetadata): ClientMetadata {
  return { ...impliedBy(metadata.profile), ...metadata };
}

/** Everything in a registration that contradicts its profile. */
export function findProfileFaults(metadata: ClientMetadata, grantTypes: readonly GrantType[]): FieldError[] {
  const { profile, request_object_signing_alg: objectAlgorithm } = metadata;
  const { implied, allowed, grantTypes: allowedGrantTypes, signatureAlgorithms } = profileOf(metadata);
  const said = { ...allowed, ...metadata };
  const expected = Object.entries({ ...implied, ...allowed }) as [keyof ClientMetadata, unknown][];
  const contradicted = expected.filter(([name, value]) => said[name] !== value);
  const faults: FieldError[] = contradicted.map(([name, value]) => ({
    field: name,
    detail: `must be ${value} with profile ${profile}, or left out`,
  }));
  const mustBeAmong = (field: string, names: readonly string[]) => {
    faults.push({ field, detail: `must be among ${names.join(', ')} with profile ${profile}` });
  };
  if (objectAlgorithm !== undefined && !signatureAlgorithms.includes(objectAlgorithm)) {
    mustBeAmong('request_object_signing_alg', signatureAlgorithms);
  }
  if (allowedGrantTypes !== undefined && !grantTypes.every((name) => allowedGrantTypes.includes(name))) {
    mustBeAmong('authorized_grant_types', allowedGrantTypes);
  }
  return faults;
}

/** Whether a change puts the client under a stricter profile. Its tokens were issued by weaker rules. */
export function getsProfile(before: Client, after: Client): boolean {
  return profileOf(after.metadata).strictness > profileOf(before.metadata).strictness;
}
