import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { Type } from 'typebox';
import { demandsOf } from '../clients/client-demands.ts';
import type { Tell } from '../events/event.ts';
import { getParameter, type RequestParameters } from '../protocol/request-parameters.ts';
import { chooseScope } from '../protocol/scope.ts';
import type { TokenTarget } from '../resources/token-target.ts';
import type { TokenTargets } from '../resources/token-targets.ts';
import type { RefreshToken } from '../tokens/refresh-token.ts';
import type { Presenter } from '../tokens/refresh-token-use.ts';
import type { CheckedUse, PresentedRefreshToken, RefreshTokens } from '../tokens/refresh-tokens.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { checkAuthentication } from './check-authentication.ts';
import { findCeiling, findDeviceGrantEnd } from './device-code.ts';
import type { FindHolder } from './find-holder.ts';
import type { GrantHandler, Settled, TokenRequest } from './grant-handler.ts';

interface Dependencies {
  refreshTokens: RefreshTokens;
  revocations: Revocations;
  findHolder: FindHolder;
  tokenTargets: Pick<TokenTargets, 'chooseOfGrant'>;
  /** Milliseconds that a session lives. */
  sessionLifetime: number;
  tell: Tell;
  clock: Clock;
}

/** Refreshing an access token (RFC 6749 6), with rotation where the client proves no key (RFC 9700 4.14.2). */
export function createRefreshTokenGrant(deps: Dependencies): GrantHandler {
  return {
    parameters: { refresh_token: Type.String(), scope: Type.String() },
    mayUse: (client) => client.grantTypes.includes('refresh_token') || client.scope.includes('offline_access'),
    async decide(request) {
      const { client, parameters, resource, context, dpopJkt } = request;
      const token = getParameter(parameters, 'refresh_token');
      const presenter = { dpopJkt, presentedAt: deps.clock(), ...context };
      const { stored, user, allowed, scope } = await getHeld(deps, request, token, presenter);
      const { resources, claims } = allowed;
      const target = await deps.tokenTargets.chooseOfGrant(client, { scope, resources }, resource);
      checkScopeOfTarget(parameters, target);
      const { grantId, authentication } = stored;
      checkAuthentication(client, target, authentication, deps.clock());
      const living = stored.beganIn === undefined ? undefined : await findLivingSession(deps, stored.beganIn, scope);
      const sessionId = stored.sessionId ?? living;
      const seen = limitEnd(stored, allowed.scope);
      const ofDevice = stored.rolesByScope
        ? {
            ceiling: findCeiling(scope),
            endsAt: findDeviceGrantEnd(seen.scope, authentication.authTime, deps.sessionLifetime),
          }
        : undefined;
      return {
        grant: {
          grantId,
          user,
          scope,
          resources,
          target,
          authentication,
          claims,
          nonce: undefined,
          sessionId,
          ...ofDevice,
        },
        settle: (status) => settle(deps, { seen, status, client, presenter }, request),
      };
    },
  };
}

/** Gives the token that stands for the grant now, with whom it stands for. */
async function getHeld(deps: Dependencies, request: TokenRequest, token: string, presenter: Presenter) {
  const { client, context, dpopJkt } = request;
  const stored = await deps.refreshTokens.check(token, client, presenter);
  // RFC 9449 5: what its authentication binds to a client is not bound to the key of a proof.
  if (!demandsOf(client).refreshTokenStays && stored.dpopJkt !== undefined && stored.dpopJkt !== dpopJkt) {
    throw new OAuthError('invalid_dpop_proof', 'the refresh token is bound to a key; send a DPoP proof of that key');
  }
  // The granted scope, less the scopes that the client was since denied.
  const registered = stored.scope.filter((name) => client.scope.includes(name));
  const chosen = chooseScope(request.parameters.get('scope'), registered);
  const { user, allowed } = await deps.findHolder(client, stored, context);
  if (user === undefined) return endGrant(deps, stored, 'the user is disabled or has a new password; sign in again');
  if (allowed === undefined) {
    return endGrant(
      deps,
      stored,
      'the user allows this client nothing; send the user to the authorization endpoint for consent',
    );
  }
  return { stored, user, allowed, scope: limitScope(chosen, allowed.scope) };
}

/** OpenID Connect Core 11: offline access outlives its session, and an ID token names only a session that lives. */
async function findLivingSession(
  { refreshTokens, clock }: Dependencies,
  sessionId: string,
  scope: readonly string[],
): Promise<string | undefined> {
  if (!scope.includes('openid')) return undefined;
  return (await refreshTokens.isSessionAlive(sessionId, clock())) ? sessionId : undefined;
}

/** A request that narrows the scope gets no token without any of it. */
function checkScopeOfTarget(parameters: RequestParameters, target: TokenTarget): void {
  if (!parameters.has('scope') || target.scope.length > 0) return;
  throw new OAuthError('invalid_scope', `the requested scope has no part of the resource ${target.audience}`);
}

async function endGrant({ revocations }: Dependencies, { grantId }: RefreshToken, description: string): Promise<never> {
  await revocations.endGrant(grantId);
  throw new OAuthError('invalid_grant', description);
}

async function settle(
  { refreshTokens, revocations, tell }: Dependencies,
  use: CheckedUse,
  { client, context }: TokenRequest,
): Promise<Settled> {
  const { keep, rotate } = refreshTokens;
  const { successor, status, repeatedBy } = await (demandsOf(client).refreshTokenStays ? keep : rotate)(use);
  const { grantId, userId } = use.seen;
  // The grant may have been ended meanwhile, by a request that did not see this status yet.
  if (await revocations.isGrantEnded(grantId)) {
    await revocations.endGrant(grantId, [status]);
    throw new OAuthError('invalid_grant', 'the grant was ended; sign in again');
  }
  if (repeatedBy !== undefined) {
    tell({ type: 'refresh_token.repeated', by: repeatedBy, client, userId, grantId, context });
  }
  return { status, refreshToken: successor };
}

/** Offline access that the user does not allow ends as if it had not been granted: by the sign-in, not by the last use. */
function limitEnd(stored: PresentedRefreshToken, allowed: string[]): PresentedRefreshToken {
  if (!stored.scope.includes('offline_access') || allowed.includes('offline_access')) return stored;
  return { ...stored, scope: allowed, endsAt: undefined };
}

/** A client that requests its full earlier scope gets the part that is allowed now; the answer names it. */
function limitScope(chosen: string[], allowed: readonly string[]): string[] {
  const scope = chosen.filter((name) => allowed.includes(name));
  if (scope.length > 0 || chosen.length === 0) return scope;
  throw new OAuthError(
    'invalid_scope',
    'the user allows this client none of the requested scope; send the user to the authorization endpoint for consent',
  );
}
