import { randomUUID } from 'node:crypto';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import {
  digestOf,
  type ServiceTokenClaims,
  serviceTokenAudience,
  serviceTokenLifetime,
  serviceTokenType,
} from '@gatehouse/shared';
import type { SigningKeys } from '../keys/signing-keys.ts';

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  /** Public base of org-api. */
  baseUrl: string;
  clock: Clock;
}

/** One request to org-api. */
export interface ServiceRequest {
  method: string;
  /** As org-api receives it: without the path of `ORG_API_URL`, with the query. */
  path: string;
  body: string;
}

/** Gives a JWT that proves to org-api that the auth server sends this request; it is good for nothing else. */
export type IssueServiceToken = (request: ServiceRequest) => string;

export function createServiceTokenIssuer({ signingKeys, issuer, baseUrl, clock }: Dependencies): IssueServiceToken {
  const aud = serviceTokenAudience(baseUrl);
  return ({ method, path, body }) => {
    const iat = toSeconds(clock());
    const request: ServiceTokenClaims = { htm: method, path, digest: digestOf(body) };
    const claims = { iss: issuer, sub: issuer, aud, iat, exp: iat + serviceTokenLifetime, jti: randomUUID() };
    return signingKeys.sign('ES256', serviceTokenType, { ...claims, ...request });
  };
}
