import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';

/** A server of pages that use libraries as they come, of another site than the services. */
export interface LibraryPages {
  origin: string;
  /** What the pages read as `/settings.json`. */
  settings: Record<string, unknown>;
  stop(): Promise<void>;
}

const pageOf = (name: string) => join(repositoryRoot, 'packages/e2e/programs/pages', `${name}.html`);
const libraryOf = (path: string) => join(repositoryRoot, 'node_modules', path);
const files: Record<string, { type: string; path: string }> = {
  '/keycloak': { type: 'text/html', path: pageOf('keycloak') },
  '/oidc-client-ts': { type: 'text/html', path: pageOf('oidc-client-ts') },
  '/plain': { type: 'text/html', path: pageOf('plain') },
  '/lib/keycloak.js': { type: 'text/javascript', path: libraryOf('keycloak-js/lib/keycloak.js') },
  '/lib/oidc-client-ts.js': {
    type: 'text/javascript',
    path: libraryOf('oidc-client-ts/dist/browser/oidc-client-ts.min.js'),
  },
};

export async function startLibraryPages(): Promise<LibraryPages> {
  const pages = { origin: '', settings: {}, stop };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://pages');
    const file = files[pathname];
    const send = (type: string, text: string | Buffer) => response.writeHead(200, { 'content-type': type }).end(text);
    if (file !== undefined) send(`${file.type}; charset=utf-8`, readFileSync(file.path));
    else if (pathname === '/settings.json') send('application/json', JSON.stringify(pages.settings));
    else if (pathname === '/bye')
      send('text/html', '<!doctype html><html lang="en"><title>Bye</title><h1>Bye</h1></html>');
    else response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pages.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return pages;

  function stop(): Promise<void> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }
}
