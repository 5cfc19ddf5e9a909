// An MCP server whose tools take access tokens of Gatehouse. How to use it: docs/mcp.md
import { resourceServer } from '@gatehouse/resource-server/express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';

const { ISSUER = 'http://localhost:9000', AUDIENCE = 'http://localhost:3000/mcp', PORT = '3000' } = process.env;

const app = express();
const api = resourceServer({
  issuer: ISSUER,
  audience: AUDIENCE,
  metadata: { resource_name: 'Notes', scopes_supported: ['notes:read'] },
});
// Serves /.well-known/oauth-protected-resource/mcp, where MCP clients learn whom to ask for a token.
app.use(api);

// Each request has a server of its own, which knows who asks. Nothing is kept between two requests.
app.post('/mcp', api.requireScope('notes:read'), express.json(), async (request, response) => {
  const { subject, clientId } = request.accessToken ?? {};
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('read_notes', { description: 'Reads your notes' }, () => ({
    content: [{ type: 'text', text: `Notes of ${subject}, read through ${clientId}: none yet.` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all('/mcp', (_request, response) => void response.status(405).set('allow', 'POST').end());

const listening = app.listen(Number(PORT), 'localhost', (error) => {
  if (error === undefined) return void process.stdout.write(`listening at http://localhost:${PORT}\n`);
  process.stderr.write(`cannot listen at http://localhost:${PORT}: ${error.message}; choose another PORT\n`);
  process.exit(1);
});
process.once('SIGTERM', () => listening.close(() => api.close()));
