import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { mayUse } from '../clients/client.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import { chooseScope } from '../protocol/scope.ts';
import type { AllocateStatus } from '../status-lists/allocate-status.ts';
import type { RefreshToken } from '../tokens/refresh-token.ts';
import type { RepeatedBy } from '../tokens/refresh-token-use.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';
import type { Revocations } from '../tokens/revocations.ts';
import type { FindHolder } from './find-holder.ts';
import { type Grant, type TokenRequest, unauthorizedClient } from './grant.ts';
import type { IssueTokens } from './issue-tokens.ts';

interface Dependencies {
  refreshTokens: RefreshTokens;
  revocations: Revocations;
  findHolder: FindHolder;
  allocateStatus: AllocateStatus;
  issueTokens: IssueTokens;
  noteRepetition: NoteRepetition;
  clock: Clock;
}

/** Is told of each refresh token that its client used a second time, and that was honoured. */
export type NoteRepetition = (
  repetition: { grantId: string; userId: string; by: RepeatedBy },
  request: TokenRequest,
) => void;

/** Refreshing an access token (RFC 6749 6), with rotation (RFC 9700 4.14.2). */
export function createRefreshTokenGrant(deps: Dependencies): Grant {
  const { refreshTokens, revocations, findHolder, allocateStatus, issueTokens, noteRepetition, clock } = deps;
  return async (request) => {
    const { client, parameters, origin, dpopJkt } = request;
    if (!mayUse(client, 'refresh_token') && !client.scope.includes('offline_access')) {
      throw unauthorizedClient('refresh_token');
    }
    const token = getParameter(parameters, 'refresh_token');
    const presenter = { address: origin.address, dpopJkt, presentedAt: clock() };
    const stored = await refreshTokens.check(token, client, presenter);
    if (stored.dpopJkt !== undefined && stored.dpopJkt !== dpopJkt) {
      throw new OAuthError('invalid_dpop_proof', 'the refresh token is bound to another key');
    }
    // What was granted, less what the client was since denied.
    const registered = stored.scope.filter((name) => client.scope.includes(name));
    const chosen = chooseScope(parameters.get('scope'), registered);

    const { user, allowed } = await findHolder(client, stored, origin);
    if (user === undefined) {
      await revocations.endGrant(stored.grantId);
      throw new OAuthError('invalid_grant', 'the user is disabled or has a new password; sign in again');
    }
    if (allowed === undefined) {
      await revocations.endGrant(stored.grantId);
      throw new OAuthError('invalid_grant', 'the user has not allowed this client anything; ask for consent');
    }
    const scope = limitScope(chosen, allowed.scope);
    const use = { seen: limitEnd(stored, allowed.scope), status: await allocateStatus(client), presenter };
    const { successor, status, repeatedBy } = await refreshTokens.rotate(token, use);
    const { grantId, userId, authTime, sessionId } = stored;
    // The grant may have been ended meanwhile, by somebody who did not see this status yet.
    if (await revocations.isGrantEnded(grantId)) {
      await revocations.endGrant(grantId, [status]);
      throw new OAuthError('invalid_grant', 'the grant was ended; sign in again');
    }
    if (repeatedBy !== undefined) noteRepetition({ grantId, userId, by: repeatedBy }, request);
    return issueTokens.again(
      {
        grantId,
        client,
        user,
        scope,
        authTime,
        claims: allowed.claims,
        nonce: undefined,
        sessionId,
        status,
        dpopJkt,
      },
      successor,
    );
  };
}

/** Offline access that the user does not allow ends as if it had not been granted: by the sign-in, not by the last use. */
function limitEnd(stored: RefreshToken, allowed: string[]): RefreshToken {
  if (!stored.scope.includes('offline_access') || allowed.includes('offline_access')) return stored;
  return { ...stored, scope: allowed, endsAt: undefined };
}

/** A client that repeats what it was granted once gets what of it is allowed now; the answer says which. */
function limitScope(chosen: string[], allowed: readonly string[]): string[] {
  const scope = chosen.filter((name) => allowed.includes(name));
  if (scope.length > 0 || chosen.length === 0) return scope;
  throw new OAuthError('invalid_scope', 'the user has allowed nothing of this scope');
}
