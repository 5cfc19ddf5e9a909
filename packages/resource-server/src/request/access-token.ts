import { findKeyThumbprint } from '../dpop/key-thumbprint.ts';
import { findProofAlgorithms } from '../dpop/proof-algorithms.ts';
import { isBoundedString } from '../json/bounded-json.ts';
import type { JwtClaims } from '../jwt/jwt-verifier.ts';
import { findStatusReference, type StatusReference } from '../status-lists/token-status.ts';

/** What the checks of a request need to know of a token. */
export interface CheckedToken {
  scope: readonly string[];
  /** RFC 9449 6.1: thumbprint of the key whose holder alone may use the token. */
  dpopJkt: string | undefined;
  /** The signature algorithms of its proofs; undefined where it limits them to none. */
  proofAlgorithms: readonly string[] | undefined;
  /** The reference to its status; undefined for a token without one. */
  status: StatusReference | undefined;
}

/** A verified access token (RFC 9068). */
export interface AccessToken extends CheckedToken {
  /** `sub`: the id of the user or the client that the token stands for. */
  subject: string;
  /** Whether it stands for a user, or for the client itself. */
  subjectType: 'user' | 'client';
  /** `client_id`, or `azp` of an issuer without it. */
  clientId: string | undefined;
  /** Milliseconds. */
  expiresAt: number;
  claims: Readonly<JwtClaims>;
}

/** Characters. */
const longestClientId = 255;

/** Reads the claims of an access token; undefined where they are not those of one. */
export function readAccessToken(claims: JwtClaims): AccessToken | undefined {
  const { sub, scope, exp } = claims;
  const [status, dpopJkt] = [findStatusReference(claims), findKeyThumbprint(claims)];
  const proofAlgorithms = findProofAlgorithms(claims);
  // A claim that limits the token and cannot be read must not be ignored.
  if (sub === undefined || status === null || dpopJkt === null || proofAlgorithms === null) return undefined;
  return {
    subject: sub,
    subjectType: findSubjectType(claims),
    clientId: [claims.client_id, claims.azp].find((name) => isBoundedString(name, longestClientId)) as
      | string
      | undefined,
    scope: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [],
    expiresAt: exp * 1000,
    dpopJkt,
    proofAlgorithms,
    status,
    claims,
  };
}

/** Tokens without `sub_type` name their user by `username`; the `sub` of a client's own token is its id (RFC 9068 2.2). */
function findSubjectType({ sub_type: type, username, sub, client_id: clientId }: JwtClaims): 'user' | 'client' {
  if (type === 'user' || type === 'client') return type;
  return username === undefined && sub === clientId ? 'client' : 'user';
}
