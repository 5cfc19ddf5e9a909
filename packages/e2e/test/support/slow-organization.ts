import { createServer } from 'node:http';
import { findFreePort } from '@gatehouse/test-kit';

/** A server in the place of org-api, which keeps every question waiting until it is told to answer. */
export async function startSlowOrganization() {
  const port = await findFreePort();
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  const server = createServer(async (_request, response) => {
    count += 1;
    await released;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ outcome: 'wrong', users: [] }));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    /** How many questions came. */
    asked: () => count,
    release,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
