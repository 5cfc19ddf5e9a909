import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration } from 'oidc-provider';

/** The client of the comparison. It may use every measured grant. */
export const peerClient = {
  clientId: 'peer',
  secret: 'a-secret-of-the-benchmark',
  redirectUri: 'https://client.example/callback',
};

interface PeerOptions {
  issuer: string;
  /** The algorithm that signs access tokens that are JWTs. */
  algorithm: 'ES256' | 'RS256';
  format: 'jwt' | 'opaque';
}

/** Configures only what the measured requests need. */
export async function buildConfiguration({ issuer, algorithm, format }: PeerOptions): Promise<Configuration> {
  const resource = `${issuer}/api`;
  const accessToken =
    format === 'jwt' ? ({ accessTokenFormat: 'jwt', jwt: { sign: { alg: algorithm } } } as const) : {};
  return {
    jwks: { keys: [await generateJwk('ES256'), await generateJwk('RS256')] },
    cookies: { keys: ['a-key-of-the-benchmark'] },
    clients: [
      {
        client_id: peerClient.clientId,
        client_secret: peerClient.secret,
        grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
        redirect_uris: [peerClient.redirectUri],
        response_types: ['code'],
      },
    ],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'profile email', audience: resource, ...accessToken }),
      },
    },
    pkce: { required: () => false },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    ttl: {
      AccessToken: 1800,
      ClientCredentials: 1800,
      AuthorizationCode: 600,
      RefreshToken: 3600,
      Grant: 3600,
      IdToken: 1800,
    },
  };
}

async function generateJwk(alg: 'ES256' | 'RS256') {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg };
}
