import type { RequestContext } from '@gatehouse/service-kit';
import { type DirectoryUser, OAuthError } from '@gatehouse/shared';
import type { Client } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import { clientIsDisabled } from '../clients/client-refusal.ts';
import type { AuthorizationCode } from '../codes/authorization-code.ts';
import type { DeviceCode } from '../codes/device-code.ts';
import type { Consents, PlannedConsent } from '../consent/consents.ts';
import { createCheckPassword } from '../organization/check-password.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { RefreshTokenGrant } from '../tokens/refresh-token.ts';
import type { PresentedRefreshToken } from '../tokens/refresh-tokens.ts';
import type { PlannedGrant } from './describe-tokens.ts';
import { createFindHolder } from './find-holder.ts';
import { findAskedResource, getGrantHandler } from './grant-handler.ts';
import { createGrantHandlers, type GrantParts } from './grant-handlers.ts';
import { findRefreshTokenGrant } from './issue-refresh-token.ts';

/** A token request that nobody sends. */
export interface PlannedTokenRequest {
  client: Client;
  grantType: string;
  scope: string | undefined;
  resource: string | undefined;
  context: RequestContext;
}

/** The holder of a request, as it would have been proven: at most one of them. */
export interface Presented {
  /** The user whose name and password the client sends. */
  user?: DirectoryUser;
  code?: AuthorizationCode;
  codeVerifier?: string | undefined;
  deviceCode?: DeviceCode;
  refreshToken?: RefreshTokenGrant;
  /** The consent of the user of a code or a refresh token. */
  consent?: PlannedConsent;
}

/** Plans token requests; nothing is stored, ended or told. */
export interface PlanGrant {
  /** Throws what the token endpoint answers a client that may not send the request at all. */
  check(request: PlannedTokenRequest): void;
  /** Decides as the grant type does. Throws what the token endpoint would answer. */
  decide(request: PlannedTokenRequest, presented: Presented): Promise<PlannedGrant>;
  /** The refresh token that comes with a grant. Throws `invalid_grant` where none does. `rolesByScope`: as of a device. */
  getRefreshToken(grant: PlannedGrant, rolesByScope: boolean): RefreshTokenGrant;
}

/** In the place of the thumbprint of a key that the client has. */
const someKey = 'thumbprint-of-the-key-of-the-client';
/** In the place of a code, a token or a password. */
const presentedText = 'presented';

export function createPlanGrant(parts: GrantParts): PlanGrant {
  const handlers = createGrantHandlers(parts);
  return {
    check(request) {
      if (!request.client.enabled) throw clientIsDisabled(request.client);
      const parameters = buildParameters(request, {});
      findAskedResource(parameters);
      getGrantHandler(handlers, parameters, request.client);
    },
    async decide(request, presented) {
      const { client, grantType, context } = request;
      const parameters = buildParameters(request, presented);
      const resource = findAskedResource(parameters);
      const { handler } = getGrantHandler(createGrantHandlers(presentTo(parts, presented)), parameters, client);
      const dpopJkt = demandsOf(client).boundTokens ? someKey : undefined;
      const { grant } = await handler.decide({ client, grantType, parameters, resource, context, dpopJkt });
      return { client, dpopJkt, ...grant };
    },
    getRefreshToken(grant, rolesByScope) {
      const refreshToken = findRefreshTokenGrant(grant, rolesByScope);
      if (refreshToken !== undefined) return refreshToken;
      throw new OAuthError('invalid_grant', 'a grant of this scope comes without a refresh token', {
        reason:
          'the client is not registered for refresh_token; add that to authorized_grant_types, or ask for offline_access',
      });
    },
  };
}

function buildParameters(
  { grantType, scope, resource }: PlannedTokenRequest,
  { user, code, codeVerifier, refreshToken }: Presented,
): RequestParameters {
  const isFirst = code === undefined && refreshToken === undefined;
  const all = {
    grant_type: grantType,
    resource,
    // A code and a refresh token have it.
    scope: isFirst ? scope : undefined,
    username: user?.username,
    redirect_uri: code?.redirectUri,
    code_verifier: codeVerifier,
    ...{ password: presentedText, code: presentedText, device_code: presentedText, refresh_token: presentedText },
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The same parts, but that what is presented is found, in force, and that no grant is ended. */
function presentTo(parts: GrantParts, { user, code, deviceCode, refreshToken, consent }: Presented): GrantParts {
  const { directory, codes, deviceCodeStore, refreshTokens, revocations } = parts;
  const findAllowed: Consents['findAllowed'] = async (_client, _userId, held) => consent?.allow(held);
  return {
    ...parts,
    consents: { ...parts.consents, isNeeded: async () => false },
    findHolder: createFindHolder({ directory, consents: { findAllowed } }),
    checkPassword: user === undefined ? parts.checkPassword : acceptPasswordOf(user),
    codes: { ...codes, find: async () => code },
    deviceCodeStore: { ...deviceCodeStore, find: async () => deviceCode },
    refreshTokens: {
      ...refreshTokens,
      check: async () => completeRefreshToken(refreshToken),
      isSessionAlive: async () => true,
    },
    revocations: { ...revocations, isGrantEnded: async () => false, endGrant: async () => true },
  };
}

function acceptPasswordOf(user: DirectoryUser) {
  const secondStep = user.secondStep === true ? { methodsVersion: 0 } : undefined;
  return createCheckPassword(async () => ({ outcome: 'verified', user, secondStep }), 'password_grant');
}

function completeRefreshToken(grant: RefreshTokenGrant | undefined): PresentedRefreshToken {
  if (grant === undefined) throw new Error('no refresh token is presented');
  const hash = Buffer.alloc(32);
  return {
    ...grant,
    id: grant.grantId,
    secretHash: hash,
    previousSecretHash: undefined,
    rotatedAt: undefined,
    rotatedFrom: undefined,
    statuses: [],
    endsAt: undefined,
    expiresAt: Number.MAX_SAFE_INTEGER,
    secret: presentedText,
    presentedHash: hash,
  };
}
