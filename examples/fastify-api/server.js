// An API that takes access tokens of Gatehouse. How to ask it: docs/protect-your-api/nodejs.md
import { resourceServer } from '@gatehouse/resource-server/fastify';
import { fastify } from 'fastify';

const { ISSUER = 'http://localhost:9000', AUDIENCE = 'http://localhost:3000', PORT = '3000' } = process.env;
const orders = [{ id: 1, item: 'a gate' }];

const app = fastify({ logger: { level: 'warn' } });
await app.register(resourceServer, {
  issuer: ISSUER,
  audience: AUDIENCE,
  metadata: { resource_name: 'Orders', scopes_supported: ['orders:read'] },
});

// Anybody.
app.get('/', () => ({ api: 'orders' }));

// Everybody who has a good token: a person, or a service account.
app.get('/me', { onRequest: app.requireToken }, ({ accessToken }) => ({
  subject: accessToken?.subject,
  client: accessToken?.clientId,
}));

// Only with scope orders:read.
app.get('/orders', { onRequest: app.requireScope('orders:read') }, () => orders);

process.once('SIGTERM', () => app.close());
try {
  process.stdout.write(`listening at ${await app.listen({ port: Number(PORT), host: 'localhost' })}\n`);
} catch (error) {
  process.stderr.write(
    `cannot listen at http://localhost:${PORT}: ${/** @type {Error} */ (error).message}; choose another PORT\n`,
  );
  process.exit(1);
}
