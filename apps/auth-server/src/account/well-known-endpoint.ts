import { registerForEveryOrigin } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';

/** Where password managers find the pages (W3C: change-password URL, passkey endpoints). */
export async function registerWellKnown(app: FastifyInstance, { authUrl }: { authUrl: string }): Promise<void> {
  app.get('/.well-known/change-password', { schema: { hide: true } }, (_request, reply) =>
    reply.redirect(`${authUrl}/account/password`, 303),
  );
  const endpoints = { enroll: `${authUrl}/account/passkeys`, manage: `${authUrl}/account/methods` };
  await registerForEveryOrigin(app, (scope) => {
    scope.get('/.well-known/passkey-endpoints', { schema: { hide: true } }, () => endpoints);
  });
}
