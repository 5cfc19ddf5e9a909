import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { findFreePort } from '@gatehouse/test-kit';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export async function createSigningKey(alg: 'ES256' | 'RS256' | 'ES384' = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Signs claims with a header of the test's choice; the header wins over what the key would say. */
export function signJwt(key: SigningKey, claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
}

/** The auth server's key set and status lists over real HTTP, which can be out of reach. */
export interface KeyServer {
  url: string;
  /** What is published; may be changed at any time. */
  keys: JWK[];
  /** Status lists by their paths. */
  lists: Map<string, string>;
  /** Answers this instead of the keys. */
  answer: { status: number; body: string } | undefined;
  /** Of the keys. */
  fetches(): number;
  listen(): Promise<void>;
  close(): Promise<void>;
}

export async function createKeyServer(keys: JWK[]): Promise<KeyServer> {
  const port = await findFreePort();
  let fetches = 0;
  let server: Server | undefined;
  const keyServer: KeyServer = {
    url: `http://127.0.0.1:${port}/oauth/jwks`,
    keys,
    lists: new Map(),
    answer: undefined,
    fetches: () => fetches,
    async listen() {
      server = createServer(({ url: path = '' }, response) => {
        const list = keyServer.lists.get(path);
        if (list !== undefined) {
          response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(list);
          return;
        }
        fetches += 1;
        const { status, body } = keyServer.answer ?? { status: 200, body: JSON.stringify({ keys: keyServer.keys }) };
        response.writeHead(status, { 'content-type': 'application/jwk-set+json' }).end(body);
      });
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    },
    async close() {
      server?.closeAllConnections();
      await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
      server = undefined;
    },
  };
  return keyServer;
}
