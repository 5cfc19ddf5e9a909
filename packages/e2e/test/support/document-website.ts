import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificates } from '@gatehouse/test-kit';

/** A website by TLS with the metadata document of one client. `ca`: for `OUTBOUND_CA_FILE`. */
export async function startDocumentWebsite(members: object) {
  const certificates = await makeCertificates('localhost');
  const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)]);
  let url = '';
  const server = createServer({ cert, key }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ client_id: url, ...members }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `https://localhost:${(server.address() as AddressInfo).port}/oauth/client.json`;
  return {
    url,
    ca: certificates.ca,
    async close() {
      server.close();
      server.closeAllConnections();
      await certificates.remove();
    },
  };
}
