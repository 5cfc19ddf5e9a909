// An API that takes access tokens of Gatehouse. How to ask it: docs/protect-your-api/nodejs.md
import { resourceServer } from '@gatehouse/resource-server/express';
import express from 'express';

const { ISSUER = 'http://localhost:9000', AUDIENCE = 'http://localhost:3000', PORT = '3000' } = process.env;
const orders = [{ id: 1, item: 'a gate' }];

const app = express();
const api = resourceServer({
  issuer: ISSUER,
  audience: AUDIENCE,
  metadata: { resource_name: 'Orders', scopes_supported: ['orders:read'] },
});
// Serves /.well-known/oauth-protected-resource.
app.use(api);

// Anybody.
app.get('/', (_request, response) => void response.json({ api: 'orders' }));

// Everybody who has a good token: a person, or a service account.
app.get('/me', api.requireToken, ({ accessToken }, response) => {
  response.json({ subject: accessToken?.subject, client: accessToken?.clientId });
});

// Only with scope orders:read.
app.get('/orders', api.requireScope('orders:read'), (_request, response) => void response.json(orders));

const server = app.listen(Number(PORT), 'localhost', (error) => {
  if (error === undefined) return void process.stdout.write(`listening at http://localhost:${PORT}\n`);
  process.stderr.write(`cannot listen at http://localhost:${PORT}: ${error.message}; choose another PORT\n`);
  process.exit(1);
});
process.once('SIGTERM', () => server.close(() => api.close()));
