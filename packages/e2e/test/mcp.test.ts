import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createMcpProvider, mcpCallback } from './support/mcp-client.ts';
import { administrator } from './support/people.ts';
import { describeGatehouse } from './support/suite.ts';
import { readClaims } from './support/tokens.ts';
import { waitFor } from './support/wait.ts';

const user = { username: 'user@example.com', password: 'user-password' };
const file = join(repositoryRoot, 'examples/mcp-server/server.js');

describeGatehouse(
  'an MCP client of the official SDK',
  (getGatehouse) => {
    let url: URL;
    let server: ChildProcess;

    beforeAll(async () => {
      const { authUrl } = getGatehouse();
      const port = await findFreePort();
      url = new URL(`http://localhost:${port}/mcp`);
      const scopes = [{ name: 'notes:read', description: 'read your notes' }];
      const json = { resource: url.href, name: 'Notes', scopes, dynamic_clients: true };
      expect((await call(`${authUrl}/resources`, { basic: administrator, json })).status).toBe(201);
      const env = { PATH: process.env.PATH, ISSUER: authUrl, AUDIENCE: url.href, PORT: String(port) };
      server = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(server.stdout ?? server, 'data');
      expect(String(line)).toMatch(/^listening at /);
    });
    afterAll(async () => {
      server.kill('SIGTERM');
      if (server.exitCode === null) await once(server, 'exit');
    });

    const connect = async (provider: ReturnType<typeof createMcpProvider>['provider']) => {
      const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
      const client = new Client({ name: 'a test', version: '1.0.0' });
      return { client, transport, connected: client.connect(transport) };
    };
    const readNotes = async (provider: ReturnType<typeof createMcpProvider>['provider']) => {
      const { client, connected } = await connect(provider);
      await connected;
      const { content } = await client.callTool({ name: 'read_notes', arguments: {} });
      await client.close();
      return (content as { text: string }[])[0]?.text;
    };

    test('signs in to a server it never heard of, with nothing registered by hand, and calls a tool', async () => {
      const { provider, kept } = createMcpProvider(user);
      const { transport, connected } = await connect(provider);
      // The 401 of the server leads it to the metadata, to the registration, and to the browser.
      await expect(connected).rejects.toThrow(UnauthorizedError);
      expect(kept.client).toMatchObject({ redirect_uris: [mcpCallback], token_endpoint_auth_method: 'none' });
      await transport.finishAuth(kept.code ?? '');
      const clientId = kept.client?.client_id;
      expect(await readNotes(provider)).toMatch(new RegExp(`^Notes of [0-9a-f-]{36}, read through ${clientId}`));
      const token = kept.tokens?.access_token ?? '';
      expect(readClaims(token)).toMatchObject({ aud: url.href, scope: 'notes:read', client_id: clientId });
      expect(readClaims(token)).not.toHaveProperty('roles');
    });

    test('goes on by its refresh token where the access token was revoked, without a person', async () => {
      const { provider, kept } = createMcpProvider(user);
      const { transport, connected } = await connect(provider);
      await expect(connected).rejects.toThrow(UnauthorizedError);
      await transport.finishAuth(kept.code ?? '');
      const first = kept.tokens?.access_token ?? '';
      kept.code = undefined;
      const form = { client_id: kept.client?.client_id ?? '', token: first };
      expect((await call(`${getGatehouse().authUrl}/oauth/revoke`, { form })).status).toBe(200);
      const ask = async () => (await call(url.href, { bearer: first, json: {} })).status;
      expect(await waitFor(ask, (status) => status === 401)).toBe(401);
      expect(await readNotes(provider)).toMatch(/^Notes of /);
      expect([kept.code, kept.tokens?.access_token === first]).toEqual([undefined, false]);
    });

    test('is the server of the page, which stays small', () => {
      expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(40);
      const page = readFileSync(join(repositoryRoot, 'docs/mcp.md'), 'utf8');
      expect(page).toContain('examples/mcp-server');
    });
  },
  { 'auth-server': { DYNAMIC_REGISTRATION: 'open' } },
);
