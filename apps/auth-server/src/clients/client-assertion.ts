import { createHash } from 'node:crypto';
import { clockTolerance, isOfType, parseUnverifiedJwt } from '@gatehouse/resource-server/parts';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { clientIdPattern, OAuthError } from '@gatehouse/shared';
import { errors, type JWTPayload } from 'jose';
import type { Client } from './client.ts';
import { demandsOf } from './client-demands.ts';
import { isWellFormedDocumentUrl } from './document-url.ts';
import type { VerifyByClientKeys } from './verify-by-client-keys.ts';

/** RFC 7523 2.2. */
export const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** RFC 9101 10.8: the `typ` of request objects. */
export const requestObjectType = 'oauth-authz-req+jwt';

/** Seconds an assertion may be valid for: as long as its `jti` is remembered. */
const longestLifetime = 3600;

const isClientId = new RegExp(clientIdPattern);

/** The client_id an assertion claims to be of; undefined where it cannot be read, or is none. Proves nothing. */
export function findAssertedClientId(assertion: string): string | undefined {
  try {
    const { sub = '' } = parseUnverifiedJwt(assertion).claims;
    return isClientId.test(sub) || isWellFormedDocumentUrl(sub) ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** The fault of an assertion. */
export interface AssertionFault {
  /** For the log. */
  reason: string;
  /** Whether `exp`, `nbf` or `iat` is at fault, in an assertion that the client did sign. */
  isOfTime: boolean;
}

/**
 * Gives what is wrong with an assertion of the client; undefined where it proves who calls. Throws 503 where its keys cannot be read.
 * `spend` may throw before its `jti` is stored.
 */
export type FindAssertionFault = (
  client: Client,
  assertion: string,
  spend: () => Promise<void>,
) => Promise<AssertionFault | undefined>;

interface Dependencies {
  verifyByClientKeys: VerifyByClientKeys;
  usedIdentifiers: UsedIdentifiers;
  issuer: string;
  clock: Clock;
}

/** RFC 7523 3: signed by a key of the client, for this server, in force, and never seen before. */
export function createFindAssertionFault(deps: Dependencies): FindAssertionFault {
  const { verifyByClientKeys, usedIdentifiers, issuer, clock } = deps;
  /** The values of `aud` that mean this server. */
  const audiences = ['', '/oauth/token', '/oauth/par'].map((path) => issuer + path);

  const verify = async (client: Client, assertion: string): Promise<{ claims?: JWTPayload; error?: unknown }> => {
    try {
      const { header, claims } = parseUnverifiedJwt(assertion);
      // RFC 9101 10.8: the request object of a client proves nothing at other endpoints.
      if (isOfType(header, requestObjectType)) throw new Error('it is a request object');
      const { signatureAlgorithms, issuerAsAudience } = demandsOf(client);
      // FAPI 2.0 Security Profile 5.3.2.1 (8): another server of the client cannot use what was made for this one.
      if (issuerAsAudience && claims.aud !== issuer) throw new Error('"aud" must be the issuer as one string');
      const { payload } = await verifyByClientKeys(client, assertion, {
        issuer: client.clientId,
        subject: client.clientId,
        audience: audiences,
        algorithms: [...signatureAlgorithms],
        requiredClaims: ['exp', 'jti'],
        currentDate: new Date(clock()),
        // The library grants it to `nbf` and `exp` alike: `exp` is checked below.
        clockTolerance: clockTolerance.ahead,
      });
      return { claims: payload };
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      return { error };
    }
  };

  /** RFC 7523 3, 7: used once, as long as it would be taken. The row decides between two at the same moment. */
  const useOnce = async (client: Client, { exp = 0, jti = '' }: JWTPayload): Promise<AssertionFault | undefined> => {
    const identifier = createHash('sha256').update(`assertion\0${client.registrationId}\0${jti}`).digest();
    const isFirst = await usedIdentifiers.use(identifier, (Math.ceil(exp) + clockTolerance.behind) * 1000);
    return isFirst ? undefined : { reason: 'the jti was used before', isOfTime: false };
  };

  return async (client, assertion, spend) => {
    const { claims, error } = await verify(client, assertion);
    if (claims === undefined) {
      return { reason: error instanceof Error ? error.message : 'not verifiable', isOfTime: isTimeError(error) };
    }
    const timeFault = findTimeFault(claims, toSeconds(clock()));
    if (timeFault !== undefined) return { reason: timeFault, isOfTime: true };
    await spend();
    return useOnce(client, claims);
  };
}

/** The checks that the library does not make, or not as strictly. */
function findTimeFault({ exp = 0, iat = 0 }: JWTPayload, now: number): string | undefined {
  if (exp <= now - clockTolerance.behind) return '"exp" has passed';
  if (exp > now + longestLifetime) return 'valid for more than an hour';
  if (iat > now + clockTolerance.ahead) return '"iat" lies in the future';
  return undefined;
}

function isTimeError(error: unknown): boolean {
  if (error instanceof errors.JWTExpired) return true;
  return error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed';
}
