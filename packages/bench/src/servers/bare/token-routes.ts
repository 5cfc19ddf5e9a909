import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createBatchSigner } from './batch-signer.ts';

/** A token endpoint that stores nothing and asks no other server. */
export function registerTokenRoutes(app: FastifyInstance): void {
  const signInBatch = createBatchSigner();
  const expected = hmac('a-secret-of-the-benchmark');

  /** Reads a form and always answers the same JSON. */
  app.post('/constant', async () => ({ access_token: 'x'.repeat(600), token_type: 'Bearer', expires_in: 1800 }));

  /** Reads a form, compares the client's secret and answers a signed token. */
  app.post('/signed', async (request, reply) => {
    const { clientId, secret } = readBasic(request.headers.authorization ?? '');
    if (!timingSafeEqual(hmac(secret), expected)) return reply.status(401).send({ error: 'invalid_client' });
    const { scope = 'openid profile email' } = request.body as { scope?: string };
    const accessToken = await signInBatch(buildClaims(clientId, scope));
    return { access_token: accessToken, token_type: 'Bearer', expires_in: 1800, scope };
  });
}

const hmacKey = randomBytes(32);

function hmac(secret: string): Buffer {
  return createHmac('sha256', hmacKey).update(secret).digest();
}

export function readBasic(authorization: string): { clientId: string; secret: string } {
  const [clientId = '', secret = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64')
    .toString()
    .split(':');
  return { clientId, secret };
}

/** As many claims, and as long, as the product's access tokens have (RFC 9068 2.2). */
export function buildClaims(clientId: string, scope: string): object {
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: 'http://127.0.0.1:65535',
    sub: '01929f2e-7c1a-7d5e-9a53-2f1d6e0b7c44',
    aud: 'http://127.0.0.1:65534',
    client_id: clientId,
    exp: iat + 1800,
    iat,
    jti: randomBytes(16).toString('base64url'),
    scope,
    grant_id: '01929f2e-7c1a-7d5e-9a53-2f1d6e0b7c45',
    status: { status_list: { idx: 4711, uri: 'http://127.0.0.1:65535/oauth/status-lists/498000' } },
    username: 'robot-0@example.com',
    password_changed_at: iat * 1000,
  };
}
