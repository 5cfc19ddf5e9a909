import { clockTolerance, isOfType, parseUnverifiedJwt } from '@gatehouse/resource-server/parts';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { JWTPayload } from 'jose';
import type { Client } from '../clients/client.ts';
import { requestObjectType } from '../clients/client-assertion.ts';
import { demandsOf } from '../clients/client-demands.ts';
import { hasKeys, type VerifyByClientKeys } from '../clients/verify-by-client-keys.ts';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import { readObjectParameters } from './object-parameters.ts';

/** Seconds: how old `nbf` may be, and how far `exp` may lie behind it (FAPI 2.0 Message Signing 5.3.1). */
const longestWindow = 3600;

/**
 * Verifies a request object of the client (RFC 9101) and gives the parameters in it, `client_id` too; throws
 * `invalid_request_object`, or 503 where the keys of the client cannot be read. It may come again as long as it is in force.
 */
export type ReadRequestObject = (client: Client, object: string) => Promise<RequestParameters>;

interface Dependencies {
  verifyByClientKeys: VerifyByClientKeys;
  issuer: string;
  clock: Clock;
}

export function createReadRequestObject({ verifyByClientKeys, issuer, clock }: Dependencies): ReadRequestObject {
  const verify = async (client: Client, object: string): Promise<JWTPayload> => {
    const { header } = parseUnverifiedJwt(object);
    if (header.typ !== undefined && !isOfType(header, 'jwt') && !isOfType(header, requestObjectType)) {
      throw new Error(`"typ" must be ${requestObjectType}, JWT or left out`);
    }
    const { requestObjectAlgorithms, datedRequestObjects } = demandsOf(client);
    const { payload: claims } = await verifyByClientKeys(client, object, {
      algorithms: [...requestObjectAlgorithms],
      requiredClaims: datedRequestObjects ? ['iss', 'aud', 'exp', 'nbf'] : [],
      currentDate: new Date(clock()),
      // The library grants it to `nbf` and `exp` alike: `exp` is checked below.
      clockTolerance: clockTolerance.ahead,
    });
    const now = toSeconds(clock());
    const fault =
      findPartyFault(claims, client, issuer) ??
      findTimeFault(claims, now) ??
      (datedRequestObjects ? findWindowFault(claims, now) : undefined);
    if (fault !== undefined) throw new Error(fault);
    return claims;
  };

  return async (client, object) => {
    if (!hasKeys(client)) throw new OAuthError('invalid_request_object', 'this client registered no keys');
    const claims = await verify(client, object).catch((error: unknown) => {
      // The keys of the client cannot be read.
      if (error instanceof OAuthError) throw error;
      const reason = error instanceof Error ? error.message : 'not verifiable';
      throw new OAuthError('invalid_request_object', `the request object is not valid: ${reason}`);
    });
    return readObjectParameters(claims);
  };
}

/** RFC 9101 4, 5 and 10.8: who made the object, for whom, and that it is one. */
function findPartyFault(claims: JWTPayload, { clientId }: Client, issuer: string): string | undefined {
  const { iss = clientId, aud = issuer, sub, client_id } = claims;
  if (sub === clientId) return '"sub" must not be the client_id, as in an assertion that authenticates the client';
  if (iss !== clientId) return '"iss" must be the client_id';
  if (![aud].flat().includes(issuer)) return '"aud" must be or hold the issuer';
  if (client_id !== clientId) return '"client_id" must stand in it, and be the one outside of it';
  const nested = ['request', 'request_uri'].find((name) => Object.hasOwn(claims, name));
  return nested && `"${nested}" must not stand in it`;
}

/** The checks that the library does not make, or not as strictly. */
function findTimeFault({ exp, iat = 0 }: JWTPayload, now: number): string | undefined {
  if (exp !== undefined && exp <= now - clockTolerance.behind) return '"exp" has passed';
  return iat > now + clockTolerance.ahead ? '"iat" lies in the future' : undefined;
}

function findWindowFault({ exp = 0, nbf = 0 }: JWTPayload, now: number): string | undefined {
  if (exp - nbf > longestWindow) return '"exp" must be at most an hour after "nbf"';
  return now - nbf > longestWindow ? '"nbf" must be at most an hour ago' : undefined;
}
