import type { JwtClaims, JwtRules } from './jwt-rules.ts';

/**
 * Says which rule claims break that the issuer signed (RFC 7519 4.1), in words for a log; undefined where they keep all.
 * `now` is in seconds. Times are those of this server, so that a wrong clock shows.
 */
export function findClaimsRefusal(
  claims: JwtClaims & { nbf?: number },
  { issuer, audience, ahead = 0, requiredClaims }: JwtRules<unknown>,
  now: number,
): string | undefined {
  const { iss, aud, exp, iat, nbf = 0 } = claims;
  if (iss !== issuer) return `issued by ${iss}, not by ${issuer}`;
  if (audience !== undefined && ![aud].flat().includes(audience)) {
    return `meant for ${[aud].flat().join(' and ') || 'no audience'}, not for ${audience}`;
  }
  if (exp <= now) {
    const issued = iat === undefined ? '' : `, issued ${now - iat} s ago`;
    return `expired ${now - exp} s ago${issued}, by the clock of this server`;
  }
  if (nbf > now + ahead) return `not valid for another ${nbf - now} s by the clock of this server: compare the clocks`;
  const missing = requiredClaims.find((name) => !Object.hasOwn(claims, name));
  return missing === undefined ? undefined : `lacks the claim ${missing}`;
}
