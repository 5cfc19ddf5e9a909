import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export async function createSigningKey(alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Signs claims with a header of the test's choice; the header wins over what the key would say. */
export function signJwt(key: SigningKey, claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
}

export type Handle = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** An issuer over real HTTP. A test may give another answer for each path. */
export interface Issuer {
  url: string;
  key: SigningKey;
  keys: JWK[];
  /** The paths that were asked for, in order. */
  asked: string[];
  /** What is answered at a path. */
  routes: Map<string, Handle>;
  json(path: string, document: object): void;
  /** An access token of this issuer, with claims and header changed as given. */
  token(claims?: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  /** A status list with these tokens revoked. */
  list(uri: string, indices: readonly number[], claims?: JWTPayload, key?: SigningKey): Promise<string>;
  close(): Promise<void>;
}

export const audience = 'https://orders.example.com/api';

/** `path`: of the issuer's identifier. */
export async function startIssuer({ alg = 'ES256', path = '' } = {}): Promise<Issuer> {
  const key = await createSigningKey(alg);
  const asked: string[] = [];
  const routes = new Map<string, Handle>();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const handle = routes.get(request.url ?? '');
    if (handle === undefined) response.writeHead(404).end();
    else void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = origin + path;
  const now = () => Math.floor(Date.now() / 1000);
  const issuer: Issuer = {
    ...{ url, key, asked, routes },
    keys: [key.jwk],
    json(at, document) {
      routes.set(at, (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      });
    },
    token: (claims = {}, header = {}) =>
      signJwt(
        key,
        {
          ...{ iss: url, aud: audience, sub: 'user-1', client_id: 'client-1', scope: 'orders:read orders:write' },
          ...{ iat: now(), exp: now() + 600, jti: randomUUID(), ...claims },
        },
        { typ: 'at+jwt', ...header },
      ),
    list(uri, indices, claims = {}, signedBy = key) {
      const bytes = Buffer.alloc(16);
      for (const idx of indices) bytes[idx >> 3] = (bytes[idx >> 3] ?? 0) | (1 << (idx & 7));
      const lst = deflateSync(bytes).toString('base64url');
      const content = { iss: url, sub: uri, iat: now(), exp: now() + 600, ttl: 1, status_list: { bits: 1, lst } };
      return signJwt(signedBy, { ...content, ...claims }, { typ: 'statuslist+jwt' });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  issuer.json(`${path}/.well-known/openid-configuration`, { issuer: url, jwks_uri: `${url}/jwks` });
  routes.set(`${path}/jwks`, (_request, response) => {
    response.writeHead(200).end(JSON.stringify({ keys: issuer.keys }));
  });
  return issuer;
}
