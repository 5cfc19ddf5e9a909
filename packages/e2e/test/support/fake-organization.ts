import { createServer } from 'node:http';
import { findFreePort } from '@gatehouse/test-kit';

/** A server in the place of org-api, which keeps the tokens that auth-server proves itself with. */
export async function startFakeOrganization() {
  const port = await findFreePort();
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    tokens.push((request.headers.authorization ?? '').replace(/^Bearer /, ''));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ outcome: 'wrong', users: [] }));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    tokens,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
