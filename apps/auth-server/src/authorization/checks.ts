import { type GrantType, isLevel, levels, OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { type ClientDemands, isPublic } from '../clients/client-demands.ts';
import { isCodeChallenge } from '../codes/pkce.ts';
import { buildLevelDemand, type LevelDemand } from '../levels/level-demand.ts';
import type { ListPrompts } from '../organization/list-prompts.ts';
import { parseClaimsParameter, type RequestedAcr } from '../protocol/claims-parameter.ts';
import { parseAcrValues, parseMaxAge } from '../protocol/level-parameters.ts';
import { parsePrompts } from '../protocol/prompt.ts';
import { type RequestParameters, repeatedParameter } from '../protocol/request-parameters.ts';
import {
  checkResponseMode,
  getResponseType,
  gives,
  listResponseTypes,
  type ResponseType,
} from '../protocol/response-types.ts';
import type { GrantedResource } from '../resources/granted-resource.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { ChooseRequestedAccess, FindLimits } from '../resources/requested-access.ts';
import { listAskedResources } from '../resources/requested-resource.ts';
import type { IdTokens } from '../tokens/id-token.ts';
import { chooseClaims } from '../tokens/userinfo-claims.ts';
import type { AuthorizationRequest, AuthorizationTarget } from './authorization-request.ts';

/** Reads and checks a request whose target is known; throws the OAuthError that goes back to the client. */
export type ParseAuthorizationRequest = (
  target: AuthorizationTarget,
  parameters: RequestParameters,
  repeated: ReadonlySet<string>,
) => Promise<AuthorizationRequest>;

/** Our own, in requests that pages carry: the `request_uri` by which the request came. */
export const pushedParameter = 'pushed_request';

export function createParseAuthorizationRequest(deps: {
  config: { grantTypesOff: readonly GrantType[] };
  idTokens: IdTokens;
  orgApi: Pick<OrgApi, 'limitToClaims'>;
  chooseRequestedAccess: ChooseRequestedAccess;
  findLimits: FindLimits;
  listPrompts: ListPrompts;
}): ParseAuthorizationRequest {
  const { idTokens, orgApi, chooseRequestedAccess } = deps;
  const getLevelDemand = createGetLevelDemand(deps);
  const responseTypes = listResponseTypes(deps.config.grantTypesOff);
  return async (target, parameters, repeated) => {
    checkNothingRepeated(repeated);
    checkSaidByItself(parameters);
    const resources = listAskedResources(parameters);
    const { client, demands } = target;
    checkRedirectUriIsThere(demands, parameters);
    const responseType = getResponseType(parameters, responseTypes, client.grantTypes);
    checkResponseMode(responseType, parameters);
    const access = await chooseRequestedAccess(client, { resources, scope: parameters.get('scope') });
    checkIdTokenAskedProperly(responseType, access.scope, parameters);
    const dpopJkt = findDpopJkt(responseType, parameters);
    const nonce = findNonce(parameters);
    checkUiLocales(parameters);
    const codeChallenge = findCodeChallenge(client, demands, responseType, parameters);
    const prompts = parsePrompts(parameters, deps.listPrompts());
    const { sub, acr, ...asked } = parseClaimsParameter(parameters.get('claims'));
    const hint = parameters.get('id_token_hint');
    const expectedUserId = hint === undefined ? sub : await getHintedUserId(idTokens, hint, sub);
    const level = await getLevelDemand(client, access.resources, acr, parameters);
    return {
      target,
      responseType,
      dpopJkt,
      nonce,
      level,
      codeChallenge,
      prompts,
      redirectUri: parameters.get('redirect_uri'),
      loginHint: parameters.get('login_hint'),
      upstream: parameters.get('upstream'),
      expectedUserId,
      pushed: parameters.get(pushedParameter),
      claims: chooseClaims(asked, orgApi.limitToClaims(client.scope)),
      ...access,
    };
  };
}

export function checkNothingRepeated(repeated: ReadonlySet<string>): void {
  const [name] = repeated;
  if (name !== undefined) throw repeatedParameter(name);
}

/** OpenID Connect Core 7.2.1: what is not supported is refused by its own error code, never ignored. */
function checkSaidByItself(parameters: RequestParameters): void {
  if (!parameters.has('registration')) return;
  const description = 'the parameter registration is not supported; send the parameters themselves';
  throw new OAuthError('registration_not_supported', description);
}

/** FAPI 2.0 Security Profile 5.3.2.2 (6): the client says where the answer goes, so that the server does not choose. */
function checkRedirectUriIsThere(demands: ClientDemands, parameters: RequestParameters): void {
  if (!demands.redirectUri || parameters.has('redirect_uri')) return;
  throw invalidRequest('this client must send redirect_uri, also where it registered only one');
}

function checkIdTokenAskedProperly(responseType: ResponseType, scope: string[], parameters: RequestParameters): void {
  if (!gives(responseType, 'id_token')) return;
  if (!scope.includes('openid')) throw new OAuthError('invalid_scope', 'an ID token requires the scope openid');
  // OpenID Connect Core 3.2.2.1 and 3.3.2.11: without a nonce an ID token from the front channel can be replayed.
  if (!parameters.has('nonce')) throw invalidRequest('the parameter nonce is required with an ID token');
}

/** RFC 7636 4.3 and RFC 9700 2.1.1: S256 only, and required of public clients, and of those registered so. */
function findCodeChallenge(
  client: Client,
  demands: ClientDemands,
  responseType: ResponseType,
  parameters: RequestParameters,
): string | undefined {
  const challenge = parameters.get('code_challenge');
  const method = parameters.get('code_challenge_method');
  if (!gives(responseType, 'code')) return undefined;
  if (challenge === undefined) {
    if (method !== undefined) throw invalidRequest('code_challenge_method requires code_challenge');
    if (!demands.pkce) return undefined;
    const who = isPublic(client) ? 'a public client' : 'this client';
    throw invalidRequest(`${who} must send code_challenge (PKCE, S256)`);
  }
  if (method !== 'S256') throw invalidRequest('code_challenge_method must be S256');
  if (!isCodeChallenge(challenge)) throw invalidRequest('code_challenge must be 43 characters of base64url');
  return challenge;
}

/** RFC 9449 10: a JWK SHA-256 thumbprint. It binds a code. A token that comes with the code could not be bound. */
function findDpopJkt(responseType: ResponseType, parameters: RequestParameters): string | undefined {
  const jkt = parameters.get('dpop_jkt');
  const isBindable = responseType === 'code' || responseType === 'code id_token';
  if (jkt !== undefined && !isBindable) throw invalidRequest('dpop_jkt is for response_type code only');
  if (jkt === undefined || /^[A-Za-z0-9_-]{43}$/.test(jkt)) return jkt;
  throw invalidRequest('dpop_jkt must be a JWK SHA-256 thumbprint');
}

function findNonce(parameters: RequestParameters): string | undefined {
  const nonce = parameters.get('nonce');
  if (nonce !== undefined && nonce.length > 512) throw invalidRequest('nonce must be at most 512 characters');
  return nonce;
}

/** Gives what a request demands of the sign-in, with what its client and its resources require. */
function createGetLevelDemand({ findLimits }: { findLimits: FindLimits }) {
  return async (
    { metadata }: Client,
    resources: readonly GrantedResource[] | undefined,
    acr: RequestedAcr,
    parameters: RequestParameters,
  ): Promise<LevelDemand> => {
    // OpenID Connect Core 5.5.1.1: no sign-in could meet it.
    if (acr.isEssential && !acr.values.some(isLevel)) throw unknownEssentialAcr();
    const asked = { acr, acrValues: parseAcrValues(parameters), maxAge: parseMaxAge(parameters) };
    return buildLevelDemand(asked, metadata, await findLimits(resources));
  };
}

function unknownEssentialAcr(): OAuthError {
  return new OAuthError(
    'unmet_authentication_requirements',
    `this server authenticates users by the acr values ${levels.join(', ')}; request one of them or none`,
  );
}

/** OpenID Connect Core 3.1.2.1: languages that pages do not speak are no fault. A text longer than any list of tags is. */
function checkUiLocales(parameters: RequestParameters): void {
  const { length } = parameters.get('ui_locales') ?? '';
  if (length > 512) throw invalidRequest('ui_locales must be at most 512 characters');
}

/** The user of `id_token_hint`, who must be the `sub` of the parameter claims where that names one. */
async function getHintedUserId(idTokens: IdTokens, hint: string, sub: string | undefined): Promise<string> {
  const found = await idTokens.findHint(hint);
  if (found === undefined) throw invalidRequest('id_token_hint must be an ID token of this server');
  if (sub === undefined || sub === found.sub) return found.sub;
  throw invalidRequest('id_token_hint and the sub of the parameter claims must name the same user');
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', description);
}
