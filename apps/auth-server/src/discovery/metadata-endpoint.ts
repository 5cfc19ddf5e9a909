import { dpopAlgorithms } from '@gatehouse/resource-server/parts';
import { registerForEveryOrigin } from '@gatehouse/service-kit/http';
import {
  clientSignatureAlgorithms,
  deviceCodeGrantType,
  type GrantType,
  groupsScope,
  levels,
  listGrantTypes,
  responseAlgorithms,
} from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { DocumentMode, RegistrationMode } from '../config.ts';
import type { IssuerStore } from '../issuers/issuer-store.ts';
import type { ListPrompts } from '../organization/list-prompts.ts';
import { languageTags } from '../pages/messages/language-tags.ts';
import { listResponseTypes, responseModes } from '../protocol/response-types.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import { userinfoClaimNames } from '../tokens/userinfo-claims.ts';

interface Dependencies {
  listPrompts: ListPrompts;
  issuers: Pick<IssuerStore, 'isAnyRecent'>;
  resources: Pick<ResourceStore, 'listOpenUrisRecent'>;
  orgApi: OrgApi;
  config: {
    authUrl: string;
    privacyUrl: string | undefined;
    termsUrl: string | undefined;
    dynamicRegistration: RegistrationMode;
    grantTypesOff: readonly GrantType[];
    clientIdMetadata: DocumentMode;
  };
}

const schema = (operationId: string, summary: string) => ({
  tags: ['metadata'],
  operationId,
  summary,
  response: { 200: Type.Object({ issuer: Type.String() }, { additionalProperties: true }) },
});

const clientAuthentication = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** The lists of methods where an issuer is registered. */
const byIssuers = {
  token_endpoint_auth_methods_supported: [...clientAuthentication, 'none', 'federated_jwt'],
  introspection_endpoint_auth_methods_supported: [...clientAuthentication, 'federated_jwt'],
  revocation_endpoint_auth_methods_supported: [...clientAuthentication, 'none', 'federated_jwt'],
};

/** The discovery documents (OpenID Connect Discovery 3, RFC 8414 2): what works, and nothing else. */
export async function registerMetadata(
  app: FastifyInstance,
  { config, listPrompts, issuers, resources, orgApi }: Dependencies,
): Promise<void> {
  const metadata = {
    ...buildMetadata(config.authUrl, config.grantTypesOff),
    ...buildPages(config),
    ...(config.dynamicRegistration === 'off' ? {} : { registration_endpoint: `${config.authUrl}/oauth/register` }),
    ...(config.clientIdMetadata === 'off' ? {} : { client_id_metadata_document_supported: true }),
  };
  /** Those that clients can come upon by themselves (RFC 9728 4). A tool that looks for org-api takes the first. */
  const listProtectedResources = async () => {
    const open = await resources.listOpenUrisRecent();
    return [...new Set([orgApi.uri, ...open.toSorted()])];
  };
  await registerForEveryOrigin(app, (scope) => {
    for (const [path, operationId, summary] of [
      ['/.well-known/openid-configuration', 'getOpenidConfiguration', 'OpenID Provider metadata'],
      [
        '/.well-known/oauth-authorization-server',
        'getAuthorizationServerMetadata',
        'Authorization server metadata (RFC 8414)',
      ],
    ] as const) {
      scope.get(path, { schema: schema(operationId, summary) }, async (_request, reply) => {
        void reply.header('cache-control', 'public, max-age=300');
        const methods = (await issuers.isAnyRecent()) ? byIssuers : {};
        return {
          ...metadata,
          ...listScopes(orgApi),
          ...methods,
          prompt_values_supported: listPrompts(),
          protected_resources: await listProtectedResources(),
        };
      });
    }
  });
}

/** In the place that the document has for each. */
function listScopes(orgApi: OrgApi) {
  const about = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'sid', 'acr', 'amr', 'at_hash'];
  const claims = userinfoClaimNames.filter((name) => name !== groupsScope || orgApi.hasGroups());
  return { scopes_supported: orgApi.scopes, claims_supported: [...about, ...claims] };
}

function buildMetadata(issuer: string, off: readonly GrantType[]) {
  const isOn = (name: GrantType) => !off.includes(name);
  return {
    issuer,
    ...buildEndpoints(issuer, isOn(deviceCodeGrantType)),
    scopes_supported: [] as readonly string[],
    response_types_supported: listResponseTypes(off),
    response_modes_supported: responseModes,
    acr_values_supported: [...levels],
    grant_types_supported: listGrantTypes(({ published }) => published).filter(isOn),
    ui_locales_supported: languageTags,
    subject_types_supported: ['public'],
    ...buildAuthenticationAndSigning(),
    code_challenge_methods_supported: ['S256'],
    claim_types_supported: ['normal'],
    claims_supported: [] as readonly string[],
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    require_signed_request_object: false,
    require_pushed_authorization_requests: false,
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  };
}

function buildEndpoints(issuer: string, hasDevices: boolean) {
  return {
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/oauth/jwks`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    ...(hasDevices ? { device_authorization_endpoint: `${issuer}/oauth/device_authorization` } : {}),
    pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
    end_session_endpoint: `${issuer}/oauth/logout`,
  };
}

/** Where people read about the server. */
function buildPages({ authUrl, privacyUrl, termsUrl }: Dependencies['config']) {
  return {
    service_documentation: `${authUrl}/docs`,
    ...(privacyUrl === undefined ? {} : { op_policy_uri: privacyUrl }),
    ...(termsUrl === undefined ? {} : { op_tos_uri: termsUrl }),
  };
}

/** How clients prove who they are, and what may be signed how. */
function buildAuthenticationAndSigning() {
  return {
    id_token_signing_alg_values_supported: responseAlgorithms,
    authorization_signing_alg_values_supported: responseAlgorithms,
    userinfo_signing_alg_values_supported: responseAlgorithms,
    token_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: [...clientAuthentication, 'none'],
    token_endpoint_auth_signing_alg_values_supported: clientSignatureAlgorithms,
    introspection_endpoint_auth_signing_alg_values_supported: clientSignatureAlgorithms,
    revocation_endpoint_auth_signing_alg_values_supported: clientSignatureAlgorithms,
    introspection_signing_alg_values_supported: responseAlgorithms,
    request_object_signing_alg_values_supported: clientSignatureAlgorithms,
    dpop_signing_alg_values_supported: dpopAlgorithms,
  };
}
