import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { serviceTokenAudience, serviceTokenLifetime, serviceTokenType } from '@gatehouse/shared';
import type { SigningKeys } from '../keys/signing-keys.ts';

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  /** Public base of org-api. */
  baseUrl: string;
  clock: Clock;
}

/** Gives a JWT that proves to org-api that the auth server calls; signed anew when half its life is over. */
export function createServiceTokenIssuer({ signingKeys, issuer, baseUrl, clock }: Dependencies): () => string {
  let current: { token: string; renewAt: number } | undefined;
  return () => {
    const iat = toSeconds(clock());
    if (current === undefined || current.renewAt <= iat) {
      const claims = {
        iss: issuer,
        sub: issuer,
        aud: serviceTokenAudience(baseUrl),
        iat,
        exp: iat + serviceTokenLifetime,
      };
      const token = signingKeys.sign('ES256', serviceTokenType, claims);
      current = { token, renewAt: iat + serviceTokenLifetime / 2 };
    }
    return current.token;
  };
}
