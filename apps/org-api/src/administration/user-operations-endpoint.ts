import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import { bearerSecurity, describeProblems, isGraveAct } from '@gatehouse/service-kit/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AuthenticateAdministrator, describeDoer } from '../callers/authenticate-administrator-endpoint.ts';
import type { AuthenticateBearer, Caller } from '../callers/authenticate-bearer-endpoint.ts';
import type { DemandFreshSignIn } from '../callers/demand-level.ts';
import { describeGroup, describeMembersChanged, describeUser } from '../events/audit.ts';
import { buildUserDetails, type User } from '../users/user.ts';
import type { MembersChanged } from './administer-groups.ts';

export const usersPath = '/organization/api/organization/user';
export const userPath = `${usersPath}/userId/:username`;

/** The example is the user whom the example of `POST` creates. */
export const UserParams = Type.Object({
  username: Type.String({ description: 'The username, percent-encoded', examples: ['ursula@example.com'] }),
});
export const NoContent = Type.Null({ description: 'Done' });

interface Dependencies {
  authenticateBearer: AuthenticateBearer;
  authenticateAdministrator: AuthenticateAdministrator;
  demandFreshSignIn: DemandFreshSignIn;
  authenticateReader: AuthenticateAdministrator;
  audit: Pick<AuditTrail, 'write'>;
}

export type UserOperations = ReturnType<typeof createUserOperations>;

/** The parts that the endpoints of user administration share: the check of the caller, the answer, and the audit entries. */
export function createUserOperations(deps: Dependencies) {
  const { authenticateBearer, authenticateAdministrator, authenticateReader, demandFreshSignIn, audit } = deps;
  const callers = new WeakMap<FastifyRequest, Caller>();
  const callerOf = (request: FastifyRequest) => callers.get(request) as Caller;
  return {
    callerOf,
    /** The hooks of a route. Throw 401, for a grave act by an old sign-in too, and 403 for a caller who is no SystemAdministrator. */
    byAdministrator: {
      async onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
        callers.set(request, await authenticateAdministrator(request, reply));
      },
      async preValidation(request: FastifyRequest): Promise<void> {
        if (isGraveAct(request)) demandFreshSignIn(callerOf(request));
      },
    },
    /** Throws 401, and 403 for a caller without a role. */
    async checkReader(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      callers.set(request, await authenticateReader(request, reply));
    },
    /** Throws 401. The handler checks the rights. */
    async checkCaller(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      callers.set(request, await authenticateBearer(request, reply));
    },
    /** The user as the caller may see it. */
    show: (request: FastifyRequest, user: User) => buildUserDetails(user, callerOf(request).token.visible),
    record(
      request: FastifyRequest,
      user: User,
      ...entries: readonly Pick<AuditEntry, 'type' | 'reason' | 'details'>[]
    ): Promise<void> {
      const common = { ...describeDoer(callerOf(request), request), subject: describeUser(user) };
      return audit.write(...entries.map((entry) => ({ ...common, ...entry })));
    },
    /** The events of groups whose members changed. */
    recordMembers(request: FastifyRequest, changed: readonly MembersChanged[]): Promise<void> {
      const doer = describeDoer(callerOf(request), request);
      const entries = changed.flatMap((one) =>
        describeMembersChanged(one).map((entry) => ({ ...doer, subject: describeGroup(one.group), ...entry })),
      );
      return audit.write(...entries);
    },
  };
}

/** The OpenAPI schema of an operation; `failures`: the statuses of its own. */
export function describeOperation<const Parts extends object>(
  operationId: string,
  summary: string,
  success: Record<number, object>,
  failures: readonly number[],
  parts: Parts,
) {
  const response = { ...success, ...describeProblems(...failures) };
  return { tags: ['users'], operationId, summary, security: bearerSecurity, response, ...parts };
}
