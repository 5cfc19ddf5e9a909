import { createHash } from 'node:crypto';
import type { JwtClaims, VerifyJwt } from '@gatehouse/resource-server/parts';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import { digestOf, type ServiceTokenClaims, serviceTokenType } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import type { Tell } from '../events/event.ts';
import { getPresentedToken } from './authenticate-bearer-endpoint.ts';
import { createRefuseToken } from './token-refusal.ts';

/** Seconds by which the clocks of replicas may differ. A replica that is ahead must not purge an identifier too early. */
const clockTolerance = 10;

export interface ServiceToken extends ServiceTokenClaims {
  jti: string;
  /** Seconds. */
  exp: number;
}

/** The rules for tokens of the internal routes: the auth server signs them for this purpose alone. */
export const serviceTokenRules = {
  type: serviceTokenType,
  requiredClaims: ['sub', 'aud', 'iat'],
  // Each token comes once, so none is remembered.
  remembered: 0,
  read: readServiceToken,
} as const;

function readServiceToken({ jti, htm, path, digest, exp }: JwtClaims): ServiceToken | undefined {
  if (typeof jti !== 'string' || typeof htm !== 'string') return undefined;
  if (typeof path !== 'string' || typeof digest !== 'string') return undefined;
  return { jti, htm, path, digest, exp };
}

/** Authenticates the auth server, for each request once. Each step throws 401. */
export interface ServiceAuthentication {
  /** Checks that the auth server signed the token, for this method and path. */
  checkToken(request: FastifyRequest): Promise<void>;
  /** Checks that the token is for these bytes of the body. */
  checkBody(request: FastifyRequest, body: Buffer): void;
  /** Checks that no replica saw the token before. Call it after the other two. */
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
      let fault: string | undefined;
      const token = await verifyServiceToken(getPresentedToken(request, refuse).token, (found) => {
        fault = found;
      });
      if (token === undefined) throw refuse('not_valid', fault);
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
