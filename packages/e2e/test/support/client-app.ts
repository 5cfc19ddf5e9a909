import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What came back to the client from the authorization server. */
export interface ClientReturn {
  method: string;
  parameters: Record<string, string>;
}

/** A tiny application on a loopback port, of another site than the services: the target of redirects and form posts. */
export interface ClientApp {
  origin: string;
  redirectUri: string;
  returns: ClientReturn[];
  /** A page of this application that shows another one in a frame. */
  buildFrameUrl(target: string): string;
  stop(): Promise<void>;
}

export async function startClientApp(): Promise<ClientApp> {
  const returns: ClientReturn[] = [];
  const server = createServer((request, response) => void answer(request, response, returns));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    redirectUri: `${origin}/callback`,
    returns,
    buildFrameUrl: (target) => `${origin}/frame?${new URLSearchParams({ target })}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, returns: ClientReturn[]): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://client');
  if (pathname === '/callback') {
    const fields = request.method === 'POST' ? new URLSearchParams(await text(request)) : searchParams;
    returns.push({ method: request.method ?? '', parameters: Object.fromEntries(fields) });
    return sendPage(response, '<h1>Back at the application</h1>');
  }
  if (pathname === '/frame') {
    const target = (searchParams.get('target') ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return sendPage(response, `<h1>Framing</h1><iframe src="${target}"></iframe>`);
  }
  response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end();
}

function sendPage(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><html lang="en"><title>Client application</title>${body}</html>`);
}
