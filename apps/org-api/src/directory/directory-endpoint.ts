import { OverloadedError } from '@gatehouse/service-kit';
import { bodyLimit } from '@gatehouse/service-kit/http';
import {
  AccountQuery,
  type AccountQueryResult,
  CodeCheck,
  type CodeCheckResult,
  type DirectoryFindings,
  type DirectorySettings,
  directoryPaths,
  FindingsQuery,
  LinkRequest,
  type LinkRequestResult,
  LinkUse,
  type LinkUseResult,
  MethodChange,
  type MethodChangeResult,
  MethodQuery,
  type MethodQueryResult,
  PasskeyCheck,
  type PasskeyCheckResult,
  PasswordCheck,
  type PasswordCheckResult,
  ProfileChange,
  type ProfileChangeResult,
  SettingsQuery,
  UpstreamSignIn,
  type UpstreamSignInResult,
  UserQuery,
  UserQueryResult,
} from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { ServiceAuthentication } from '../callers/authenticate-service-endpoint.ts';
import type { RequestLinks } from '../links/request-link.ts';
import type { UseLink } from '../links/use-link.ts';
import type { CheckCode } from '../methods/check-code.ts';
import type { CheckPasskey } from '../methods/check-passkey.ts';
import type { ListMethods } from '../methods/list-methods.ts';
import type { ChangeProfile } from '../users/change-profile.ts';
import type { DeletedUsers } from '../users/deleted-users.ts';
import { buildDirectoryUser, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { ChangeMethods } from './change-methods.ts';
import type { CheckPassword } from './check-password.ts';
import type { DeleteAccount } from './delete-account.ts';
import type { DescribeAccount } from './describe-account.ts';
import type { ListFindings } from './list-findings.ts';
import type { SignInByUpstream } from './sign-in-by-upstream.ts';

interface Dependencies {
  serviceAuthentication: ServiceAuthentication;
  users: UserStore;
  checkPassword: CheckPassword;
  checkCode: CheckCode;
  checkPasskey: CheckPasskey;
  signInByUpstream: SignInByUpstream;
  listMethods: ListMethods;
  changeMethods: ChangeMethods;
  describeAccount: DescribeAccount;
  changeProfile: ChangeProfile;
  deleteAccount: DeleteAccount;
  requestLinks: RequestLinks;
  useLink: UseLink;
  settings: DirectorySettings;
  deletedUsers: Pick<DeletedUsers, 'listSince'>;
  listFindings: ListFindings;
}

/** The routes that only the auth server may call. They are no part of the public API. */
export async function registerDirectory(app: FastifyInstance, deps: Dependencies): Promise<void> {
  await app.register(async (scope) => {
    checkBodies(scope, deps.serviceAuthentication);
    registerChecks(scope, deps);
    registerMethods(scope, deps);
    registerAccounts(scope, deps);
    registerLinks(scope, deps);
    registerUserQueries(scope, deps);
    registerFindings(scope, deps);
  });
}

function registerChecks(scope: FastifyInstance, deps: Dependencies): void {
  const { checkPassword, checkCode, checkPasskey, signInByUpstream } = deps;
  const { checkToken: onRequest, checkFirstUse } = deps.serviceAuthentication;

  scope.post<{ Body: PasswordCheck }>(
    directoryPaths.passwordChecks,
    { schema: { hide: true, body: PasswordCheck }, onRequest },
    async (request): Promise<PasswordCheckResult> => {
      await checkFirstUse(request);
      return showUser(await checkPassword(request.body).catch(toBusy));
    },
  );

  scope.post<{ Body: CodeCheck }>(
    directoryPaths.codeChecks,
    { schema: { hide: true, body: CodeCheck }, onRequest },
    async (request): Promise<CodeCheckResult> => {
      await checkFirstUse(request);
      return showUser(await checkCode(request.body).catch(toBusy));
    },
  );

  scope.post<{ Body: PasskeyCheck }>(
    directoryPaths.passkeyChecks,
    { schema: { hide: true, body: PasskeyCheck }, onRequest },
    async (request): Promise<PasskeyCheckResult> => {
      await checkFirstUse(request);
      return showUser(await checkPasskey(request.body));
    },
  );

  scope.post<{ Body: UpstreamSignIn }>(
    directoryPaths.upstreamSignIns,
    { schema: { hide: true, body: UpstreamSignIn }, onRequest },
    async (request): Promise<UpstreamSignInResult> => {
      await checkFirstUse(request);
      return showUser(await signInByUpstream(request.body));
    },
  );
}

function registerMethods(scope: FastifyInstance, deps: Dependencies): void {
  const { changeMethods, listMethods } = deps;
  const { checkToken: onRequest, checkFirstUse } = deps.serviceAuthentication;

  scope.post<{ Body: MethodQuery }>(
    directoryPaths.methodQueries,
    { schema: { hide: true, body: MethodQuery }, onRequest },
    async (request): Promise<MethodQueryResult> => {
      await checkFirstUse(request);
      return listMethods(request.body);
    },
  );

  scope.post<{ Body: MethodChange }>(
    directoryPaths.methodChanges,
    { schema: { hide: true, body: MethodChange }, onRequest },
    async (request): Promise<MethodChangeResult> => {
      await checkFirstUse(request);
      return showUser(await changeMethods(request.body).catch(toBusy));
    },
  );

  scope.post<{ Body: SettingsQuery }>(
    directoryPaths.settings,
    { schema: { hide: true, body: SettingsQuery }, onRequest },
    async (request): Promise<DirectorySettings> => {
      await checkFirstUse(request);
      const { deletedAfter, changedAfter } = request.body;
      return {
        ...deps.settings,
        ...(deletedAfter === undefined ? {} : { deletedUsers: await deps.deletedUsers.listSince(deletedAfter) }),
        ...(changedAfter === undefined ? {} : { changedUsers: await deps.users.listChangedSince(changedAfter) }),
      };
    },
  );
}

function registerAccounts(scope: FastifyInstance, deps: Dependencies): void {
  const { describeAccount, changeProfile, deleteAccount } = deps;
  const { checkToken: onRequest, checkFirstUse } = deps.serviceAuthentication;

  scope.post<{ Body: AccountQuery }>(
    directoryPaths.accountData,
    { schema: { hide: true, body: AccountQuery }, onRequest },
    async (request): Promise<AccountQueryResult> => {
      await checkFirstUse(request);
      return describeAccount(request.body);
    },
  );

  scope.post<{ Body: ProfileChange }>(
    directoryPaths.profileChanges,
    { schema: { hide: true, body: ProfileChange }, onRequest },
    async (request): Promise<ProfileChangeResult> => {
      await checkFirstUse(request);
      return showUser(await (request.body.delete === true ? deleteAccount : changeProfile)(request.body));
    },
  );
}

function registerLinks(scope: FastifyInstance, deps: Dependencies): void {
  const { requestLinks, useLink } = deps;
  const { checkToken: onRequest, checkFirstUse } = deps.serviceAuthentication;

  scope.post<{ Body: LinkRequest }>(
    directoryPaths.linkRequests,
    { schema: { hide: true, body: LinkRequest }, onRequest },
    async (request): Promise<LinkRequestResult> => {
      await checkFirstUse(request);
      return requestLinks.take(request.body);
    },
  );

  scope.post<{ Body: LinkUse }>(
    directoryPaths.linkUses,
    { schema: { hide: true, body: LinkUse }, onRequest },
    async (request): Promise<LinkUseResult> => {
      await checkFirstUse(request);
      return useLink(request.body).catch(toBusy);
    },
  );
}

function registerUserQueries(scope: FastifyInstance, { users, serviceAuthentication }: Dependencies): void {
  const { checkToken: onRequest, checkFirstUse } = serviceAuthentication;
  scope.post<{ Body: UserQuery }>(
    directoryPaths.userQueries,
    { schema: { hide: true, body: UserQuery, response: { 200: UserQueryResult } }, onRequest },
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
}

function registerFindings(scope: FastifyInstance, { listFindings, serviceAuthentication }: Dependencies): void {
  const { checkToken: onRequest, checkFirstUse } = serviceAuthentication;
  scope.post(
    directoryPaths.findings,
    { schema: { hide: true, body: FindingsQuery }, onRequest },
    async (request): Promise<DirectoryFindings> => {
      await checkFirstUse(request);
      return listFindings();
    },
  );
}

/** Bytes of a body: auth-server writes the texts of a form as JSON, which has up to six bytes for one. */
const longestBody = 6 * bodyLimit + 1_024;

/** Compares each body with its token before anything reads it as JSON. */
function checkBodies(scope: FastifyInstance, { checkBody }: ServiceAuthentication): void {
  const parseJson = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: longestBody },
    (request, body: Buffer, done) => {
      try {
        checkBody(request, body);
      } catch (error) {
        done(error as Error);
        return;
      }
      void parseJson(request, body.toString(), done);
    },
  );
}

/** The result with the user as auth-server sees it. */
function showUser<Result extends { outcome: string }>(result: Result | (Result & { user: User })) {
  return 'user' in result ? { ...result, user: buildDirectoryUser(result.user) } : result;
}

/** Turns an OverloadedError into `busy`, so that the auth server does not take org-api for unreachable. */
function toBusy(error: unknown): { outcome: 'busy'; retryAfter: number } {
  if (!(error instanceof OverloadedError)) throw error;
  return { outcome: 'busy', retryAfter: error.retryAfter ?? 1 };
}
