import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';

/** A resource server that knows one user: `USER_JSON` in the environment. */
export async function registerUserRoutes(app: FastifyInstance): Promise<void> {
  const { USER_JSON: userJson, JWKS_URL: jwksUrl, AUTH_URL: issuer = '', BASE_URL: audience = '' } = process.env;
  if (userJson === undefined || jwksUrl === undefined) return;
  const user = JSON.parse(userJson) as object;
  const keys = createRemoteJWKSet(new URL(jwksUrl));

  /** Reads the token's claims and checks nothing. */
  app.get('/decoded/:username', async (request, reply) => {
    if (decodeJwt(readBearer(request)).sub === undefined) return reply.status(401).send();
    return user;
  });

  /** Verifies the token with each request. */
  app.get('/verified/:username', async (request) => {
    await jwtVerify(readBearer(request), keys, { issuer, audience, typ: 'at+jwt', algorithms: ['ES256'] });
    return user;
  });
}

function readBearer({ headers: { authorization = '' } }: FastifyRequest): string {
  return authorization.slice('Bearer '.length);
}
