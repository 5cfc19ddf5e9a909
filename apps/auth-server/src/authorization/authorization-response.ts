import { type Clock, toSeconds } from '@gatehouse/service-kit';
import type { OAuthError } from '@gatehouse/shared';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { AuthorizationTarget } from './authorization-request.ts';

/** An answer of the authorization endpoint, on its way to the client through the user's browser. */
export type AuthorizationResponse =
  | { kind: 'redirect'; location: string }
  | { kind: 'form_post'; action: string; fields: Record<string, string> };

/** The parameters of an answer; what is undefined is left out. */
export type Fields = Record<string, string | undefined>;

/** Seconds for which the client takes a signed answer. JARM 2.1 recommends at most ten minutes. */
const lifetime = 600;

export interface AuthorizationResponses {
  /** RFC 6749 4.1.2 and 4.2.2: a success with `state` as it was sent, and `iss` (RFC 9207). */
  build(target: AuthorizationTarget, fields: Fields): AuthorizationResponse;
  /** RFC 6749 4.1.2.1 and 4.2.2.1. */
  buildError(target: AuthorizationTarget, error: OAuthError): AuthorizationResponse;
}

interface Dependencies {
  signingKeys: Pick<SigningKeys, 'sign'>;
  issuer: string;
  clock: Clock;
}

export function createAuthorizationResponses({ signingKeys, issuer, clock }: Dependencies): AuthorizationResponses {
  /** JARM 2.1: one parameter, a JWT of the whole answer. Without `typ` it passes for no ID token here. */
  const sign = ({ client, demands }: AuthorizationTarget, fields: Record<string, string>) => {
    const claims = { ...fields, aud: client.clientId, exp: toSeconds(clock()) + lifetime };
    return { response: signingKeys.sign(demands.authorizationAlgorithm, undefined, claims) };
  };

  const build = (target: AuthorizationTarget, fields: Fields): AuthorizationResponse => {
    const { redirectUri, responseMode, state } = target;
    const plain = Object.fromEntries(
      Object.entries({ ...fields, state, iss: issuer }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const [way, isSigned] = responseMode.split('.');
    const sent = isSigned ? sign(target, plain) : plain;
    if (way === 'form_post') return { kind: 'form_post', action: redirectUri, fields: sent };
    const encoded = new URLSearchParams(sent).toString();
    // RFC 6749 3.1.2: a query that the redirect URI was registered with stays.
    const separator = way === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
    return { kind: 'redirect', location: `${redirectUri}${separator}${encoded}` };
  };

  return {
    build,
    buildError: (target, { code, message }) => build(target, { error: code, error_description: message }),
  };
}
