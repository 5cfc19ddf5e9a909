import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { toJsonLine } from './json-line.ts';

/** One thing a service cannot work without. `check` rejects with a message fit for the public. */
export interface ReadinessCheck {
  name: string;
  check(): Promise<void>;
  /** Names, for the public, a fault with which the service works for now. */
  findFault?(): string | undefined;
}

/** A custom serializer leaves it out. */
const mediaType = 'application/json; charset=utf-8';

const Health = Type.Object({
  status: Type.String(),
  checks: Type.Optional(Type.Record(Type.String(), Type.String())),
});

/** `GET /health/live` and `GET /health/ready`; the latter names what fails. */
export function registerHealth(app: FastifyInstance, checks: readonly ReadinessCheck[]): void {
  const schema = (operationId: string, summary: string) => ({
    tags: ['operations'],
    operationId,
    summary,
    response: { 200: Health, 503: Health },
  });

  app.get(
    '/health/live',
    { schema: schema('getLiveness', 'The process runs'), logLevel: 'warn' },
    (_request, reply) => {
      void reply.type(mediaType).serializer(toJsonLine).send({ status: 'ok' });
    },
  );

  app.get(
    '/health/ready',
    { schema: schema('getReadiness', 'The service can work'), logLevel: 'warn' },
    async (_request, reply) => {
      const results = await Promise.all(checks.map(runCheck));
      const failing = results.some(({ isFailing }) => isFailing);
      void reply
        .code(failing ? 503 : 200)
        .type(mediaType)
        .header('cache-control', 'no-store')
        .serializer(toJsonLine);
      return {
        status: failing ? 'unavailable' : 'ok',
        checks: Object.fromEntries(results.map(({ name, outcome }) => [name, outcome])),
      };
    },
  );
}

async function runCheck({ name, check, findFault }: ReadinessCheck) {
  try {
    await check();
    const fault = findFault?.();
    return { name, outcome: fault === undefined ? 'ok' : `ok, but ${fault}`, isFailing: false };
  } catch (error) {
    return { name, outcome: error instanceof Error ? error.message : 'failing', isFailing: true };
  }
}
