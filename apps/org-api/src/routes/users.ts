import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import { describeProblems, requestContextOf } from '@gatehouse/service-kit/http';
import { foldUsername, NewUser, PasswordChange, ProblemError, UserChanges } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { describeUser, describeUserChanges, isWrongOldPassword } from '../audit/user-events.ts';
import { type AuthenticateAdministrator, describeDoer } from '../http/administrator.ts';
import { type AuthenticateBearer, type Caller, rolesOf } from '../http/bearer-auth.ts';
import type { UserAdministration } from '../users/administer-users.ts';
import { buildUserDetails, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

interface Dependencies {
  authenticateBearer: AuthenticateBearer;
  userAdministration: UserAdministration;
  users: UserStore;
  authenticateAdministrator: AuthenticateAdministrator;
  audit: AuditTrail;
}

type UserEvent = Pick<AuditEntry, 'type' | 'reason' | 'details'>;

const collection = '/organization/api/organization/user';
const member = `${collection}/userId/:username`;

const UserParams = Type.Object({ username: Type.String({ description: 'The username, percent-encoded' }) });
const ListQuery = Type.Object({
  search: Type.Optional(Type.String({ maxLength: 255, description: 'Start of a username, e-mail address or name' })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{36}$', description: '`nextCursor` of the page before' })),
});

const security = [{ accessToken: [] }];
const failures = (...statuses: number[]) => describeProblems(401, 403, 503, ...statuses);
const NoContent = Type.Null({ description: 'Done' });

/** User administration: SystemAdministrator only, except that users set their own password. */
export function registerUsers(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateBearer, authenticateAdministrator, userAdministration, users, audit } = deps;
  const callers = new WeakMap<FastifyRequest, Caller>();
  const checkAdministrator = async (request: FastifyRequest, reply: FastifyReply) =>
    void callers.set(request, await authenticateAdministrator(request, reply));
  const showTo = (request: FastifyRequest, user: User) =>
    buildUserDetails(user, (callers.get(request) as Caller).token.visible);
  const write = (request: FastifyRequest, user: User, ...entries: readonly UserEvent[]) => {
    const common = { ...describeDoer(callers.get(request) as Caller, request), subject: describeUser(user) };
    return audit.write(...entries.map((entry) => ({ ...common, ...entry })));
  };

  app.post<{ Body: NewUser }>(
    collection,
    {
      schema: {
        tags: ['users'],
        summary: 'Create a user',
        security,
        body: NewUser,
        response: { 201: Type.Ref('UserDetails'), ...failures(400, 409, 413, 415) },
      },
      onRequest: checkAdministrator,
    },
    async (request, reply) => {
      const user = await userAdministration.create(request.body);
      await write(request, user, { type: 'user.created', details: { roles: user.roles } });
      const location = `${collection}/allDetails/userId/${encodeURIComponent(user.username)}`;
      return reply.code(201).header('location', location).send(showTo(request, user));
    },
  );

  app.get<{ Querystring: Static<typeof ListQuery> }>(
    collection,
    {
      schema: {
        tags: ['users'],
        summary: 'List users, a page at a time',
        security,
        querystring: ListQuery,
        response: { 200: Type.Ref('UserPage'), ...failures(400) },
      },
      onRequest: checkAdministrator,
    },
    async (request) => {
      const { search, limit, cursor } = request.query;
      const found = await users.list({ search, after: cursor, limit: limit + 1 });
      const page = found.slice(0, limit);
      const nextCursor = found.length > limit ? page.at(-1)?.id : undefined;
      return { users: page.map((user) => showTo(request, user)), ...(nextCursor === undefined ? {} : { nextCursor }) };
    },
  );

  app.patch<{ Body: UserChanges; Params: Static<typeof UserParams> }>(
    member,
    {
      schema: {
        tags: ['users'],
        summary: 'Change a user',
        description: 'What is left out stays as it is. Disabling a user stops its tokens with the next request.',
        security,
        params: UserParams,
        body: UserChanges,
        response: { 200: Type.Ref('UserDetails'), ...failures(400, 404, 413, 415) },
      },
      onRequest: checkAdministrator,
    },
    async (request) => {
      const user = await userAdministration.change(request.params.username, request.body);
      await write(request, user, ...describeUserChanges(request.body));
      return showTo(request, user);
    },
  );

  app.put<{ Body: PasswordChange; Params: Static<typeof UserParams> }>(
    `${member}/password`,
    {
      schema: {
        tags: ['users'],
        summary: 'Set a password',
        description:
          'A SystemAdministrator sets anybody’s; users set their own, with the old one. Tokens issued before are void.',
        security,
        params: UserParams,
        body: PasswordChange,
        response: { 204: NoContent, ...failures(400, 404, 413, 415, 429) },
      },
      // Runs before the body is validated: a request without a token learns nothing about its body. The handler checks the rights.
      onRequest: async (request, reply) => void callers.set(request, await authenticateBearer(request, reply)),
    },
    async (request, reply) => {
      const user = await setPassword(request, callers.get(request) as Caller, request.params.username, request.body);
      await write(request, user, { type: 'user.password_changed' });
      return reply.code(204).send();
    },
  );

  app.delete<{ Params: Static<typeof UserParams> }>(
    member,
    {
      schema: {
        tags: ['users'],
        summary: 'Delete a user',
        security,
        params: UserParams,
        response: { 204: NoContent, ...failures(404) },
      },
      onRequest: checkAdministrator,
    },
    async (request, reply) => {
      await write(request, await userAdministration.delete(request.params.username), { type: 'user.deleted' });
      return reply.code(204).send();
    },
  );

  async function setPassword(request: FastifyRequest, caller: Caller, username: string, change: PasswordChange) {
    if (rolesOf(caller).includes('SystemAdministrator')) return userAdministration.setPassword(username, change);
    const { user } = caller;
    if (user === undefined || foldUsername(user.username) !== foldUsername(username)) {
      audit.note({ type: 'administrator.refused', reason: 'role_missing', ...describeDoer(caller, request) });
      throw new ProblemError(403, 'setting another user’s password requires SystemAdministrator');
    }
    const { address } = requestContextOf(request);
    await userAdministration.changeOwnPassword(user, change, address).catch((error: unknown) => {
      if (isWrongOldPassword(error, change)) noteWrongOldPassword(request, caller, user);
      throw error;
    });
    return user;
  }

  function noteWrongOldPassword(request: FastifyRequest, caller: Caller, user: User): void {
    const refused = { type: 'user.password_change_refused', reason: 'wrong_credentials' } as const;
    audit.note({ ...refused, ...describeDoer(caller, request), subject: describeUser(user) });
  }
}
