import type { OAuthError } from '@gatehouse/shared';
import type { AuthorizationTarget } from './authorization-request.ts';

/** An answer of the authorization endpoint, on its way to the client through the user's browser. */
export type AuthorizationResponse =
  | { kind: 'redirect'; location: string }
  | { kind: 'form_post'; action: string; fields: Record<string, string> };

/** The parameters of an answer; what is undefined is left out. */
export type Fields = Record<string, string | undefined>;

/** RFC 6749 4.1.2 and 4.2.2: a success with `state` as it was sent, and `iss` (RFC 9207). */
export function buildAuthorizationResponse(target: AuthorizationTarget, issuer: string, fields: Fields) {
  return buildResponse(target, { ...fields, state: target.state, iss: issuer });
}

/** RFC 6749 4.1.2.1 and 4.2.2.1. */
export function buildAuthorizationErrorResponse(target: AuthorizationTarget, issuer: string, error: OAuthError) {
  const { code, message } = error;
  return buildResponse(target, { error: code, error_description: message, state: target.state, iss: issuer });
}

function buildResponse({ redirectUri, responseMode }: AuthorizationTarget, fields: Fields): AuthorizationResponse {
  const present = Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  if (responseMode === 'form_post') return { kind: 'form_post', action: redirectUri, fields: present };
  const encoded = new URLSearchParams(present).toString();
  // RFC 6749 3.1.2: a query that the redirect URI was registered with stays.
  const separator = responseMode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return { kind: 'redirect', location: `${redirectUri}${separator}${encoded}` };
}
