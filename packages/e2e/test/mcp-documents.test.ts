import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { call, findFreePort, type Gatehouse, repositoryRoot, startGatehouse, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startDocumentWebsite } from './support/document-website.ts';
import { createMcpProvider } from './support/mcp-client.ts';
import { administrator } from './support/people.ts';
import { readClaims } from './support/tokens.ts';

const user = { username: 'user@example.com', password: 'user-password' };
const file = join(repositoryRoot, 'examples/mcp-server/server.js');

/** As Claude Code publishes it. */
const document = {
  client_name: 'An MCP client',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

describe.each(testDialects)('an MCP client of the official SDK with a metadata document, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let website: Awaited<ReturnType<typeof startDocumentWebsite>>;
  let url: URL;
  let server: ChildProcess;

  beforeAll(async () => {
    website = await startDocumentWebsite(document);
    const env = { CLIENT_ID_METADATA: 'listed', CLIENT_ID_METADATA_URLS: website.url, OUTBOUND_CA_FILE: website.ca };
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': env } });
    const port = await findFreePort();
    url = new URL(`http://localhost:${port}/mcp`);
    const scopes = [{ name: 'notes:read', description: 'read your notes' }];
    const json = { resource: url.href, name: 'Notes', scopes, dynamic_clients: true };
    expect((await call(`${gatehouse.authUrl}/resources`, { basic: administrator, json })).status).toBe(201);
    const envOfServer = { PATH: process.env.PATH, ISSUER: gatehouse.authUrl, AUDIENCE: url.href, PORT: String(port) };
    server = spawn(process.execPath, [file], { env: envOfServer, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(server.stdout ?? server, 'data');
  });
  afterAll(async () => {
    server?.kill('SIGTERM');
    await website?.close();
    await gatehouse?.stop();
  });

  test('signs in by it at a port of its own, registers nothing, and calls a tool', async () => {
    const callback = `http://localhost:${await findFreePort()}/callback`;
    const { provider, kept } = createMcpProvider(user, { documentUrl: website.url, callback });
    const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
    const connecting = new Client({ name: 'a test', version: '1.0.0' }).connect(transport);
    await expect(connecting).rejects.toThrow(UnauthorizedError);
    await transport.finishAuth(kept.code ?? '');
    const client = new Client({ name: 'a test', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
    const { content } = await client.callTool({ name: 'read_notes', arguments: {} });
    await client.close();
    expect(JSON.stringify(content)).toContain(`read through ${website.url}`);
    const token = kept.tokens?.access_token ?? '';
    expect(readClaims(token)).toMatchObject({ aud: url.href, scope: 'notes:read', client_id: website.url });
    const path = `/clients/${encodeURIComponent(website.url)}`;
    const shown = (await call(gatehouse.authUrl + path, { basic: administrator })).json();
    expect(shown).toMatchObject({
      dynamic: true,
      client_name: 'An MCP client',
      metadata_document: { url: website.url },
    });
  });
});
