import { StepError } from '../failures.ts';
import type { Findings } from './findings.ts';
import { findEndpoint, findTexts, isHttps, type Metadata, postForm, showHeader, type Target } from './target.ts';

type Find = Findings['find'];

/** The members that are addresses to which requests go. */
export const isEndpoint = (name: string) =>
  name.endsWith('_endpoint') || name === 'jwks_uri' || name === 'check_session_iframe';
const isAddress = (name: string) =>
  isEndpoint(name) || ['op_policy_uri', 'op_tos_uri', 'service_documentation'].includes(name);
const isList = (name: string) => /(?:values|methods|types|modes|scopes|claims|locales)_supported$/.test(name);

/** The metadata of an issuer, and whether its endpoints are there. */
export async function checkDiscovery(target: Target & { isOpenid: boolean }, { find }: Findings): Promise<void> {
  const { metadata, isOpenid } = target;
  checkMembers(metadata, isOpenid, find);
  checkTypes(metadata, find);
  checkAddresses(target, find);
  checkPkce(target, find);
  for (const text of listContradictions(target)) find('discovery.contradiction', text);
  checkAlgorithms(target, find);
  checkCaching(target, find);
  await checkEndpoints(target, find);
}

/** RFC 8414 requires an endpoint where a grant type has it, OpenID Connect more. */
function checkMembers(metadata: Metadata, isOpenid: boolean, find: Find): void {
  const types = metadata.response_types_supported;
  const isImplicitAlone =
    Array.isArray(types) && types.length > 0 && !types.some((type) => /\bcode\b/.test(String(type)));
  const required = [
    'response_types_supported',
    ...(isImplicitAlone ? [] : ['token_endpoint']),
    ...(isOpenid
      ? ['authorization_endpoint', 'jwks_uri', 'subject_types_supported', 'id_token_signing_alg_values_supported']
      : []),
  ];
  const missing = required.filter((name) => metadata[name] === undefined);
  if (missing.length > 0) find('discovery.members', `there is no ${missing.join(', no ')}`);
}

function checkTypes(metadata: Metadata, find: Find): void {
  const faulty = Object.entries(metadata).filter(([name, value]) => {
    if (isAddress(name)) return typeof value !== 'string' || !URL.canParse(value);
    return isList(name) && !(Array.isArray(value) && value.every((text) => typeof text === 'string'));
  });
  for (const [name, value] of faulty) find('discovery.types', `${name} is ${JSON.stringify(value)}`);
}

function checkAddresses({ issuer, metadata }: Target, find: Find): void {
  const { host } = new URL(issuer);
  for (const [name, value] of Object.entries(metadata).filter(([key]) => isEndpoint(key))) {
    if (typeof value !== 'string' || !URL.canParse(value)) continue;
    if (isHttps(issuer) && !isHttps(value)) find('discovery.https', `${name} is ${value}`);
    else if (new URL(value).host !== host) find('discovery.host', `${name} is at ${new URL(value).host}`);
  }
}

function checkPkce(target: Target, find: Find): void {
  const { code_challenge_methods_supported: value } = target.metadata;
  if (findEndpoint(target, 'authorization_endpoint') === undefined) return;
  const methods = findTexts(target, 'code_challenge_methods_supported') ?? [];
  if (!methods.includes('S256')) {
    find('discovery.pkce', `code_challenge_methods_supported: ${JSON.stringify(value) ?? '(none)'}`);
  }
  if (methods.includes('plain')) find('discovery.pkce_plain', `it names ${methods.join(', ')}`);
}

/** Members that need another one. */
const needs: readonly { member: string; value: string | true; needs: string }[] = [
  {
    ...{ member: 'grant_types_supported', value: 'urn:ietf:params:oauth:grant-type:device_code' },
    needs: 'device_authorization_endpoint',
  },
  {
    ...{ member: 'grant_types_supported', value: 'urn:openid:params:grant-type:ciba' },
    needs: 'backchannel_authentication_endpoint',
  },
  {
    ...{ member: 'require_pushed_authorization_requests', value: true },
    needs: 'pushed_authorization_request_endpoint',
  },
  { member: 'backchannel_logout_session_supported', value: true, needs: 'backchannel_logout_supported' },
  { member: 'frontchannel_logout_session_supported', value: true, needs: 'frontchannel_logout_supported' },
];

function listContradictions(target: Target): string[] {
  const { metadata } = target;
  const missing = needs.filter(({ member, value, needs: needed }) => {
    const { [member]: given } = metadata;
    const applies = value === true ? given === true : findTexts(target, member)?.includes(value) === true;
    return applies && !metadata[needed];
  });
  const grants = findTexts(target, 'grant_types_supported');
  const types = findTexts(target, 'response_types_supported');
  if (grants === undefined || types === undefined) return missing.map(describeNeed);
  const hasCode = types.some((type) => type.split(' ').includes('code'));
  const hasGrant = grants.includes('authorization_code');
  return [
    ...missing.map(describeNeed),
    ...(hasCode && !hasGrant ? ['response_types_supported has code, grant_types_supported no authorization_code'] : []),
    ...(hasGrant && !hasCode ? ['grant_types_supported has authorization_code, response_types_supported no code'] : []),
  ];
}

const describeNeed = ({ member, value, needs: needed }: (typeof needs)[number]) =>
  `${member} ${value === true ? 'is true' : `has ${value}`}, and there is no ${needed}`;

function checkAlgorithms(target: Target, find: Find): void {
  const idTokens = findTexts(target, 'id_token_signing_alg_values_supported');
  if (idTokens !== undefined && !idTokens.includes('RS256')) find('discovery.rs256', `it names ${idTokens.join(', ')}`);
  const methods = findTexts(target, 'token_endpoint_auth_methods_supported') ?? [];
  const byJwt = methods.filter((method) => ['private_key_jwt', 'client_secret_jwt'].includes(method));
  const algorithms = findTexts(target, 'token_endpoint_auth_signing_alg_values_supported') ?? [];
  if (byJwt.length > 0 && algorithms.length === 0) {
    find('discovery.assertion_algorithms', `${byJwt.join(', ')}, and no algorithms`);
  }
}

/** Seconds for which a cache may keep the metadata at most. */
const day = 86_400;

function checkCaching({ answer }: Target, find: Find): void {
  const value = answer.headers.get('cache-control') ?? '';
  const [, age] = /\bmax-age=(\d+)/i.exec(value) ?? [];
  const isShort = age === undefined ? /\bno-(?:store|cache)\b/i.test(value) : Number(age) <= day;
  if (!isShort) find('discovery.cache', showHeader(answer, 'cache-control'));
}

/** The requests that each endpoint knows. None of them is complete, so nothing begins; a registration would. */
const methods: Record<string, 'GET' | 'POST'> = {
  authorization_endpoint: 'GET',
  token_endpoint: 'POST',
  userinfo_endpoint: 'GET',
  introspection_endpoint: 'POST',
  revocation_endpoint: 'POST',
  device_authorization_endpoint: 'POST',
  pushed_authorization_request_endpoint: 'POST',
  backchannel_authentication_endpoint: 'POST',
  end_session_endpoint: 'GET',
  check_session_iframe: 'GET',
};

async function checkEndpoints(target: Target, find: Find): Promise<void> {
  for (const [name, method] of Object.entries(methods)) {
    const url = findEndpoint(target, name);
    // By http it is a fault already, and its port may answer nobody.
    if (url === undefined || (isHttps(target.issuer) && !isHttps(url))) continue;
    const fault = await findEndpointFault(target, method, url);
    if (fault !== undefined) find('discovery.endpoint', `${name}: ${fault}`);
  }
}

async function findEndpointFault(target: Target, method: 'GET' | 'POST', url: string): Promise<string | undefined> {
  try {
    const { status } = await (method === 'POST'
      ? postForm(target, 'discovery', url, {})
      : target.send('discovery', url));
    return status === 404 ? `${method} ${url} answered 404` : undefined;
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return error.message;
  }
}
