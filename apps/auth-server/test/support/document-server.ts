import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificates } from '@gatehouse/test-kit';

interface Published {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body: object | string;
}

export type DocumentServer = Awaited<ReturnType<typeof startDocumentServer>>;

/** A website by TLS that publishes documents of clients. `ca`: the file of its CA, for `OUTBOUND_CA_FILE`. */
export async function startDocumentServer() {
  const certificates = await makeCertificates('localhost');
  const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)]);
  const published = new Map<string, Published>();
  /** The paths that were asked for. */
  const asked: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const { status = 200, headers = {}, body } = published.get(path) ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `https://localhost:${port}`;
  let count = 0;

  return {
    ca: certificates.ca,
    origin,
    asked,
    put: (path: string, answer: Published) => void published.set(path, answer),
    take: (path: string) => void published.delete(path),
    /** Publishes a document of a public client at a path of its own, or at the path that is given; gives its URL. */
    publish(members: object = {}, { path, headers = {} }: { path?: string; headers?: Record<string, string> } = {}) {
      count += 1;
      const place = path ?? `/clients/${count}.json`;
      const url = origin + place;
      const body = { client_id: url, client_name: 'A tool', redirect_uris: [webCallback], ...members };
      published.set(place, { headers, body });
      return url;
    },
    pathOf: (url: string) => new URL(url).pathname,
    /** How often the URL was asked for. */
    countOf: (url: string) => asked.filter((path) => path === new URL(url).pathname).length,
    async close() {
      server.close();
      server.closeAllConnections();
      await certificates.remove();
    },
  };
}

export const webCallback = 'https://tool.example.com/callback';

/** As Claude Code publishes it: no port, and a name that is not an address. */
export const likeClaudeCode = {
  client_name: 'Claude Code',
  client_uri: 'https://claude.ai',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** As VS Code publishes it: grant types and addresses that other servers take. */
export const likeVsCode = {
  client_name: 'Visual Studio Code',
  client_uri: 'https://vscode.dev/product',
  application_type: 'native',
  redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'http://127.0.0.1/', 'vscode://callback'],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};
