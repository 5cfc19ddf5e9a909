import { serviceTokenType } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import type { VerifyJwt } from '../tokens/jwt-verifier.ts';
import { getPresentedToken, invalidToken } from './bearer-auth.ts';

/** What a token must be to open the internal routes: signed by the auth server for this one purpose. */
export const serviceTokenRules = {
  type: serviceTokenType,
  algorithms: ['ES256'],
  requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
} as const;

/** Throws 401 unless the auth server itself calls. */
export type CheckService = (request: FastifyRequest) => Promise<void>;

export function createServiceAuthentication({ verifyServiceToken }: { verifyServiceToken: VerifyJwt }): CheckService {
  return async (request) => {
    const claims = await verifyServiceToken(getPresentedToken(request).token);
    if (claims === undefined) throw invalidToken('not a service token of the auth server');
  };
}
