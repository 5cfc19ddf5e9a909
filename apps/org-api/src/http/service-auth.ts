import { createHash } from 'node:crypto';
import type { JwtClaims, UsedIdentifiers, VerifyJwt } from '@gatehouse/service-kit';
import { digestOf, type ServiceTokenClaims, serviceTokenType } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import type { Tell } from '../events/event.ts';
import { getPresentedToken } from './bearer-auth.ts';
import { createRefuseToken } from './token-refusal.ts';

/** Seconds by which the clocks of replicas may differ: one that is ahead must not purge what another still takes. */
const clockTolerance = 10;

export interface ServiceToken extends ServiceTokenClaims {
  jti: string;
  /** Seconds. */
  exp: number;
}

/** What a token must be to open the internal routes: signed by the auth server for this one purpose. */
export const serviceTokenRules = {
  type: serviceTokenType,
  requiredClaims: ['sub', 'aud', 'iat'],
  // Each token is seen once.
  remembered: 0,
  read: readServiceToken,
} as const;

function readServiceToken({ jti, htm, path, digest, exp }: JwtClaims): ServiceToken | undefined {
  if (typeof jti !== 'string' || typeof htm !== 'string') return undefined;
  if (typeof path !== 'string' || typeof digest !== 'string') return undefined;
  return { jti, htm, path, digest, exp };
}

/** Lets the auth server itself in, with each of its requests once. Each step throws 401. */
export interface ServiceAuthentication {
  /** The token is the auth server's, and for this method and path. */
  checkToken(request: FastifyRequest): Promise<void>;
  /** The token is for this body, as it came over the wire. */
  checkBody(request: FastifyRequest, body: Buffer): void;
  /** The token was used at no replica before. Follows the other two. */
  checkFirstUse(request: FastifyRequest): Promise<void>;
}

interface Dependencies {
  verifyServiceToken: VerifyJwt<ServiceToken>;
  usedIdentifiers: UsedIdentifiers;
  tell: Tell;
}

export function createServiceAuthentication(deps: Dependencies): ServiceAuthentication {
  const { verifyServiceToken, usedIdentifiers, tell } = deps;
  const refuse = createRefuseToken('service_token', tell);
  const presented = new WeakMap<FastifyRequest, ServiceToken>();
  const bound = new WeakMap<FastifyRequest, ServiceToken>();

  return {
    async checkToken(request) {
      const token = await verifyServiceToken(getPresentedToken(request, refuse).token);
      if (token === undefined) throw refuse('not_valid');
      if (token.htm !== request.method || token.path !== request.url) {
        throw refuse('not_bound');
      }
      presented.set(request, token);
    },
    checkBody(request, body) {
      const token = presented.get(request);
      if (token?.digest !== digestOf(body)) throw refuse('not_bound');
      bound.set(request, token);
    },
    async checkFirstUse(request) {
      const token = bound.get(request);
      if (token === undefined) throw refuse('not_bound');
      const identifier = createHash('sha256').update(`service\0${token.jti}`).digest();
      const isFirst = await usedIdentifiers.use(identifier, (token.exp + clockTolerance) * 1000);
      if (!isFirst) throw refuse('replayed');
    },
  };
}
