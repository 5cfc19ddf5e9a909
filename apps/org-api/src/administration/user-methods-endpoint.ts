import { Delivery, foldUsername, ProblemError, UserMethods } from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { rolesOf } from '../callers/authenticate-bearer-endpoint.ts';
import type { DemandAdministrationLevel } from '../callers/demand-level.ts';
import type { Invitations } from '../links/invitations.ts';
import { isInvitable } from '../mailed-links/make-link.ts';
import type { MethodAdministration } from '../methods/administer-methods.ts';
import { Invitation } from './user-invitations-endpoint.ts';
import { describeOperation, NoContent, type UserOperations, UserParams, userPath } from './user-operations-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  methodAdministration: MethodAdministration;
  invitations: Pick<Invitations, 'invite'>;
  demandAdministrationLevel: DemandAdministrationLevel;
}

type Params = Static<typeof UserParams>;

const PasskeyParams = Type.Object({
  ...UserParams.properties,
  id: Type.String({
    description: 'Of a passkey, as `GET …/methods` lists it',
    examples: ['0192f6a4-0000-7000-8000-000000000000'],
  }),
});

const MethodsReset = Type.Object(
  {
    password: Type.Optional(Type.Boolean({ description: 'Whether the password goes, too', default: false })),
    deliver: Type.Optional(Delivery),
  },
  { additionalProperties: false, examples: [{ password: true }] },
);
const MethodsResetResult = Type.Object({ invitation: Type.Union([Invitation, Type.Null()]) });

const failures = [400, 404];

/** `GET …/methods`, for users too; `DELETE` of a method, for a SystemAdministrator. */
export function registerUserMethods(app: FastifyInstance, deps: Dependencies): void {
  const { operations, methodAdministration } = deps;
  registerReset(app, deps);
  const list = describeOperation('getUserMethods', 'Read the methods of a user', { 200: UserMethods }, failures, {
    description: 'How the user signs in. Users read their own with a token of a first-party client.',
    params: UserParams,
  });
  app.get<{ Params: Params }>(
    `${userPath}/methods`,
    { schema: list, onRequest: operations.checkCaller },
    async (request, reply) => {
      checkMayRead(deps, request, request.params.username);
      void reply.header('cache-control', 'no-store');
      return methodAdministration.list(request.params.username);
    },
  );

  const remove = { params: UserParams, description: 'Sessions and tokens of the user are void.' };
  const success = { 204: NoContent };
  app.delete<{ Params: Params & Static<typeof PasskeyParams> }>(
    `${userPath}/methods/passkeys/:id`,
    {
      schema: describeOperation('removeUserPasskey', 'Remove a passkey of a user', success, [...failures, 409], {
        ...remove,
        params: PasskeyParams,
      }),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const { username, id } = request.params;
      const user = await methodAdministration.removePasskey(username, id);
      await operations.record(request, user, { type: 'passkey.removed', details: { passkey: id } });
      return reply.code(204).send();
    },
  );
  app.delete<{ Params: Params }>(
    `${userPath}/methods/code-app`,
    {
      schema: describeOperation(
        'removeUserCodeApp',
        'Remove the code app of a user',
        success,
        [...failures, 409],
        remove,
      ),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const user = await methodAdministration.removeCodeApp(request.params.username);
      await operations.record(request, user, { type: 'code_app.removed' });
      return reply.code(204).send();
    },
  );
  app.delete<{ Params: Params }>(
    `${userPath}/methods/recovery-codes`,
    {
      schema: describeOperation(
        'removeUserRecoveryCodes',
        'Remove the recovery codes of a user',
        success,
        [...failures, 409],
        remove,
      ),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const user = await methodAdministration.removeRecoveryCodes(request.params.username);
      await operations.record(request, user, { type: 'recovery_codes.removed' });
      return reply.code(204).send();
    },
  );
  app.delete<{ Params: Params }>(
    `${userPath}/methods/password`,
    {
      schema: describeOperation(
        'removeUserPassword',
        'Remove the password of a user',
        success,
        [...failures, 409],
        remove,
      ),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const user = await methodAdministration.removePassword(request.params.username);
      await operations.record(request, user, { type: 'password.removed' });
      return reply.code(204).send();
    },
  );
}

function registerReset(app: FastifyInstance, { operations, methodAdministration, invitations }: Dependencies): void {
  app.post<{ Params: Params; Body: Static<typeof MethodsReset> }>(
    `${userPath}/methods/reset`,
    {
      schema: describeOperation(
        'resetUserMethods',
        'Reset the methods of a user',
        { 200: MethodsResetResult },
        [...failures, 409],
        {
          description:
            'All passkeys, the code app and the recovery codes go, with `password` the password too. A user without any method is invited. Sessions and tokens of the user are void. Nobody resets the own methods.',
          params: UserParams,
          body: MethodsReset,
        },
      ),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const { username } = request.params;
      const { password = false, deliver } = request.body;
      if (isOwn(operations, request, username))
        throw new ProblemError(403, 'another administrator resets your methods');
      const user = await methodAdministration.reset(username, { password });
      await operations.record(request, user, { type: 'methods.reset', details: { password } });
      const invitation = isInvitable(user) ? await invitations.invite(user, { deliver }) : null;
      if (invitation !== null) await operations.record(request, user, { type: 'user.invited' });
      return reply.header('cache-control', 'no-store').send({ invitation });
    },
  );
}

function isOwn(operations: UserOperations, request: FastifyRequest, username: string): boolean {
  const { user } = operations.callerOf(request);
  return user !== undefined && foldUsername(user.username) === foldUsername(username);
}

/** Throws 403 for another user's methods, and for one's own by a token of a third-party client. */
function checkMayRead(
  { operations, demandAdministrationLevel }: Dependencies,
  request: FastifyRequest,
  username: string,
): void {
  const caller = operations.callerOf(request);
  if (rolesOf(caller).includes('SystemAdministrator')) {
    if (!isOwn(operations, request, username)) demandAdministrationLevel(caller);
    return;
  }
  if (!isOwn(operations, request, username))
    throw new ProblemError(403, 'reading another user’s methods requires SystemAdministrator');
  if (caller.token.visible === undefined) return;
  throw new ProblemError(403, 'a third-party application may not read the methods of a user');
}
