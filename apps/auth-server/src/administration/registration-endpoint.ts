import { OverloadedError } from '@gatehouse/service-kit';
import {
  DryRunQuery,
  describeSharedFailures,
  isDryRun,
  logFailure,
  requestContextOf,
  sendDryRun,
  sendProblem,
  toProblemError,
} from '@gatehouse/service-kit/http';
import {
  clientCreatedText,
  clientCreationFailedText,
  clientRegistrationSchema,
  internalErrorText,
  ProblemError,
  problemMediaType,
} from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Client } from '../clients/client.ts';
import type { RecordFact, Tell } from '../events/event.ts';
import { type AuthenticatedAdministrator, describeAdministrator } from './administrator.ts';
import { administratorSecurity, demandFreshSignIn, type GetAdministrator } from './administrator-routes-endpoint.ts';
import { clientsPaths } from './client-operations-endpoint.ts';
import type { ClientViews } from './client-view.ts';
import { tellMissingRole } from './missing-role.ts';
import type { PlanRegistration, RegisterClient } from './register-client.ts';
import { findClientId, getJsonBody } from './registration-body.ts';

interface Dependencies {
  config: { realm: string };
  getAdministrator: GetAdministrator;
  registerClient: RegisterClient;
  planRegistration: PlanRegistration;
  clientViews: Pick<ClientViews, 'show'>;
  tell: Tell;
  record: RecordFact;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the caller may not register clients; kept until the body is read, because the answer names the client. */
    administratorFailure: unknown;
  }
}

/** `POST /clients`: 401, then 403, then 400, then 500, each as one line of plain text. */
export async function registerClientRegistration(app: FastifyInstance, deps: Dependencies): Promise<void> {
  const { config, getAdministrator, registerClient, planRegistration, clientViews, tell, record } = deps;

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Its failures are described below: its statuses are the documented ones.
    describeSharedFailures(scope, () => ({}));
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    const administratorOf = authenticateEarly(scope, getAdministrator);
    const register = async (request: FastifyRequest, reply: FastifyReply) => {
      const administrator = administratorOf(request);
      const context = requestContextOf(request);
      const author = { administrator, context };
      const body = getJsonBody(request.headers['content-type'], request.body);
      demandFreshSignIn(request, administrator);
      const showsClient = prefersRepresentation(request.headers.prefer);
      if (isDryRun(request)) {
        const planning = planRegistration(body, author, { makesSecret: showsClient });
        const planned = await tellMissingRole(tell, author, findClientId(request.body), planning);
        return sendDryRun(reply, { after: await clientViews.show(planned) });
      }
      const registering = registerClient(body, author, { makesSecret: showsClient });
      const { client, madeSecret, isImported } = await tellMissingRole(
        tell,
        author,
        findClientId(request.body),
        registering,
      );
      const details = { grant_types: client.grantTypes, ...(isImported && { imported: true }) };
      await record({
        type: 'client.registered',
        administrator: describeAdministrator(administrator),
        client,
        details,
        context,
      });
      warnOfImplicit(request, client);
      if (showsClient) {
        const shown = {
          client: await clientViews.show(client),
          ...(madeSecret !== undefined && { client_secret: madeSecret }),
        };
        return reply.code(201).header('preference-applied', 'return=representation').send(shown);
      }
      return reply.type('text/plain; charset=utf-8').send(clientCreatedText(client.clientId, config.realm));
    };
    for (const { path, hide } of clientsPaths) {
      const schema = { ...buildSchema(), hide };
      scope.post(path, { schema, validatorCompiler: () => () => true, errorHandler }, register);
    }
  });
}

/** Authenticates the caller before the body is read. The function that it gives throws the failure, once the body is there. */
function authenticateEarly(
  scope: FastifyInstance,
  getAdministrator: GetAdministrator,
): (request: FastifyRequest) => AuthenticatedAdministrator {
  const administrators = new WeakMap<FastifyRequest, AuthenticatedAdministrator>();
  scope.decorateRequest('administratorFailure', undefined);
  scope.addHook('onRequest', async (request, reply) => {
    try {
      administrators.set(request, await getAdministrator(request, reply));
    } catch (error) {
      request.administratorFailure = error;
    }
  });
  return (request) => {
    if (request.administratorFailure !== undefined) throw request.administratorFailure;
    return administrators.get(request) as AuthenticatedAdministrator;
  };
}

/** RFC 7240: the first of preferences with one name counts. */
function prefersRepresentation(prefer: string | string[] | undefined): boolean {
  const preferences = [prefer ?? []].flat().join(',').split(',');
  const [, value] = preferences.map((one) => /^\s*return\s*=\s*"?(\w+)"?\s*(?:;|$)/i.exec(one)).find(Boolean) ?? [];
  return value?.toLowerCase() === 'representation';
}

function warnOfImplicit({ log }: FastifyRequest, { clientId, grantTypes }: Client): void {
  if (!grantTypes.includes('implicit')) return;
  log.warn({ clientId }, 'client registered for the implicit grant, which is deprecated (RFC 9700 2.1.2)');
}

/** A body that cannot be read does not hide that the caller may not call at all. */
function errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = toFailure(request.administratorFailure ?? error, request.id);
  logFailure(request, failure.status, failure);
  if (request.headers.accept?.includes(problemMediaType)) {
    sendProblem(failure, request, reply);
    return;
  }
  if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter);
  if (failure.challenge !== undefined) void reply.header('www-authenticate', failure.challenge);
  void reply
    .code(failure.status)
    .type('text/plain; charset=utf-8')
    .send(clientCreationFailedText(findClientId(request.body), failure.message));
}

/** The documented statuses: a fault of the body is 400, a failure inside is 500. */
function toFailure(error: unknown, requestId: string): ProblemError {
  const problem = toProblemError(error, requestId);
  // 503 where too many credentials are being checked: nothing is wrong inside, and the caller may come again.
  if (problem.status >= 500 && !(error instanceof OverloadedError)) {
    return new ProblemError(500, internalErrorText(requestId), { cause: error });
  }
  const isDocumented = error instanceof ProblemError;
  return isDocumented ? problem : new ProblemError(400, problem.message);
}

function buildSchema() {
  const text = (description: string, example: string) => ({
    description,
    content: {
      'text/plain': { schema: Type.String({ examples: [example] }) },
    },
  });
  const failure = (description: string) => ({
    description,
    content: {
      'text/plain': { schema: Type.String({ examples: ['creation of client my-app failed: …'] }) },
      [problemMediaType]: { schema: Type.Ref('ProblemDetails') },
    },
  });
  return {
    tags: ['clients'],
    operationId: 'registerClient',
    summary: 'Register a client',
    description:
      'For a SystemAdministrator or IdpAdministrator. The answer is one line of plain text; with `Prefer: return=representation` (RFC 7240) it is the client, and a secret that it needs and does not name is made here.',
    security: administratorSecurity,
    headers: Type.Object({ prefer: Type.Optional(Type.String({ description: '`return=representation`' })) }),
    querystring: DryRunQuery,
    body: clientRegistrationSchema(),
    response: {
      201: Type.Object(
        {
          client: Type.Ref('Client'),
          client_secret: Type.Optional(Type.String({ description: 'Made here; shown this once' })),
        },
        { description: 'Client created, where its representation is preferred' },
      ),
      200: text('Client created', 'client my-app created successfully under realm main'),
      400: failure('The body is not good'),
      401: failure('The credentials are missing or wrong'),
      403: failure('Neither SystemAdministrator nor IdpAdministrator; the Robot has a role that the caller lacks'),
      409: failure('The client_id belongs to the configuration'),
      429: failure('Too many wrong credentials from this address'),
      500: failure('Internal error'),
      503: failure('Too many credentials are being checked at the moment'),
    },
  };
}
