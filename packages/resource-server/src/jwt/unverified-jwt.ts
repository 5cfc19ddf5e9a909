import { findClaimsFault } from './claims-fault.ts';
import { parseCompactJws, parseJsonObject } from './compact-jws.ts';

/** A text is no JWT, or breaks a limit. The message says why, for the log. */
export class MalformedJwtError extends Error {
  override readonly name = 'MalformedJwtError';
}

/** A JWT whose signature is not verified. Its types and lengths are right; nothing else is known. */
export interface UnverifiedJwt {
  header: Readonly<Record<string, unknown>>;
  claims: UnverifiedClaims;
}

/** The claims that are checked by name. Any other claim may have any value. */
export interface UnverifiedClaims {
  iss?: string;
  sub?: string;
  aud?: string | string[];
  jti?: string;
  [claim: string]: unknown;
}

/**
 * Reads a JWT that another party made, before its signature is verified: in compact form, of at most 16 KiB, nested at most 8
 * deep, its registered claims of the right types and of bounded length. Throws {@link MalformedJwtError}.
 */
export function parseUnverifiedJwt(text: string): UnverifiedJwt {
  const jws = parseCompactJws(text);
  if (jws === undefined) throw new MalformedJwtError('no JWT in compact form of a length and depth that is read');
  const claims = parseJsonObject(jws.payload);
  if (claims === undefined) throw new MalformedJwtError('the claims are no JSON object of a depth that is read');
  const fault = findClaimsFault(claims);
  if (fault !== undefined) throw new MalformedJwtError(fault);
  return { header: { ...jws.header }, claims };
}
