import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { TokenError, type Verifier, verifier } from '../src/index.ts';
import { createHolder } from './support/proofs.ts';

const audience = 'https://orders.example.com/';
const credentials = { client_id: 'client', client_secret: 'a-secret-of-a-client-for-tests' };

/** node-oidc-provider, which issues JWT access tokens for a resource that is asked for (RFC 8707). */
async function startProvider(alg: 'ES256' | 'RS256' | 'PS256' | 'EdDSA') {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = createServer().listen(0, '127.0.0.1', () => resolve(listening));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg, use: 'sig', kid: 'the-key' }] },
    clients: [
      {
        ...credentials,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: alg,
      },
    ],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: 'orders:read orders:write',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } },
        }),
      },
    },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    async issue(resource: string, headers: Record<string, string> = {}): Promise<string> {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ ...credentials, grant_type: 'client_credentials', resource, scope: 'orders:read' }),
      });
      const { access_token: token } = (await answer.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`no token: ${answer.status}`);
      return token;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(['ES256', 'RS256', 'PS256', 'EdDSA'] as const)('node-oidc-provider that signs by %s', (alg) => {
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let api: Verifier;
  beforeAll(async () => {
    provider = await startProvider(alg);
    api = verifier({ issuer: provider.issuer, audience });
  });
  afterAll(async () => {
    api.close();
    await provider.close();
  });
  const ask = (headers: Record<string, string>, scope: string[] = []) =>
    api.verify({ method: 'GET', url: '/orders', headers }, { scope }).then(
      (token) => [200, token.clientId, token.subjectType],
      (error: unknown) => {
        if (!(error instanceof TokenError)) throw error;
        return [error.status, error.code];
      },
    );

  it('has its tokens taken, with their scope, for this API alone', async () => {
    const authorization = `Bearer ${await provider.issue(audience)}`;
    expect(await ask({ authorization }, ['orders:read'])).toEqual([200, 'client', 'client']);
    expect(await ask({ authorization }, ['orders:write'])).toEqual([403, 'insufficient_scope']);
    const elsewhere = `Bearer ${await provider.issue('https://other.example.com/')}`;
    expect(await ask({ authorization: elsewhere })).toEqual([401, 'invalid_token']);
  });

  it('has its bound tokens taken with a proof (RFC 9449)', async () => {
    const holder = await createHolder();
    const token = await provider.issue(audience, { dpop: await holder.prove('POST', `${provider.issuer}/token`, '') });
    const dpop = await holder.prove('GET', 'https://orders.example.com/orders', token);
    expect(await ask({ authorization: `DPoP ${token}`, dpop })).toEqual([200, 'client', 'client']);
    expect(await ask({ authorization: `Bearer ${token}` })).toEqual([401, 'invalid_token']);
  });
});
