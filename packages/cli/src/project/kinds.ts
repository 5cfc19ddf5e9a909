/** A kind of object that a project describes. */
export interface Kind {
  /** As a plan names one. */
  name: 'issuer' | 'resource' | 'group' | 'user' | 'client' | 'upstream';
  /** The list in a file, and in the answer of the service. */
  many: string;
  service: 'authServer' | 'orgApi';
  path: string;
  /** The member by which files name one. */
  key: string;
  /** The member that paths name it by. */
  id: string;
  /** All members that a file may have. A name with a language behind `#` is one of its name. */
  members: readonly string[];
  /** Members that no change takes. */
  fixed: readonly string[];
  /** The value of a member where a file leaves it out, and null does not take it away. */
  defaults: Readonly<Record<string, unknown>>;
  /** The member that names the project; users have none. */
  managedBy?: string;
}

const issuer: Kind = {
  ...{ name: 'issuer', many: 'issuers', service: 'authServer', path: '/issuers', key: 'issuer', id: 'id' },
  members: ['issuer', 'name', 'kind', 'jwks', 'jwks_uri', 'signature_algorithms'],
  fixed: ['issuer'],
  defaults: { kind: 'oidc', signature_algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA', 'Ed25519'] },
  managedBy: 'managed_by',
};

const resource: Kind = {
  ...{ name: 'resource', many: 'resources', service: 'authServer', path: '/resources', key: 'resource', id: 'id' },
  members: [
    ...['resource', 'name', 'scopes', 'access_token_validity', 'required_acr', 'max_age', 'dynamic_clients'],
    ...['groups', 'groups_claim'],
  ],
  fixed: ['resource'],
  defaults: { scopes: [], dynamic_clients: false },
  managedBy: 'managed_by',
};

const organization = '/organization/api/organization';

const group: Kind = {
  ...{ name: 'group', many: 'groups', service: 'orgApi', path: `${organization}/group`, key: 'name', id: 'id' },
  members: ['name', 'description', 'members'],
  fixed: ['name'],
  defaults: { description: '' },
  managedBy: 'managedBy',
};

export const userKind: Kind = {
  ...{ name: 'user', many: 'users', service: 'orgApi', path: `${organization}/user/userId`, key: 'username' },
  id: 'username',
  members: [
    ...['username', 'userType', 'password', 'firstName', 'lastName', 'email', 'emailVerified', 'roles', 'enabled'],
    ...['organization', 'locale', 'timezone', 'groups', 'middleName', 'nickname', 'profile', 'picture', 'website'],
    ...['gender', 'birthdate', 'phoneNumber', 'phoneNumberVerified', 'address', 'externalId'],
  ],
  fixed: ['username', 'userType'],
  defaults: {},
};

const client: Kind = {
  ...{ name: 'client', many: 'clients', service: 'authServer', path: '/clients', key: 'client_id', id: 'client_id' },
  members: [
    ...['client_id', 'client_secret', 'client_secret_hash', 'secret_grace', 'trusted', 'enabled', 'logo'],
    ...['scope', 'authorized_grant_types'],
    ...['redirect_uri', 'access_token_validity', 'srvc_ac_user_name', 'client_name', 'client_uri', 'policy_uri'],
    ...['tos_uri', 'logo_uri', 'profile', 'resources', 'default_resource', 'exchange_from', 'exchange_audiences'],
    ...['redirect_uris', 'loopback_ports', 'post_logout_redirect_uris', 'token_endpoint_auth_method', 'jwks'],
    ...['jwks_uri', 'id_token_signed_response_alg', 'id_token_scope_claims', 'backchannel_logout_uri'],
    ...['backchannel_logout_session_required', 'require_consent', 'require_pkce'],
    ...['require_pushed_authorization_requests', 'default_acr_values', 'default_max_age', 'required_acr'],
    ...['administration_max_age', 'dpop_bound_access_tokens', 'authorization_signed_response_alg'],
    ...['userinfo_signed_response_alg', 'introspection_signed_response_alg', 'request_object_signing_alg'],
    ...['request_uris', 'require_signed_request_object', 'initiate_login_uri', 'federated_credentials'],
    ...['allowed_groups'],
  ],
  fixed: ['client_id'],
  defaults: { enabled: true, access_token_validity: 1800 },
  managedBy: 'managed_by',
};

const upstream: Kind = {
  ...{ name: 'upstream', many: 'upstreams', service: 'authServer', path: '/upstreams', key: 'alias', id: 'alias' },
  members: [
    ...['alias', 'display_name', 'enabled', 'kind', 'issuer', 'client_id', 'client_secret'],
    ...['token_endpoint_auth_method', 'scope', 'tenants', 'hosted_domains', 'link', 'email_domains', 'create_users'],
    ...['domains', 'local_methods', 'members', 'sync', 'groups', 'level', 'levels', 'logout'],
  ],
  fixed: ['alias', 'kind', 'issuer'],
  defaults: {
    ...{ enabled: true, tenants: [], hosted_domains: [], link: 'ask', email_domains: [], create_users: false },
    ...{ domains: [], local_methods: 'allowed', members: {}, sync: 'first' },
    ...{ level: 'urn:gatehouse:acr:password', levels: {}, logout: false },
  },
  managedBy: 'managed_by',
};

/** In the order in which they are made: each may name those before it. */
export const kinds: readonly Kind[] = [issuer, resource, group, userKind, client, upstream];

export function kindOf(name: Kind['name']): Kind {
  const found = kinds.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no kind ${name}`);
  return found;
}

/** Members of a view that no file has. */
export const madeByServer: readonly string[] = [
  ...['id', 'createdAt', 'updatedAt', 'created_at', 'updated_at', 'ceiling', 'public', 'dynamic', 'metadata_document'],
  ...['last_used_at', 'secret_set_at', 'secret_made_here', 'secret_last_used_at', 'previous_secret_expires_at'],
  ...['previous_secret_last_used_at', 'managed_by', 'managedBy', 'ceiling_given_at'],
];

/** Members of a view of an upstream that no file has. */
export const madeForUpstream: readonly string[] = ['redirect_uri'];
