import { isBoundedString, isJsonObject, type Role } from '@gatehouse/shared';
import { type Actor, isActor } from './actor.ts';

/** The claims of an access token (RFC 9068 2.2) that this server reads back. Times in seconds. */
export interface AccessTokenClaims {
  iss: string;
  sub: string;
  /** Whom `sub` names. Tokens of the release before lack it: those with `username` stand for a user. */
  sub_type?: 'user' | 'client';
  aud: string;
  client_id: string;
  exp: number;
  iat: number;
  jti: string;
  scope: string;
  /** In an exchanged token: the clients that got it for the one that it stands for (RFC 8693 4.1). */
  act?: Actor;
  /** In an exchanged token: the client that the grant is of. */
  grant_client?: string;
  /** Where there is a user; for a third-party client with scope profile or email. */
  username?: string;
  auth_time?: number;
  /** How the user signed in (RFC 9068 2.2.1). Tokens of the release before lack both: it was by password. */
  acr?: string;
  amr?: readonly string[];
  /** Issued to a third-party client: may use its user's roles with scope roles only. */
  third_party?: true;
  /** The roles that can be used with the token at most; all where left out. In tokens for org-api, and in exchanged ones. */
  ceiling?: readonly Role[];
  /** Seconds since the sign-in, at most, for changes at administration. Where `ceiling` may stand. */
  administration_max_age?: number;
  /** Must be that of the client; 0 where left out. */
  client_generation?: number;
  /** Where scope roles was granted: those of the user that the ceiling leaves. */
  roles?: string[];
  /** Names of the groups of the user that the API asks for; `roles` has them where it wants that. */
  groups?: string[];
  /** There are more groups than a token carries. */
  groups_omitted?: true;
  /** The grant that it ends with. */
  grant_id: string;
  /** The claims that userinfo gives beyond the scopes (OpenID Connect Core 5.5). */
  userinfo_claims?: string[];
  /** Token Status List: where to see whether it was revoked. */
  status: { status_list: { idx: number; uri: string } };
  /** RFC 9449 6.1: the key whose holder alone may use the token. */
  cnf?: { jkt: string };
  /** The algorithms that proofs of that key may be signed by; any where left out. */
  dpop_signing_alg_values?: readonly string[];
  /** Milliseconds: of the user's password, at the time of issue. A new password voids the token. */
  password_changed_at?: number;
}

/** Characters of a client_id, an id, a thumbprint; of a scope, a username, a URI. */
const longestName = 255;
const longestText = 2048;

const isName = (value: unknown) => isBoundedString(value, longestName);
const isText = (value: unknown) => isBoundedString(value, longestText);
const isListOfTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isList = (value: unknown) => Array.isArray(value) && value.every(isName);

/** The registered claims are checked for every JWT; these in addition. */
const requiredClaims: Record<string, (value: unknown) => boolean> = {
  client_id: isName,
  jti: isName,
  grant_id: isName,
  scope: isText,
  status: (value) => isJsonObject(value) && isReference(value.status_list),
};
const optionalClaims: Record<string, (value: unknown) => boolean> = {
  sub_type: isName,
  act: isActor,
  grant_client: isName,
  username: isText,
  acr: isName,
  amr: isList,
  third_party: (value) => typeof value === 'boolean',
  ceiling: isList,
  administration_max_age: Number.isSafeInteger,
  client_generation: Number.isSafeInteger,
  roles: isListOfTexts,
  groups: isListOfTexts,
  groups_omitted: (value) => value === true,
  userinfo_claims: isList,
  cnf: (value) => isJsonObject(value) && isName(value.jkt),
  dpop_signing_alg_values: isList,
  password_changed_at: Number.isFinite,
};

/** Whether the claims are of the types that those of an access token have. */
export function areAccessTokenClaims(claims: object): claims is AccessTokenClaims {
  const given = claims as Record<string, unknown>;
  return (
    Object.entries(requiredClaims).every(([name, check]) => check(given[name])) &&
    Object.entries(optionalClaims).every(([name, check]) => given[name] === undefined || check(given[name]))
  );
}

function isReference(value: unknown): boolean {
  return isJsonObject(value) && Number.isSafeInteger(value.idx) && isText(value.uri);
}
