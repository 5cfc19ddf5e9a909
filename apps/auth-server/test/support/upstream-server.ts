import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientKey, createClientKey } from '@gatehouse/test-kit';

export type UpstreamServer = Awaited<ReturnType<typeof startUpstreamServer>>;

/** An OpenID Provider that signs everybody in at once, and says of the account what the test wants. */
export async function startUpstreamServer(key: ClientKey = createClientKey('ES256')) {
  const said = {
    /** Claims of the next ID token, over those that are due. */
    idToken: { sub: 'subject-1' } as Record<string, unknown>,
    /** In place of the key that is published. */
    key,
    /** In place of the next ID token. */
    jwt: undefined as string | undefined,
    userinfo: { sub: 'subject-1' } as Record<string, unknown>,
    metadata: {} as Record<string, unknown>,
    /** `Cache-Control` of the metadata; none where it is left out. */
    cacheControl: undefined as string | undefined,
    /** Parameters of the answer to the browser, over `code` and `state`. */
    answer: {} as Record<string, string | undefined>,
    /** Of answers, by path; 200 where there is none. */
    statuses: {} as Record<string, number>,
  };
  /** The requests of browsers, by their codes; and all requests to the token endpoint. */
  const begun = new Map<string, URLSearchParams>();
  const tokenRequests: { form: URLSearchParams; authorization: string | undefined }[] = [];
  let issuer = '';

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    authorization_response_iss_parameter_supported: true,
    ...said.metadata,
    jwks_uri: new URL(String(said.metadata.jwks_uri ?? '/jwks'), issuer).href,
  });
  const answerBrowser = (asked: URLSearchParams, response: ServerResponse) => {
    const code = randomBytes(16).toString('base64url');
    begun.set(code, asked);
    const parameters = { code, state: asked.get('state') ?? '', iss: issuer, ...said.answer };
    const query = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    response.writeHead(302, { location: `${asked.get('redirect_uri')}?${new URLSearchParams(query)}` }).end();
  };
  const issueTokens = (form: URLSearchParams) => {
    const asked = begun.get(form.get('code') ?? '');
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: issuer, aud: asked?.get('client_id'), iat: now, exp: now + 60 },
      nonce: asked?.get('nonce'),
      ...said.idToken,
    };
    const idToken = said.jwt ?? said.key.assertion('', '', { jti: undefined, ...claims });
    return { access_token: 'an access token', token_type: 'Bearer', id_token: idToken };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer);
    if (pathname === '/authorize') return answerBrowser(searchParams, response);
    const send = (body: object) =>
      response
        .writeHead(said.statuses[pathname] ?? 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    if (pathname === '/token') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      tokenRequests.push({ form, authorization: request.headers.authorization });
      return send(issueTokens(form));
    }
    if (pathname === '/userinfo') return send(said.userinfo);
    if (pathname === '/jwks') return send({ keys: [key.jwk] });
    if (said.cacheControl !== undefined) response.setHeader('cache-control', said.cacheControl);
    return send(metadata());
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    said,
    begun,
    tokenRequests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
