import { readExpectedVersion } from '@gatehouse/service-kit/etag';
import { describeProblems, isGraveAct, requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkHolder, type Dpop } from '../http/dpop.ts';
import type { AdministratorRole, AuthenticatedAdministrator, Author, Change } from './administrator.ts';
import type { AuthenticateAdministrator } from './authenticate-administrator.ts';

/** OpenAPI: administrators call with Basic, Bearer (which signing in at the API reference gives), or DPoP and a proof. */
export const administratorSecurity: Record<string, string[]>[] = [
  { administrator: [] },
  { accessToken: [] },
  { boundAccessToken: [] },
  { signIn: [] },
];

/** Gives the administrator who sends a request; throws what {@link AuthenticateAdministrator} does. */
export type GetAdministrator = (request: FastifyRequest, reply: FastifyReply) => Promise<AuthenticatedAdministrator>;

interface Dependencies {
  authenticateAdministrator: AuthenticateAdministrator;
  dpop: Dpop;
}

/** `roles`: any of these will do. */
export function createAdministratorGuard({ authenticateAdministrator, dpop }: Dependencies) {
  return (roles: readonly AdministratorRole[]): GetAdministrator =>
    async (request, reply) => {
      // Every answer shows a client or a person, so no cache may keep it.
      void reply.header('cache-control', 'no-store');
      return authenticateAdministrator({
        roles,
        authorization: request.headers.authorization,
        context: requestContextOf(request),
        checkHolder: (presented, active) => checkHolder(dpop, { request, reply }, presented, active),
      });
    };
}

export type AdministratorRoutes = ReturnType<typeof createAdministratorRoutes>;

/** The parts that all routes for administrators share: the caller, and the description. */
export function createAdministratorRoutes(tag: string, getAdministrator: GetAdministrator) {
  const administrators = new WeakMap<FastifyRequest, AuthenticatedAdministrator>();
  /** Runs before the body is read: only administrators learn what is wrong with it. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    void administrators.set(request, await getAdministrator(request, reply));
  const administratorOf = (request: FastifyRequest) => administrators.get(request) as AuthenticatedAdministrator;
  /** Runs before the body is checked. */
  const preValidation = async (request: FastifyRequest) => demandFreshSignIn(request, administratorOf(request));
  const authorOf = (request: FastifyRequest): Author => ({
    administrator: administratorOf(request),
    context: requestContextOf(request),
  });
  return {
    authorOf,
    /** The author, and the version that the change is meant for; throws 400. */
    changeOf: (request: FastifyRequest): Change => ({
      ...authorOf(request),
      expected: readExpectedVersion(request.headers['if-match']),
    }),
    /** The options of a route: its schema with the failures of its own, and a caller who must be an administrator. */
    describe: (
      operationId: string,
      summary: string,
      success: object,
      statuses: readonly number[],
      input: object = {},
    ) => ({
      schema: {
        tags: [tag],
        operationId,
        summary,
        security: administratorSecurity,
        ...input,
        response: { ...success, ...describeProblems(...statuses) },
      },
      onRequest,
      preValidation,
    }),
  };
}

/** Throws the 401 of RFC 9470 3 where a grave act takes a fresher sign-in. */
export function demandFreshSignIn(request: FastifyRequest, administrator: AuthenticatedAdministrator): void {
  if (isGraveAct(request)) administrator.demandFreshSignIn();
}
