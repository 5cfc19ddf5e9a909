import type { NoteLine } from '../../bundle/bundle-line.ts';
import { isLink, isValidity } from '../client/client-members.ts';
import { note } from '../notes.ts';
import { objectOf, type SourceObject } from '../source-value.ts';

type Members = Record<string, unknown>;
type Rule = (value: string) => Members | undefined;

const link =
  (member: string): Rule =>
  (value) =>
    isLink(value) ? { [member]: value } : undefined;
const algorithm =
  (member: string, allowed = ['RS256', 'ES256']): Rule =>
  (value) =>
    allowed.includes(value) ? { [member]: value } : undefined;
const flag =
  (member: string): Rule =>
  (value) =>
    value === 'true' ? { [member]: true } : undefined;

/** The members that an attribute of a client becomes; undefined where its value has no place. */
const rules: Readonly<Record<string, Rule>> = {
  'access.token.lifespan': (value) =>
    isValidity(Number(value)) ? { access_token_validity: Number(value) } : undefined,
  'pkce.code.challenge.method': (value) => (value === 'S256' ? { require_pkce: true } : undefined),
  'backchannel.logout.url': (value) =>
    isLink(value) || /^http:\/\/(?:localhost|127\.0\.0\.1)[:/]/.test(value)
      ? { backchannel_logout_uri: value }
      : undefined,
  'id.token.signed.response.alg': algorithm('id_token_signed_response_alg'),
  'user.info.response.signature.alg': algorithm('userinfo_signed_response_alg'),
  'authorization.signed.response.alg': algorithm('authorization_signed_response_alg'),
  'request.object.signature.alg': (value) =>
    value === 'any' ? {} : algorithm('request_object_signing_alg', ['ES256', 'RS256', 'PS256', 'EdDSA'])(value),
  'request.object.required': (value) => (value === 'not required' ? {} : { require_signed_request_object: true }),
  'request.uris': (value) => {
    const uris = value.split('##');
    return uris.length <= 5 && uris.every((uri) => isLink(uri) && !uri.includes('*'))
      ? { request_uris: uris }
      : undefined;
  },
  'require.pushed.authorization.requests': flag('require_pushed_authorization_requests'),
  'dpop.bound.access.tokens': flag('dpop_bound_access_tokens'),
  logoUri: link('logo_uri'),
  policyUri: link('policy_uri'),
  tosUri: link('tos_uri'),
};

/** Attributes that others read, that Keycloak keeps for itself, or that say what is so here anyway. */
const passedOver = [
  ...['post.logout.redirect.uris', 'use.jwks.url', 'jwks.url', 'use.jwks.string', 'jwks.string'],
  ...['jwt.credential.certificate', 'token.endpoint.auth.signing.alg', 'oauth2.device.authorization.grant.enabled'],
  ...['standard.token.exchange.enabled', 'use.refresh.tokens', 'realm_client'],
  ...['client.secret.creation.time', 'frontchannel.logout.url', 'backchannel.logout.session.required'],
  ...['backchannel.logout.revoke.offline.tokens', 'frontchannel.logout.session.required'],
  ...[
    'access.token.header.type.rfc9068',
    'request.object.encryption.alg',
    'request.object.encryption.enc',
    'saml.artifact.binding.identifier',
  ],
];

/** Values by which an attribute says nothing. */
const unsaid = ['', 'false', '{}'];

/** Reads the attributes of a client into members of a registration. */
export function readClientAttributes(client: SourceObject): { members: Members; notes: NoteLine[] } {
  const members: Members = {};
  const notes: NoteLine[] = [];
  for (const [name, value] of Object.entries(objectOf(client.attributes))) {
    if (typeof value !== 'string' || unsaid.includes(value) || passedOver.includes(name)) continue;
    const found = Object.hasOwn(rules, name) ? rules[name]?.(value) : undefined;
    if (found === undefined) notes.push(note(`client ${client.clientId}`, 'attribute', name));
    else Object.assign(members, found);
  }
  return { members, notes };
}
