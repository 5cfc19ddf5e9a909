import type { Clock } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { type AuthorizationCode, authorizationCodeLifetime } from '../authorization/authorization-code.ts';
import { type Client, mayUse } from '../clients/client.ts';
import { isCurrent, type OrganizationDirectory } from '../organization/organization-directory.ts';
import { getParameter, type RequestParameters } from '../request-parameters.ts';
import type { AuthorizationCodeStore } from '../storage/stores.ts';
import type { IssueTokens } from '../tokens/issue-tokens.ts';
import { hashOpaqueToken } from '../tokens/opaque-token.ts';
import { isCodeVerifier, matchesCodeChallenge } from '../tokens/pkce.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { type Grant, unauthorizedClient } from './grant.ts';

interface Dependencies {
  codes: AuthorizationCodeStore;
  revocations: Revocations;
  directory: OrganizationDirectory;
  issueTokens: IssueTokens;
  clock: Clock;
}

/** Exchanging an authorization code (RFC 6749 4.1.3) with PKCE (RFC 7636 4.6). */
export function createAuthorizationCodeGrant(deps: Dependencies): Grant {
  const { codes, revocations, directory, issueTokens, clock } = deps;

  /** RFC 6749 4.1.2: a code used twice ends the tokens issued from it. */
  const endReusedGrant = async ({ grantId }: AuthorizationCode): Promise<never> => {
    await revocations.endGrant(grantId);
    throw invalidGrant('the code was used before: the tokens issued from it are ended');
  };

  const getCode = async (presented: string, client: Client): Promise<AuthorizationCode> => {
    const code = await codes.find(hashOpaqueToken(presented));
    if (code === undefined) throw invalidGrant('no such code');
    if (code.registrationId !== client.registrationId) throw invalidGrant('issued to another client');
    return code.consumedAt === undefined ? code : endReusedGrant(code);
  };

  const consume = async (code: AuthorizationCode): Promise<void> => {
    const now = clock();
    const issuedAfter = now - authorizationCodeLifetime;
    if (code.issuedAt <= issuedAfter) throw invalidGrant('the code has expired');
    if (!(await codes.consume(code.codeHash, { now, issuedAfter }))) await endReusedGrant(code);
  };

  return async ({ client, parameters, origin }) => {
    if (!mayUse(client, 'authorization_code')) throw unauthorizedClient('authorization_code');
    const code = await getCode(getParameter(parameters, 'code'), client);
    checkRedirectUri(code, parameters);
    checkCodeVerifier(code, parameters);
    const user = await directory.findUserById(code.userId, origin);
    if (!isCurrent(user, code.passwordChangedAt)) throw invalidGrant('the user is disabled or has a new password');
    await consume(code);

    const { grantId, scope, authTime, nonce, sessionId } = code;
    const response = await issueTokens.first({ grantId, client, user, scope, authTime, nonce, sessionId });
    // A second use may have come between: it has ended the grant, and with it what was just issued.
    if (await revocations.isGrantEnded(grantId)) await endReusedGrant(code);
    return response;
  };
}

function checkRedirectUri(code: AuthorizationCode, parameters: RequestParameters): void {
  // RFC 6749 4.1.3: required, and identical, if it stood in the authorization request.
  const expected = code.redirectUri;
  if (expected === undefined || parameters.get('redirect_uri') === expected) return;
  throw new OAuthError('invalid_grant', 'redirect_uri must be the one of the authorization request');
}

function checkCodeVerifier({ codeChallenge }: AuthorizationCode, parameters: RequestParameters): void {
  const verifier = parameters.get('code_verifier');
  if (codeChallenge === undefined) {
    // RFC 9700 4.8.2: a verifier for a code without challenge is a sign of a downgrade.
    if (verifier !== undefined) throw invalidGrant('a code_verifier for a code that has no code_challenge');
    return;
  }
  if (verifier === undefined) throw new OAuthError('invalid_grant', 'the parameter code_verifier is required');
  if (isCodeVerifier(verifier) && matchesCodeChallenge(verifier, codeChallenge)) return;
  throw new OAuthError('invalid_grant', 'code_verifier does not fit the code_challenge of the authorization request');
}

function invalidGrant(reason: string): OAuthError {
  return new OAuthError('invalid_grant', 'the authorization code is not valid, expired or was used before', { reason });
}
