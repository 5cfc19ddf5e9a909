import type { Ending } from '@gatehouse/service-kit';
import { type AuditTrail, erased } from '@gatehouse/service-kit/audit';
import { entityTagOf, readExpectedVersion, VersionHeaders } from '@gatehouse/service-kit/etag';
import { DryRunQuery, isDryRun, requestContextOf, sendDryRun } from '@gatehouse/service-kit/http';
import { mayReadDirectory, NewUser, ProblemError, UserChanges, UserDetails } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AskLocalRefusals } from '../callers/ask-local-refusals.ts';
import { rolesOf } from '../callers/authenticate-bearer-endpoint.ts';
import type { DemandAdministrationLevel, DemandFreshSignIn, DemandLevel } from '../callers/demand-level.ts';
import { describeUserChanges } from '../events/audit.ts';
import type { Invitations } from '../links/invitations.ts';
import type { SendVerification } from '../links/send-verification.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { MethodAdministration } from '../methods/administer-methods.ts';
import type { ChangeOwnPassword, SetPassword } from '../passwords/set-password.ts';
import { getUser } from '../users/get-user.ts';
import type { User } from '../users/user.ts';
import type { UserListStore } from '../users/user-list-store.ts';
import type { UserStore } from '../users/user-store.ts';
import type { UserAdministration, UserChange } from './administer-users.ts';
import { registerUserEmailVerifications } from './user-email-verifications-endpoint.ts';
import { registerUserIdentities } from './user-identities-endpoint.ts';
import { Invitation, registerUserInvitations } from './user-invitations-endpoint.ts';
import { registerUserMethods } from './user-methods-endpoint.ts';
import {
  describeOperation,
  NoContent,
  type UserOperations,
  UserParams,
  userPath,
  usersPath,
} from './user-operations-endpoint.ts';
import { registerUserPassword } from './user-password-endpoint.ts';
import { registerUserList } from './users-list-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  userAdministration: UserAdministration;
  users: UserStore;
  userLists: UserListStore;
  setPassword: SetPassword;
  changeOwnPassword: ChangeOwnPassword;
  askLocalRefusals: AskLocalRefusals;
  methodAdministration: MethodAdministration;
  audit: AuditTrail;
  mails: Pick<Outbox, 'notify'>;
  invitations: Invitations;
  sendVerification: SendVerification;
  demandLevel: DemandLevel;
  demandAdministrationLevel: DemandAdministrationLevel;
  demandFreshSignIn: DemandFreshSignIn;
}

interface RouteDependencies {
  operations: UserOperations;
  userAdministration: UserAdministration;
}

type Params = Static<typeof UserParams>;

/** User administration: SystemAdministrator only, except that others with a role read, and users set their own password. */
export function registerUsers(app: FastifyInstance, deps: Dependencies): void {
  const { userAdministration, users, userLists, invitations } = deps;
  const { operations } = deps;
  registerCreation(app, { operations, userAdministration, invitations });
  registerUserInvitations(app, { operations, invitations });
  registerUserEmailVerifications(app, { ...deps, operations });
  registerUserList(app, { operations, userLists });
  registerRead(app, { operations, users });
  registerChange(app, { operations, userAdministration });
  registerUserPassword(app, { ...deps, operations });
  registerUserMethods(app, { ...deps, operations });
  registerUserIdentities(app, { ...deps, operations });
  registerDeletion(app, { operations, userAdministration });
}

function registerCreation(
  app: FastifyInstance,
  { operations, userAdministration, invitations }: RouteDependencies & { invitations: Invitations },
): void {
  const success = {
    200: Type.Ref('DryRun'),
    201: Type.Object({ ...UserDetails.properties, invitation: Type.Optional(Invitation) }),
  };
  const schema = describeOperation('createUser', 'Create a user', success, [409], {
    querystring: DryRunQuery,
    body: NewUser,
  });
  app.post<{ Body: NewUser }>(usersPath, { schema, ...operations.byAdministrator }, async (request, reply) => {
    if (isDryRun(request)) {
      const planned = await userAdministration.planCreation(request.body);
      return sendDryRun(reply, { after: operations.show(request, planned) });
    }
    const { user, groups } = await userAdministration.create(request.body, requestContextOf(request).address);
    await operations.record(request, user, { type: 'user.created', details: { roles: user.roles } });
    await operations.recordMembers(request, groups);
    const { invite = false, deliver } = request.body;
    const invitation = invite ? await invitations.invite(user, { deliver }) : undefined;
    if (invitation !== undefined) {
      await operations.record(request, user, { type: 'user.invited' });
      void reply.header('cache-control', 'no-store');
    }
    const location = `${usersPath}/allDetails/userId/${encodeURIComponent(user.username)}`;
    return reply
      .code(201)
      .header('location', location)
      .send({ ...operations.show(request, user), ...(invitation && { invitation }) });
  });
}

function registerRead(
  app: FastifyInstance,
  { operations, users }: { operations: UserOperations; users: UserStore },
): void {
  const schema = describeOperation('getUser', 'Read a user', { 200: Type.Ref('UserDetails') }, [404], {
    description:
      'For SystemAdministrator, IdpAdministrator and DirectoryReader. The `ETag` is the version of the user.',
    params: UserParams,
  });
  app.get<{ Params: Params }>(userPath, { schema, onRequest: operations.checkCaller }, async (request, reply) => {
    if (!mayReadDirectory(rolesOf(operations.callerOf(request)))) {
      throw new ProblemError(403, 'reading a user requires SystemAdministrator, IdpAdministrator or DirectoryReader');
    }
    return showVersion(operations, request, reply, await getUser(users, request.params.username));
  });
}

/** Disabling a user ends these. auth-server has them, and alone knows how many. */
const disabling: readonly Ending[] = [
  { what: 'access_tokens' },
  { what: 'refresh_tokens' },
  { what: 'codes' },
  { what: 'sessions' },
];

/** Shows a user with its version, which a change may name. */
function showVersion(operations: UserOperations, request: FastifyRequest, reply: FastifyReply, user: User) {
  void reply.headers({ etag: entityTagOf(user), 'cache-control': 'no-store' });
  return operations.show(request, user);
}

/** The version that a change names, and how its caller sees a user. */
function readChange(operations: UserOperations, request: FastifyRequest): UserChange {
  return {
    expected: readExpectedVersion(request.headers['if-match']),
    show: (user) => operations.show(request, user),
  };
}

function registerChange(app: FastifyInstance, { operations, userAdministration }: RouteDependencies): void {
  const schema = describeOperation('changeUser', 'Change a user', { 200: Type.Ref('UserDetails') }, [404, 409, 412], {
    description:
      'What is left out stays as it is. Disabling a user stops its tokens with the next request. The last SystemAdministrator stays one.',
    params: UserParams,
    querystring: DryRunQuery,
    headers: VersionHeaders,
    body: UserChanges,
  });
  app.patch<{ Body: UserChanges; Params: Params }>(
    userPath,
    { schema, ...operations.byAdministrator },
    async (request, reply) => {
      const by = readChange(operations, request);
      if (isDryRun(request)) {
        const { before, after } = await userAdministration.planChange(request.params.username, request.body, by);
        const ends = before.enabled && !after.enabled ? disabling : [];
        return sendDryRun(reply, {
          before: operations.show(request, before),
          after: operations.show(request, after),
          ends,
        });
      }
      const { user, groups } = await userAdministration.change(request.params.username, request.body, by);
      await operations.record(request, user, ...describeUserChanges(request.body));
      await operations.recordMembers(request, groups);
      return showVersion(operations, request, reply, user);
    },
  );
}

const DeletionQuery = Type.Object({
  ...DryRunQuery.properties,
  erase: Type.Optional(Type.Boolean({ description: '`true`: no name of the user stays in the audit trail' })),
});
type DeletionQuery = Static<typeof DeletionQuery>;

function registerDeletion(app: FastifyInstance, { operations, userAdministration }: RouteDependencies): void {
  const schema = describeOperation(
    'deleteUser',
    'Delete a user',
    { 200: Type.Ref('DryRun'), 204: NoContent },
    [404, 409, 412],
    {
      description:
        'With `erase=true` names and addresses of the user in audit events of both services become `erased` within an hour; ids stay.',
      params: UserParams,
      querystring: DeletionQuery,
      headers: VersionHeaders,
    },
  );
  app.delete<{ Params: Params; Querystring: DeletionQuery }>(
    userPath,
    { schema, ...operations.byAdministrator },
    async (request, reply) => {
      const by = readChange(operations, request);
      if (isDryRun(request)) {
        const before = await userAdministration.planDeletion(request.params.username, by);
        return sendDryRun(reply, {
          before: operations.show(request, before),
          ends: [...disabling, { what: 'consents' }],
        });
      }
      const erases = request.query.erase === true;
      const user = await userAdministration.delete(request.params.username, by, { erases });
      const told = erases ? { ...user, username: erased } : user;
      await operations.record(request, told, { type: erases ? 'user.erased' : 'user.deleted' });
      return reply.code(204).send();
    },
  );
}
