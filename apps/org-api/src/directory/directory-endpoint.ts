import { OverloadedError } from '@gatehouse/service-kit';
import { directoryPaths, PasswordCheck, type PasswordCheckResult, UserQuery, UserQueryResult } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { ServiceAuthentication } from '../callers/authenticate-service-endpoint.ts';
import type { VerifyPassword } from '../passwords/verify-password.ts';
import { buildDirectoryUser } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

interface Dependencies {
  serviceAuthentication: ServiceAuthentication;
  users: UserStore;
  verifyPassword: VerifyPassword;
}

/** The routes that only the auth server may call. They are no part of the public API. */
export async function registerDirectory(app: FastifyInstance, deps: Dependencies): Promise<void> {
  const { serviceAuthentication, users, verifyPassword } = deps;
  const { checkToken, checkFirstUse } = serviceAuthentication;

  await app.register(async (scope) => {
    checkBodies(scope, serviceAuthentication);

    scope.post<{ Body: PasswordCheck }>(
      directoryPaths.passwordChecks,
      { schema: { hide: true, body: PasswordCheck }, onRequest: checkToken },
      async (request): Promise<PasswordCheckResult> => {
        await checkFirstUse(request);
        const result = await verifyPassword(request.body).catch(toBusy);
        return result.outcome === 'verified' ? { ...result, user: buildDirectoryUser(result.user) } : result;
      },
    );

    scope.post<{ Body: UserQuery }>(
      directoryPaths.userQueries,
      { schema: { hide: true, body: UserQuery, response: { 200: UserQueryResult } }, onRequest: checkToken },
      async (request) => {
        const { ids = [], usernames = [] } = request.body;
        // A query changes nothing, so it runs while its token is used up.
        const [byId, byUsername] = await Promise.all([
          users.findByIds(ids),
          users.findByUsernames(usernames),
          checkFirstUse(request),
        ]);
        return { users: [...byId, ...byUsername].map(buildDirectoryUser) };
      },
    );
  });
}

/** Compares each body with its token before anything reads it as JSON. */
function checkBodies(scope: FastifyInstance, { checkBody }: ServiceAuthentication): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      checkBody(request, body);
    } catch (error) {
      done(error as Error);
      return;
    }
    void parseJson(request, body.toString(), done);
  });
}

/** Turns an OverloadedError into `busy`, so that the auth server does not take org-api for unreachable. */
function toBusy(error: unknown): PasswordCheckResult & { outcome: 'busy' } {
  if (!(error instanceof OverloadedError)) throw error;
  return { outcome: 'busy', retryAfter: error.retryAfter ?? 1 };
}
