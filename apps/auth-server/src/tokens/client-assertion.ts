import { createHash } from 'node:crypto';
import { type Clock, toSeconds, type UsedIdentifiers } from '@gatehouse/service-kit';
import { clientSignatureAlgorithms } from '@gatehouse/shared';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Client } from '../clients/client.ts';

/** RFC 7523 2.2. */
export const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Seconds an assertion may be valid for: as long as its `jti` is remembered. */
const longestLifetime = 3600;
/** Seconds by which clocks may differ. */
const clockTolerance = 5;

/** The client_id an assertion claims to be of; undefined where it cannot be read. Proves nothing. */
export function findAssertedClientId(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub;
  } catch {
    return undefined;
  }
}

/** Says what is wrong with an assertion of the client, for the log; undefined where it proves who calls. */
export type FindAssertionFault = (client: Client, assertion: string) => Promise<string | undefined>;

interface Dependencies {
  usedIdentifiers: UsedIdentifiers;
  /** The values of `aud` that mean this server. */
  audiences: readonly string[];
  clock: Clock;
}

/** RFC 7523 3: signed by a key of the client, for this server, in force, and never seen before. */
export function createFindAssertionFault({ usedIdentifiers, audiences, clock }: Dependencies): FindAssertionFault {
  const verify = async (client: Client, assertion: string): Promise<JWTPayload | string> => {
    try {
      const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.metadata.jwks as JSONWebKeySet), {
        issuer: client.clientId,
        subject: client.clientId,
        audience: [...audiences],
        algorithms: [...clientSignatureAlgorithms],
        requiredClaims: ['exp', 'jti'],
        currentDate: new Date(clock()),
        clockTolerance,
      });
      return payload;
    } catch (error) {
      return error instanceof Error ? error.message : 'not verifiable';
    }
  };

  return async (client, assertion) => {
    const verified = await verify(client, assertion);
    if (typeof verified === 'string') return verified;
    const { exp = 0, jti = '' } = verified;
    if (exp > toSeconds(clock()) + longestLifetime) return 'valid for more than an hour';
    const identifier = createHash('sha256').update(`assertion\0${client.registrationId}\0${jti}`).digest();
    // RFC 7523 3, 7: used once. The row decides between two at the same moment.
    return (await usedIdentifiers.use(identifier, (exp + clockTolerance) * 1000))
      ? undefined
      : 'the jti was used before';
  };
}
