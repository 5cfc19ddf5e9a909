import formbody from '@fastify/formbody';
import { fastify } from 'fastify';
import { registerTokenRoutes } from './token-routes.ts';
import { registerUserRoutes } from './user-routes.ts';

/*
 * Runs bare Fastify, without logging or validation, which shows what the framework and the machine allow. Each route does a
 * part of what a service does, and nothing else.
 */

const app = fastify();
await app.register(formbody);
app.get('/health/ready', () => ({ status: 'ready' }));
registerTokenRoutes(app);
await registerUserRoutes(app);
if (process.env.AUTH_DATABASE_URL?.startsWith('mysql:')) {
  // This module loads the product's database code, which must not count in the memory of the other routes.
  const { registerStatementRoutes } = await import('./statement-routes.ts');
  registerStatementRoutes(app);
}
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.once('SIGTERM', () => process.exit(0));
