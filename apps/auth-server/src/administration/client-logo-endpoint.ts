import { clientIdPattern, ProblemError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ClientLogoStore } from '../clients/client-logo-store.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { sendImage } from '../pages/assets-endpoint.ts';
import type { ClientLogoAdministration } from './administer-client-logos.ts';
import { type ClientOperations, ClientParams } from './client-operations-endpoint.ts';

interface Dependencies {
  operations: ClientOperations;
  clientLogoAdministration: ClientLogoAdministration;
}

/** Bytes. */
const longestLogo = 48 * 1024;
const path = '/clients/:client_id/logo';
/** The images stay out of the audit trail. */
const logoChanged = { fields: ['logo'], changes: [{ field: 'logo' }] };
const done = Type.Null({ description: 'Done' });
const png = {
  description: 'The logo',
  content: { 'image/png': { schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }) } },
};

/** `PUT`, `GET` and `DELETE /clients/:client_id/logo`: pages show the logo next to the name of the client. */
export async function registerClientLogos(app: FastifyInstance, deps: Dependencies): Promise<void> {
  const { operations, clientLogoAdministration: logos } = deps;
  const { describe, authorOf, told, record } = operations;

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('image/png', { parseAs: 'buffer' }, (_request, body, next) => next(null, body));
    scope.put<{ Params: ClientParams; Body: Buffer }>(
      path,
      {
        ...describe('putClientLogo', 'Put the logo of a client', { 204: done }, [404, 409], {
          description: 'A PNG image of at most 48 KiB and 2048 by 2048 pixels.',
          consumes: ['image/png'],
          params: ClientParams,
        }),
        bodyLimit: longestLogo,
      },
      async (request, reply) => {
        if (!Buffer.isBuffer(request.body)) throw new ProblemError(415, 'send the logo as image/png');
        const putting = logos.put(request.params.client_id, request.body, authorOf(request));
        await record(request, 'client.changed', await told(request, putting), logoChanged);
        return reply.code(204).send();
      },
    );
  });
  app.get<{ Params: ClientParams }>(
    path,
    describe('getClientLogo', 'Read the logo of a client', { 200: png }, [404], { params: ClientParams }),
    async (request, reply) => {
      const { bytes } = await logos.get(request.params.client_id);
      return sendImage(reply, { mediaType: 'image/png', bytes }, 'no-store');
    },
  );
  app.delete<{ Params: ClientParams }>(
    path,
    describe('deleteClientLogo', 'Delete the logo of a client', { 204: done }, [404, 409], { params: ClientParams }),
    async (request, reply) => {
      const deleting = logos.delete(request.params.client_id, authorOf(request));
      await record(request, 'client.changed', await told(request, deleting), logoChanged);
      return reply.code(204).send();
    },
  );
}

interface AssetDependencies {
  clients: Pick<ClientStore, 'findRecent'>;
  clientLogos: Pick<ClientLogoStore, 'find'>;
}

const AssetParams = Type.Object({ client_id: Type.String({ pattern: clientIdPattern }) });

/** `GET /assets/clients/:client_id/logo.png`: the logo as pages show it. The query of their links names its version. */
export function registerClientLogoAssets(app: FastifyInstance, { clients, clientLogos }: AssetDependencies): void {
  app.get<{ Params: ClientParams }>(
    '/assets/clients/:client_id/logo.png',
    { schema: { hide: true, params: AssetParams }, logLevel: 'warn' },
    async ({ params }, reply) => {
      const client = await clients.findRecent(params.client_id);
      const logo = client && (await clientLogos.find(client));
      if (logo === undefined) return reply.callNotFound();
      return sendImage(reply, { mediaType: 'image/png', bytes: logo.bytes }, 'public, max-age=3600');
    },
  );
}
