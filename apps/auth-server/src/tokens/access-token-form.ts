import { isBoundedString, isJsonObject } from '@gatehouse/shared';
import type { AccessTokenClaims } from './access-token.ts';

/** Characters of a client_id, an id, a thumbprint; of a scope, a username, a URI. */
const longestName = 255;
const longestText = 2048;

const isName = (value: unknown) => isBoundedString(value, longestName);
const isText = (value: unknown) => isBoundedString(value, longestText);
const isList = (value: unknown) => Array.isArray(value) && value.every(isName);

/** Beside the registered claims, which are checked for every JWT. */
const requiredClaims: Record<string, (value: unknown) => boolean> = {
  client_id: isName,
  jti: isName,
  grant_id: isName,
  scope: isText,
  status: (value) => isJsonObject(value) && isReference(value.status_list),
};
const optionalClaims: Record<string, (value: unknown) => boolean> = {
  sub_type: isName,
  username: isText,
  third_party: (value) => typeof value === 'boolean',
  ceiling: isList,
  client_generation: Number.isSafeInteger,
  roles: isList,
  userinfo_claims: isList,
  cnf: (value) => isJsonObject(value) && isName(value.jkt),
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
