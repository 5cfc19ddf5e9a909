import { randomBytes } from 'node:crypto';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import type { Client } from '../clients/client.ts';
import { demandsOf } from '../clients/client-demands.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { SessionParticipant } from './session-participant.ts';

/** Signs the logout token that tells a client of the end of a session (Back-Channel Logout 1.0 section 2.4). */
export type SignLogoutToken = (participant: SessionParticipant, client: Client) => string;

/** Sends a logout token to a client; rejects where it did not arrive. */
export type SendLogoutToken = (uri: string, logoutToken: string) => Promise<void>;

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  clock: Clock;
}

/** Seconds a logout token is valid (Back-Channel Logout 1.0 section 4: at most two minutes). */
const tokenLifetime = 120;

export function createSignLogoutToken({ signingKeys, issuer, clock }: Dependencies): SignLogoutToken {
  return ({ userId, sessionId }, client) => {
    const iat = toSeconds(clock());
    // Section 2.6: checked as ID tokens are, so signed as they are.
    return signingKeys.sign(demandsOf(client).idTokenAlgorithm, 'logout+jwt', {
      iss: issuer,
      sub: userId,
      aud: client.clientId,
      iat,
      exp: iat + tokenLifetime,
      jti: randomBytes(16).toString('base64url'),
      sid: sessionId,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
  };
}
