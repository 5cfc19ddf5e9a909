import { clockTolerance, parseUnverifiedJwt } from '@gatehouse/resource-server/parts';
import { type Clock, type RequestContext, toSeconds } from '@gatehouse/service-kit';
import { type ClientMetadata, OAuthError } from '@gatehouse/shared';
import type { FederatedJwt, VerifyFederatedJwt } from '../issuers/verify-federated-jwt.ts';
import type { Client } from './client.ts';
import type { AssertionFault } from './client-assertion.ts';

/** draft-ietf-oauth-spiffe-client-auth: a JWT-SVID. */
export const svidAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';

type FederatedCredential = NonNullable<ClientMetadata['federated_credentials']>[number];

/** A token of an issuer, as it stood in the request. */
interface FederatedAssertion {
  assertion: string;
  isSvid: boolean;
}

/** Gives what is wrong with a token as a proof of the client; undefined where it is one. Throws 503 where keys cannot be read. */
export type FindFederatedFault = (
  client: Client,
  assertion: FederatedAssertion,
  context: RequestContext,
) => Promise<AssertionFault | undefined>;

interface Dependencies {
  verifyFederatedJwt: VerifyFederatedJwt;
  /** The audience where a credential names none. */
  issuer: string;
  clock: Clock;
}

/** Seconds that a token may live. */
const longestLifetime = 86_400;

/** A token may come again until it expires: the one of a pod is a file, which programs read for an hour. */
export function createFindFederatedFault({ verifyFederatedJwt, issuer, clock }: Dependencies): FindFederatedFault {
  const verify = async (
    credentials: readonly FederatedCredential[],
    { assertion, isSvid }: FederatedAssertion,
    context: RequestContext,
  ) => {
    try {
      return await verifyFederatedJwt(assertion, { named: credentials.map((one) => one.issuer), isSvid }, context);
    } catch (error) {
      if (error instanceof OAuthError) throw error;
      return error instanceof Error ? error.message : 'not verifiable';
    }
  };
  return async ({ metadata: { federated_credentials: credentials = [] } }, assertion, context) => {
    const verified = await verify(credentials, assertion, context);
    if (typeof verified === 'string') return { reason: verified, isOfTime: false };
    if (!credentials.some((credential) => isProof(credential, verified, issuer))) {
      return { reason: 'no credential of the client has its subject, claims and audience', isOfTime: false };
    }
    const reason = findTimeFault(verified.claims, toSeconds(clock()));
    return reason === undefined ? undefined : { reason, isOfTime: true };
  };
}

function isProof(credential: FederatedCredential, { issuer, claims }: FederatedJwt, usual: string): boolean {
  const { subject, claims: wanted = {}, audience = usual } = credential;
  if (credential.issuer !== issuer.issuer) return false;
  if (subject !== undefined && subject !== claims.sub) return false;
  // RFC 7523 3: a token for several could come from one of those.
  const audiences = [claims.aud].flat();
  if (audiences.length !== 1 || audiences[0] !== audience) return false;
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(claims, name) && claims[name] === value);
}

function findTimeFault({ exp = 0, iat, nbf = 0 }: FederatedJwt['claims'], now: number): string | undefined {
  if (exp <= now - clockTolerance.behind) return '"exp" has passed';
  if (exp - (iat ?? now) > longestLifetime) return 'valid for more than 24 hours';
  if ((iat ?? 0) > now + clockTolerance.ahead) return '"iat" lies in the future';
  return nbf > now + clockTolerance.ahead ? '"nbf" lies in the future' : undefined;
}

/**
 * Whether a text is no assertion of a client itself, whose issuer is its subject (RFC 7523 3): also one that cannot be read,
 * where the request names its client. Proves nothing.
 */
export function isOfAnotherIssuer(assertion: string, clientId: string | undefined): boolean {
  try {
    const { iss, sub } = parseUnverifiedJwt(assertion).claims;
    return iss !== sub;
  } catch {
    return clientId !== undefined;
  }
}

/** The names in a token, for the log. */
export function describeNames(assertion: string): string {
  try {
    const { iss = '', sub = '' } = parseUnverifiedJwt(assertion).claims;
    return `iss ${JSON.stringify(iss.slice(0, 255))}, sub ${JSON.stringify(sub.slice(0, 255))}`;
  } catch {
    return 'no JWT';
  }
}
