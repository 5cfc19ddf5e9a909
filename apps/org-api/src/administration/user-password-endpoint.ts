import type { AuditTrail } from '@gatehouse/service-kit/audit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { fieldsProblem, foldUsername, levels, PasswordChange, ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { AskLocalRefusals } from '../callers/ask-local-refusals.ts';
import { describeDoer } from '../callers/authenticate-administrator-endpoint.ts';
import { type Caller, rolesOf } from '../callers/authenticate-bearer-endpoint.ts';
import type { DemandAdministrationLevel, DemandFreshSignIn, DemandLevel } from '../callers/demand-level.ts';
import { describeUser } from '../events/audit.ts';
import type { Outbox } from '../mails/outbox.ts';
import type { ChangeOwnPassword, SetPassword } from '../passwords/set-password.ts';
import type { User } from '../users/user.ts';
import { describeOperation, NoContent, type UserOperations, UserParams, userPath } from './user-operations-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  setPassword: SetPassword;
  changeOwnPassword: ChangeOwnPassword;
  askLocalRefusals: AskLocalRefusals;
  audit: Pick<AuditTrail, 'note'>;
  mails: Pick<Outbox, 'notify'>;
  demandLevel: DemandLevel;
  demandAdministrationLevel: DemandAdministrationLevel;
  demandFreshSignIn: DemandFreshSignIn;
}

interface SetPasswordRoute {
  Body: PasswordChange;
  Params: Static<typeof UserParams>;
}

/** `PUT …/password`: for a SystemAdministrator, and for users who set their own. */
export function registerUserPassword(app: FastifyInstance, deps: Dependencies): void {
  const { operations, mails } = deps;
  const schema = describeOperation('setUserPassword', 'Set a password', { 204: NoContent }, [404, 429], {
    description:
      'A SystemAdministrator sets anybody’s; users set their own, with the old one, and where they have a second step, by a token of a sign-in with it within ten minutes: else 401 `insufficient_user_authentication` (RFC 9470). Tokens issued before are void.',
    params: UserParams,
    body: PasswordChange,
  });
  // Runs before the body is validated: a request without a token learns nothing about its body.
  const onRequest = operations.checkCaller;
  app.put<SetPasswordRoute>(`${userPath}/password`, { schema, onRequest }, async (request, reply) => {
    const user = await setPasswordOf(deps, request, request.params.username, request.body);
    await operations.record(request, user, { type: 'user.password_changed' });
    const isOwn = operations.callerOf(request).user?.id === user.id;
    await mails.notify(user, 'password_changed', isOwn ? requestContextOf(request) : {});
    return reply.code(204).send();
  });
}

/** Throws 401 where users with a second step set their own password, and did not sign in with it within ten minutes. */
function checkSignIn({ demandLevel }: Dependencies, caller: Caller, username: string): void {
  const { user } = caller;
  if (user?.secondStep !== true || foldUsername(user.username) !== foldUsername(username)) return;
  demandLevel(caller, { acr: levels[1], maxAge: 600 });
}

async function setPasswordOf(
  deps: Dependencies,
  request: FastifyRequest,
  username: string,
  change: PasswordChange,
): Promise<User> {
  const { operations, audit } = deps;
  const { address } = requestContextOf(request);
  const caller = operations.callerOf(request);
  checkSignIn(deps, caller, username);
  if (rolesOf(caller).includes('SystemAdministrator')) {
    deps.demandAdministrationLevel(caller);
    deps.demandFreshSignIn(caller);
    return deps.setPassword(username, change, address);
  }
  const { user } = caller;
  if (user === undefined || foldUsername(user.username) !== foldUsername(username)) {
    audit.note({ type: 'administrator.refused', reason: 'role_missing', ...describeDoer(caller, request) });
    throw new ProblemError(403, 'setting another user’s password requires SystemAdministrator');
  }
  const askLocalRefusals = () => deps.askLocalRefusals(request.headers.authorization);
  if (await deps.changeOwnPassword(user, change, { address, askLocalRefusals })) return user;
  const refused = { type: 'user.password_change_refused', reason: 'wrong_credentials' } as const;
  audit.note({ ...refused, ...describeDoer(caller, request), subject: describeUser(user) });
  throw fieldsProblem([{ field: 'oldPassword', detail: 'must be the current password' }]);
}
