import { directoryPaths, PasswordCheck, type PasswordCheckResult, UserQuery, UserQueryResult } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { CheckService } from '../http/service-auth.ts';
import { buildDirectoryUser } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { VerifyPassword } from '../users/verify-password.ts';

interface Dependencies {
  checkService: CheckService;
  users: UserStore;
  verifyPassword: VerifyPassword;
}

/** What the auth server asks, and nobody else may. Not part of the public API. */
export function registerInternalDirectory(app: FastifyInstance, deps: Dependencies): void {
  const { checkService, users, verifyPassword } = deps;

  app.post<{ Body: PasswordCheck }>(
    directoryPaths.passwordChecks,
    { schema: { hide: true, body: PasswordCheck }, onRequest: checkService },
    async (request): Promise<PasswordCheckResult> => {
      const result = await verifyPassword(request.body);
      return result.outcome === 'verified' ? { ...result, user: buildDirectoryUser(result.user) } : result;
    },
  );

  app.post<{ Body: UserQuery }>(
    directoryPaths.userQueries,
    { schema: { hide: true, body: UserQuery, response: { 200: UserQueryResult } }, onRequest: checkService },
    async (request) => {
      const { ids = [], usernames = [] } = request.body;
      const [byId, byUsername] = await Promise.all([users.findByIds(ids), users.findByUsernames(usernames)]);
      return { users: [...byId, ...byUsername].map(buildDirectoryUser) };
    },
  );
}
