import type { VerifyJwt } from '@gatehouse/service-kit';
import { serviceTokenType } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import { getPresentedToken, invalidToken } from './bearer-auth.ts';

/** What a token must be to open the internal routes: signed by the auth server for this one purpose. */
export const serviceTokenRules = {
  type: serviceTokenType,
  requiredClaims: ['sub', 'aud', 'iat'],
  remembered: 64 * 1024,
  read: ({ sub }: { sub?: string }) => sub,
} as const;

/** Throws 401 unless the auth server itself calls. */
export type CheckService = (request: FastifyRequest) => Promise<void>;

export function createServiceAuthentication(deps: { verifyServiceToken: VerifyJwt<string> }): CheckService {
  return async (request) => {
    const service = await deps.verifyServiceToken(getPresentedToken(request).token);
    if (service === undefined) throw invalidToken('not a service token of the auth server');
  };
}
