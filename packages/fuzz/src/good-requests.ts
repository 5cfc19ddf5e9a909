import { createClientKey, deviceGrant, tokenExchange } from '@gatehouse/test-kit';
import type { GoodFields } from './fuzz-request.ts';
import { callback, type Ingredients } from './ingredients.ts';
import { internalRequests } from './internal-requests.ts';
import { findDynamicClient } from './learn.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';
import { pickGoodValue } from './values.ts';

const named =
  (...names: string[]) =>
  (random: Random, ingredients: Ingredients): GoodFields =>
    Object.fromEntries(names.map((name) => [name, pickGoodValue(random, ingredients, name)]));

const byAssertion = named('client_assertion', 'client_assertion_type');
const authorization = ['response_type', 'redirect_uri', 'scope', 'nonce', 'state'];
/** RFC 9126 2.1: who pushes a request has said who it is. */
const push = named(...authorization, 'code_challenge', 'code_challenge_method');
const authorize = named('client_id', ...authorization, 'code_challenge', 'code_challenge_method');

const tokenRequests = [
  named('grant_type'),
  (random: Random, all: Ingredients) => ({ grant_type: 'client_credentials', ...byAssertion(random, all) }),
  (random: Random, all: Ingredients) => ({ grant_type: 'client_credentials', ...byAssertion(random, all) }),
  (random: Random, all: Ingredients) => ({ grant_type: 'refresh_token', ...named('refresh_token')(random, all) }),
  (random: Random, all: Ingredients) => ({ grant_type: deviceGrant, ...named('device_code')(random, all) }),
  (random: Random, all: Ingredients) => ({
    grant_type: tokenExchange,
    ...named('subject_token', 'subject_token_type')(random, all),
    ...(random.chance(0.5) ? named('resource')(random, all) : {}),
  }),
  (random: Random, all: Ingredients) => ({
    grant_type: 'authorization_code',
    ...named('code', 'redirect_uri', 'code_verifier')(random, all),
  }),
];

let registered = 0;
/** Made once: what is registered is never used. */
const jwks = { keys: [createClientKey().jwk] };

function registration(random: Random, { urls, found }: Ingredients): GoodFields {
  registered += 1;
  return {
    client_id: `fuzzed-${process.pid}-${registered}`,
    scope: ['openid', 'profile'],
    authorized_grant_types: ['authorization_code', 'client_credentials'],
    redirect_uri: callback,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks,
    client_name: 'An application',
    redirect_uris: [`${callback}/more`],
    ...(random.chance(0.5) ? { require_consent: true } : {}),
    ...(random.chance(0.3) ? { profile: 'fapi2' } : {}),
    ...(random.chance(0.3) ? { loopback_ports: 'any', id_token_scope_claims: true } : {}),
    ...(random.chance(0.2) ? exchange(urls['org-api']) : {}),
    ...(random.chance(0.3) ? { resources: [urls['org-api'], random.pick(found.resource_uri ?? [])] } : {}),
  };
}

function exchange(audience: string): GoodFields {
  return {
    authorized_grant_types: [tokenExchange],
    require_consent: false,
    exchange_from: ['shop', 'another'],
    exchange_audiences: [audience],
  };
}

function resource(random: Random): GoodFields {
  registered += 1;
  const unique = `fuzzed-${process.pid}-${registered}`;
  return {
    resource: `https://${unique}.example.com/`,
    name: 'An API',
    scopes: [{ name: `${unique}:read`, description: 'read things' }],
    ...(random.chance(0.5) ? { access_token_validity: 60, dynamic_clients: true } : {}),
  };
}

function issuer(random: Random): GoodFields {
  registered += 1;
  const host = `fuzzed-${process.pid}-${registered}.example.com`;
  return random.pick<GoodFields>([
    { issuer: `https://${host}`, name: 'An issuer' },
    { issuer: `https://${host}`, name: 'An issuer', jwks, signature_algorithms: ['ES256', 'ES384'] },
    { issuer: `https://${host}`, name: 'An issuer', jwks_uri: 'https://keys.example.invalid/keys' },
    { issuer: `spiffe://${host}`, name: 'A trust domain', kind: 'spiffe', jwks },
  ]);
}

function upstream(random: Random): GoodFields {
  registered += 1;
  const alias = `fuzzed-${process.pid}-${registered}`;
  const common = { alias, display_name: 'A company', kind: 'oidc', client_id: 'gatehouse' };
  return random.pick<GoodFields>([
    { ...common, issuer: `https://${alias}.example.invalid`, client_secret: 'a secret' },
    {
      ...{ ...common, issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0', tenants: ['one', 'two'] },
      ...{ token_endpoint_auth_method: 'private_key_jwt', link: 'never' },
    },
    {
      ...{ ...common, issuer: `https://${alias}.example.invalid`, client_secret: 'a secret' },
      ...{ email_domains: ['example.com'], link: 'verified_email', create_users: true },
      ...{ domains: [`${alias}.example.com`], local_methods: 'refused' },
    },
    { ...common, kind: 'github', client_secret: 'a secret', members: { firstName: 'name' }, sync: 'always' },
  ]);
}

function dynamicClient(random: Random, { found }: Ingredients): GoodFields {
  return {
    redirect_uris: [callback],
    client_name: 'An application',
    ...(random.chance(0.5) ? { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] } : {}),
    ...(random.chance(0.5) ? { token_endpoint_auth_method: 'none', scope: 'openid profile' } : {}),
    ...(random.chance(0.2) ? { token_endpoint_auth_method: 'private_key_jwt', jwks } : {}),
    ...(random.chance(0.2) ? { client_uri: 'https://app.example.com/', application_type: 'native' } : {}),
    ...(random.chance(0.2) ? { resources: [random.pick(found.resource_uri ?? [])] } : {}),
    ...random.pick([{}, {}, { backchannel_logout_uri: callback }, { jwks_uri: callback }, { loopback_ports: 'any' }]),
  };
}

/** Of the registration whose token the request brings. */
const replacement = (random: Random, all: Ingredients): GoodFields => ({
  client_id: findDynamicClient(all)?.id,
  ...(random.chance(0.2) ? { client_secret: 'another secret' } : {}),
  ...dynamicClient(random, all),
});

const preview = (random: Random, all: Ingredients): GoodFields => ({
  ...random.pick<GoodFields>([
    { grant_type: 'client_credentials' },
    { grant_type: 'password', ...named('username')(random, all) },
    ...['authorization_code', 'refresh_token', deviceGrant].map((grant_type) => ({
      ...{ grant_type, ...named('username')(random, all) },
      ...(random.chance(0.3) ? { acr: random.pick(['urn:gatehouse:acr:password', 'phr']) } : {}),
    })),
  ]),
  ...(random.chance(0.5) ? named('scope')(random, all) : {}),
  ...(random.chance(0.2) ? named('resource')(random, all) : {}),
});

const initialToken = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    {},
    { uses: 2, expires_in: 60 },
    { grant_types: ['client_credentials'], scope: 'openid' },
    { scope: ['openid', 'profile'], resources: [] },
  ]);

const resourceChanges = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    { name: 'Another name' },
    { scopes: [] },
    { scopes: [{ name: `fuzzed-${random.below(1000)}` }] },
    { access_token_validity: null },
    { dynamic_clients: false },
  ]);

const issuerChanges = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    { name: 'Another name' },
    { jwks, jwks_uri: null },
    { jwks: null },
    { signature_algorithms: ['ES256'] },
    { kind: 'spiffe' },
  ]);

const upstreamChanges = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    { display_name: 'Another name', scope: ['openid'] },
    { enabled: random.chance(0.5) },
    { client_id: 'another', rekey: true },
    { client_secret: 'another secret', token_endpoint_auth_method: 'client_secret_post' },
    { token_endpoint_auth_method: 'private_key_jwt' },
    { tenants: ['one'], hosted_domains: ['example.com'], link: 'never' },
    { domains: random.pick([[], ['fuzzed.example.com']]), local_methods: 'allowed', email_domains: ['example.org'] },
    { groups: random.pick([null, { claim: 'groups', map: { '/staff': 'staff/it' } }]), members: {}, sync: 'first' },
    { level: 'urn:gatehouse:acr:mfa', levels: { gold: 'phr' }, logout: random.chance(0.5) },
  ]);

const changes = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    { scope: ['openid'] },
    { client_name: 'Another name' },
    { jwks },
    { jwks: null, jwks_uri: 'https://keys.example.invalid/keys' },
    {
      token_endpoint_auth_method: 'federated_jwt',
      federated_credentials: [{ issuer: 'https://issuer.example.invalid', subject: 'a', claims: { ref: 'b' } }],
    },
    { access_token_validity: 60 },
    { enabled: random.chance(0.8) },
    { redirect_uris: [callback] },
    { require_consent: true },
    { profile: 'fapi2' },
    { profile: null },
    { resources: null },
    { loopback_ports: 'any' },
    { id_token_scope_claims: random.chance(0.5) },
    { exchange_from: ['shop'] },
    { exchange_audiences: null, exchange_from: null },
  ]);
/** Optional members of a user, of which one request sends some. */
const personalData = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    {},
    { birthdate: '0000-02-29', gender: 'female', website: 'https://example.com/~ada' },
    { phoneNumber: '+41446681800', phoneNumberVerified: true, emailVerified: true, email: 'ada@example.com' },
    { address: { formatted: '1 Example Way\nZurich', locality: 'Zurich', country: 'Switzerland' }, nickname: 'Ada' },
    { externalId: `auth0|${random.below(1_000_000_000)}` },
  ]);
const personalChanges = (random: Random): GoodFields =>
  random.pick<GoodFields>([
    personalData(random),
    { phoneNumber: null, nickname: null, address: null, birthdate: null, externalId: null },
    { phoneNumber: '+41446681801' },
    { phoneNumberVerified: true },
  ]);
const user = (random: Random): GoodFields => ({
  username: `fuzzed-${random.below(1_000_000_000)}@example.com`,
  userType: 'Robot',
  firstName: 'Ada',
  roles: [],
  enabled: true,
  ...personalData(random),
});
const deliver = (random: Random): GoodFields =>
  random.pick([{}, { deliver: 'link' }, { deliver: 'mail', expiresIn: 300 }]);
const invited = (random: Random): GoodFields => ({
  ...user(random),
  userType: 'Person',
  invite: true,
  ...deliver(random),
});
/** Of the form of a mailed link: what it is for is not known here. */
const linkFields = named('form_token', 'password', 'code', 'username', 'firstName', 'lastName');

/** By method and path; of every other operation the fields are picked by name. */
const goodRequests: Record<string, (random: Random, ingredients: Ingredients) => GoodFields> = {
  'POST /oauth/token': (random, all) => random.pick(tokenRequests)(random, all),
  'POST /oauth/par': push,
  'POST /oauth/device_authorization': named('scope'),
  'GET /oauth/device': named('user_code'),
  'GET /oauth/authorize': (random, all) =>
    random.chance(0.2) ? named('client_id', 'request_uri')(random, all) : authorize(random, all),
  'POST /oauth/authorize': authorize,
  'POST /oauth/introspect': named('token'),
  'POST /oauth/revoke': named('token'),
  'GET /oauth/logout': named('id_token_hint', 'post_logout_redirect_uri', 'state'),
  'POST /clients': registration,
  'PATCH /clients/{}': changes,
  'POST /resources': resource,
  'PATCH /resources/{}': resourceChanges,
  'POST /issuers': issuer,
  'PATCH /issuers/{}': issuerChanges,
  'POST /upstreams': upstream,
  'PATCH /upstreams/{}': upstreamChanges,
  'POST /upstreams/{}/secret-checks': () => ({ secret: 'a secret' }),
  'POST /oauth/register': dynamicClient,
  'PUT /oauth/register/{}': replacement,
  'POST /registration-tokens': initialToken,
  'POST /clients/{}/secret': (random) => ({
    grace_seconds: random.below(60),
    ...(random.chance(0.1) ? { client_secret_hash: `$2b$04$${'.'.repeat(53)}` } : {}),
  }),
  'POST /clients/{}/secret-checks': () => ({ secret: 'another secret' }),
  'POST /clients/{}/preview': preview,
  'POST /organization/api/organization/user': (random) => (random.chance(0.7) ? user(random) : invited(random)),
  'POST /organization/api/organization/group': (random) => ({
    name: `fuzzed/${process.pid}/${random.below(1_000_000)}`,
    ...(random.chance(0.5) ? { description: 'Some users', managedBy: 'fuzz' } : {}),
  }),
  'PATCH /organization/api/organization/group/{}': (random) =>
    random.pick<GoodFields>([{ description: 'Others' }, { managedBy: null }]),
  'POST /organization/api/organization/group/{}/members': (random, all) => ({
    [random.pick(['add', 'remove'])]: [pickGoodValue(random, all, 'username')],
  }),
  'POST /organization/api/organization/user/userId/{}/invitations': deliver,
  'POST /organization/api/organization/user/userId/{}/methods/reset': (random) => ({
    ...deliver(random),
    ...(random.chance(0.3) ? { password: true } : {}),
  }),
  'GET /account/link': (random, all) => ({ token: pickGoodValue(random, all, 'link') }),
  'POST /account/link': (random, all) => ({
    ...linkFields(random, all),
    token: pickGoodValue(random, all, 'link'),
    ...(random.chance(0.3) ? { decision: random.pick(['confirm', 'refuse']) } : {}),
  }),
  'PATCH /organization/api/organization/user/userId/{}': (random) =>
    random.pick<GoodFields>([
      ...[{ firstName: 'Ada' }, { roles: ['DirectoryReader'] }, { enabled: true }],
      ...[personalChanges(random), personalChanges(random)],
    ]),
  ...internalRequests,
};

export function buildGoodFields(random: Random, ingredients: Ingredients, operation: Operation): GoodFields {
  const build = goodRequests[`${operation.method} ${operation.path}`];
  if (build !== undefined) return build(random, ingredients);
  return Object.fromEntries(operation.fields.map((name) => [name, pickGoodValue(random, ingredients, name)]));
}
