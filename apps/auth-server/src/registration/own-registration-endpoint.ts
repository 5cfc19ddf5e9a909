import { requestContextOf } from '@gatehouse/service-kit/http';
import { clientIdPattern } from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { buildSettingsView } from '../administration/client-view.ts';
import { listFieldChanges } from '../administration/field-changes.ts';
import { getJsonBody } from '../administration/registration-body.ts';
import { isOpenlyRegistered } from '../clients/client.ts';
import type { RecordFact } from '../events/event.ts';
import { MissingTokenError } from '../http/missing-token.ts';
import { readByHand } from '../http/oauth-endpoint.ts';
import { buildClientInformation } from './client-information.ts';
import { checkOpenBody, DynamicClientMetadata } from './dynamic-client-body.ts';
import type { OwnRegistration, OwnRequest } from './own-registration.ts';
import { findBearerToken } from './registration-endpoint.ts';

interface Dependencies {
  config: { authUrl: string };
  ownRegistration: OwnRegistration;
  record: RecordFact;
}

const path = '/oauth/register/:client_id';
const Params = Type.Object({ client_id: Type.String({ pattern: clientIdPattern }) });
type Route = { Params: Static<typeof Params> };

const success = { 200: Type.Ref('ClientInformation') };
const describe = (operationId: string, summary: string, response: object, input: object = {}) => ({
  schema: {
    tags: ['registration'],
    operationId,
    summary,
    description: 'RFC 7592. For the holder of the registration access token.',
    security: [{ registrationAccessToken: [] }] as Record<string, string[]>[],
    params: Params,
    ...input,
    response: response as Record<number, object>,
  },
  ...readByHand,
});

/** `GET`, `PUT` and `DELETE` of a `registration_client_uri` (RFC 7592 2), also while no client may register. */
export function registerOwnRegistration(app: FastifyInstance, deps: Dependencies): void {
  registerRead(app, deps);
  registerReplacement(app, deps);
  registerDeletion(app, deps);
}

function registerRead(app: FastifyInstance, { config, ownRegistration }: Dependencies): void {
  app.get<Route>(path, describe('getOwnRegistration', 'Read the own registration', success), async (request, reply) => {
    const found = await ownRegistration.read(getOwnRequest(request));
    return reply.header('cache-control', 'no-store').send(buildClientInformation(found, config.authUrl));
  });
}

function registerReplacement(app: FastifyInstance, { config, ownRegistration, record }: Dependencies): void {
  const body = Type.Object({
    client_id: Type.String({ description: 'Of this registration' }),
    client_secret: Type.Optional(Type.String({ description: 'The current one' })),
    ...DynamicClientMetadata.properties,
  });
  app.put<Route>(
    path,
    describe('replaceOwnRegistration', 'Replace the own registration', success, { body }),
    async (request, reply) => {
      const own = getOwnRequest(request);
      // RFC 7592 2.2: a dead token is told before a fault of the body.
      const { client: seen } = await ownRegistration.read(own);
      const sent = getJsonBody(request.headers['content-type'], request.body);
      if (isOpenlyRegistered(seen)) checkOpenBody(request.body, sent);
      const replaced = await ownRegistration.replace(own, sent);
      const { before, client } = replaced;
      const changes = listFieldChanges(buildSettingsView(before), buildSettingsView(client));
      const details = { fields: listSentFields(sent as object), changes };
      await record({ type: 'client.changed', by: 'itself', client, details, context: requestContextOf(request) });
      return reply.header('cache-control', 'no-store').send(buildClientInformation(replaced, config.authUrl));
    },
  );
}

function registerDeletion(app: FastifyInstance, { ownRegistration, record }: Dependencies): void {
  const done = { 204: Type.Null({ description: 'Done' }) };
  app.delete<Route>(
    path,
    describe('deleteOwnRegistration', 'Delete the own registration', done),
    async (request, reply) => {
      const client = await ownRegistration.delete(getOwnRequest(request));
      await record({ type: 'client.deleted', by: 'itself', client, details: {}, context: requestContextOf(request) });
      return reply.code(204).header('cache-control', 'no-store').send();
    },
  );
}

function getOwnRequest(request: FastifyRequest): OwnRequest {
  const token = findBearerToken(request);
  if (token === undefined) throw new MissingTokenError('the registration access token is required; send it by Bearer');
  return { clientId: (request.params as Static<typeof Params>).client_id, token };
}

/** The names that the server knows. Other names stay out of the audit trail: people write anything there. */
function listSentFields(sent: object): string[] {
  return Object.keys(sent).filter((name) => Object.hasOwn(DynamicClientMetadata.properties, name));
}
