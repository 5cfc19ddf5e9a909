import { OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import type { AuthorizationCode } from './authorization-code.ts';
import { isCodeVerifier, matchesCodeChallenge } from './pkce.ts';

/** Checks that who presents the code made the authorization request: by its redirect_uri, its key and its code_verifier. */
export function checkExchange(
  code: AuthorizationCode,
  parameters: RequestParameters,
  dpopJkt: string | undefined,
): void {
  checkRedirectUri(code, parameters);
  checkKey(code, dpopJkt);
  checkCodeVerifier(code, parameters);
}

function checkRedirectUri(code: AuthorizationCode, parameters: RequestParameters): void {
  // RFC 6749 4.1.3: required, and identical, if it stood in the authorization request.
  const expected = code.redirectUri;
  if (expected === undefined || parameters.get('redirect_uri') === expected) return;
  throw new OAuthError('invalid_grant', 'redirect_uri must be the redirect_uri of the authorization request');
}

function checkCodeVerifier({ codeChallenge }: AuthorizationCode, parameters: RequestParameters): void {
  const verifier = parameters.get('code_verifier');
  if (codeChallenge === undefined) {
    // RFC 9700 4.8.2: a verifier for a code without challenge is a sign of a downgrade.
    if (verifier !== undefined) throw invalidCode('a code_verifier for a code that has no code_challenge');
    return;
  }
  if (verifier === undefined)
    throw new OAuthError(
      'invalid_grant',
      'the authorization request had a code_challenge, so the parameter code_verifier is required',
    );
  if (isCodeVerifier(verifier) && matchesCodeChallenge(verifier, codeChallenge)) return;
  throw new OAuthError('invalid_grant', 'code_verifier does not fit the code_challenge of the authorization request');
}

/** RFC 9449 10: a code that was asked for with a key is exchanged with that key. */
function checkKey({ dpopJkt: expected }: AuthorizationCode, dpopJkt: string | undefined): void {
  if (expected === undefined || expected === dpopJkt) return;
  throw new OAuthError(
    'invalid_dpop_proof',
    'the authorization code is bound to a key (dpop_jkt); send a DPoP proof of that key',
  );
}

/** One text for every way a code can be wrong; `reason` is for the log. */
export function invalidCode(reason: string): OAuthError {
  const description = 'the authorization code is not valid, expired or was used before; send the user to sign in again';
  return new OAuthError('invalid_grant', description, { reason });
}
