import { OverloadedError, type RequestContext } from '@gatehouse/service-kit';
import { createBatchedLookup, createRecentLookup } from '@gatehouse/service-kit/database';
import {
  type AccountQuery,
  type AccountQueryResult,
  type CodeCheck,
  type CodeCheckResult,
  type DirectoryFindings,
  type DirectorySettings,
  type DirectoryUser,
  directoryPaths,
  type LinkRequestResult,
  type LinkUseResult,
  type MethodChange,
  type MethodChangeResult,
  type MethodQueryResult,
  type PasskeyCheck,
  type PasskeyCheckResult,
  type PasswordCheck,
  type PasswordCheckResult,
  type ProfileChange,
  type ProfileChangeResult,
  type SettingsQuery,
  type UpstreamSignInResult,
  type UserQuery,
  type UserQueryResult,
} from '@gatehouse/shared';
import { type Connection, type ConnectionOptions, openConnection, post } from './http-connection.ts';
import type { OrganizationDirectory, PasswordCredentials, PasswordOutcome } from './organization-directory.ts';
import { isAboutTheQuestion, isMalformedQuestion, isUnknownQuestion } from './unanswered-question.ts';

/** Characters, well beyond what a username or a password may have. */
const longestText = 4096;
const longestCode = 255;

/**
 * Milliseconds after which a user in demand is looked up again while requests go on, and for which users are gathered for
 * one call: a call takes a write at org-api.
 */
const renewAfter = 500;
const gatherFor = 25;

/** Asks org-api over kept-alive connections. */
export function createHttpOrganizationDirectory(options: ConnectionOptions): OrganizationDirectory {
  const connection = openConnection(options);
  /** One call for all who are looked up at the same moment; it carries the request id of the first. */
  const findByIds = async (ids: readonly string[], context: RequestContext) => {
    const users = await findUsers(connection, { ids: [...ids] }, context);
    return new Map(users.map((user) => [user.id, user]));
  };
  const isForAll = (error: unknown) => !isAboutTheQuestion(error);
  const findUserById = createBatchedLookup(findByIds, { isForAll });
  const renewal = { after: renewAfter, lookup: createBatchedLookup(findByIds, { isForAll, gatherFor }) };
  const recentUsers = createRecentLookup(findUserById, { renewal });
  const settings = rememberSettings(connection);

  return {
    checkPassword: (credentials, context) => checkPassword(connection, settings, credentials, context),
    checkCode: (check, context) => checkCode(connection, check, context),
    checkPasskey: (check, context) => {
      const content: PasskeyCheck = { ...check, ...describeCaller(context) };
      return post<PasskeyCheckResult>(connection, directoryPaths.passkeyChecks, content, context);
    },
    listMethods: (query, context) => post<MethodQueryResult>(connection, directoryPaths.methodQueries, query, context),
    async changeMethods({ userId, passwordChangedAt }, change, context) {
      const content: MethodChange = { userId, passwordChangedAt, ...change, ...describeCaller(context) };
      return refuseBusy(await post<MethodChangeResult>(connection, directoryPaths.methodChanges, content, context));
    },
    async describeAccount(query, context) {
      const content: AccountQuery = query;
      return (await post<AccountQueryResult>(connection, directoryPaths.accountData, content, context)).account;
    },
    requestLink: (request, context) =>
      post<LinkRequestResult>(
        connection,
        directoryPaths.linkRequests,
        { ...request, ...describeCaller(context) },
        context,
      ),
    useLink: (use, context) =>
      post<LinkUseResult>(connection, directoryPaths.linkUses, { ...use, ...describeCaller(context) }, context),
    signInByUpstream: (signIn, context) =>
      post<UpstreamSignInResult>(
        connection,
        directoryPaths.upstreamSignIns,
        { ...signIn, ...describeCaller(context) },
        context,
      ),
    changeProfile: ({ userId, passwordChangedAt }, changes, context) => {
      const content: ProfileChange = { userId, passwordChangedAt, changes, ...describeCaller(context) };
      return post<ProfileChangeResult>(connection, directoryPaths.profileChanges, content, context);
    },
    deleteAccount: ({ userId, passwordChangedAt }, context) => {
      const content: ProfileChange = {
        userId,
        passwordChangedAt,
        changes: {},
        delete: true,
        ...describeCaller(context),
      };
      return post<ProfileChangeResult>(connection, directoryPaths.profileChanges, content, context);
    },
    readSettings: settings.read,
    listFindings: (context) => unlessUnknown(post<DirectoryFindings>(connection, directoryPaths.findings, {}, context)),
    findUserById,
    async findRecentUser(id, suffices, context) {
      const recent = await recentUsers.find(id, context);
      if (recent !== undefined && suffices(recent)) return recent;
      recentUsers.forget(id);
      const user = await recentUsers.find(id, context);
      return user !== undefined && suffices(user) ? user : undefined;
    },
    findUserByUsername: async (username, context) =>
      (await findUsers(connection, { usernames: [username] }, context))[0],
    async close() {
      await Promise.all(Object.values(connection.pools).map((pool) => pool.close()));
    },
  };
}

async function checkPassword(
  connection: Connection,
  settings: RememberedSettings,
  { username, password, browser, knownBrowsers, localRefusals, secondStepFor = [] }: PasswordCredentials,
  context: RequestContext,
): Promise<PasswordOutcome> {
  // A text that is longer than any username or password may be is wrong also when cut, and counts as a wrong guess.
  const check: PasswordCheck = {
    username: username.slice(0, longestText),
    password: password.slice(0, longestText),
    address: context.address,
    understands: ['second_step'],
    browser,
    ...(localRefusals !== undefined && { localRefusals }),
    ...(knownBrowsers !== undefined && knownBrowsers.length > 0 && { knownBrowsers: [...knownBrowsers] }),
    ...(secondStepFor.length > 0 && { secondStepFor: [...secondStepFor] }),
  };
  return refuseBusy(await postCheck(connection, settings, check, context));
}

function refuseBusy<Result extends { outcome: string }>(
  result: Result | { outcome: 'busy'; retryAfter: number },
): Exclude<Result, { outcome: 'busy' }> {
  if (result.outcome === 'busy') throw new OverloadedError((result as { retryAfter: number }).retryAfter);
  return result as Exclude<Result, { outcome: 'busy' }>;
}

/** How often another replica of org-api is looked for. */
const mostReplicas = 8;

/**
 * An org-api of the release before refuses a member that it does not know, unread. It has no second steps. Once any replica
 * knew settings, an update or a rollback is on its way, and the question goes to a newer one or nowhere.
 */
async function postCheck(
  connection: Connection,
  settings: RememberedSettings,
  check: PasswordCheck,
  context: RequestContext,
): Promise<PasswordCheckResult> {
  const ask = (content: PasswordCheck, closes = false) =>
    post<PasswordCheckResult>(connection, directoryPaths.passwordChecks, content, context, { closes });
  const askOthers = async (tries: number): Promise<PasswordCheckResult> => {
    try {
      return await ask(check, true);
    } catch (error) {
      if (tries <= 1 || !isMalformedQuestion(error)) throw error;
      return askOthers(tries - 1);
    }
  };
  try {
    return await ask(check);
  } catch (error) {
    if (!isMalformedQuestion(error)) throw error;
    if (settings.areKnown() || (await settings.read(context)) !== undefined) return askOthers(mostReplicas);
    const { understands: _unknown, browser: _new, secondStepFor: _newer, knownBrowsers, ...rest } = check;
    const known = knownBrowsers?.map(({ since: _newest, ...browser }) => browser);
    return ask(known === undefined ? rest : { ...rest, knownBrowsers: known });
  }
}

async function checkCode(
  connection: Connection,
  check: Omit<CodeCheck, 'address' | 'requestId'>,
  context: RequestContext,
) {
  const content: CodeCheck = { ...check, code: check.code.slice(0, longestCode), ...describeCaller(context) };
  return refuseBusy(await post<CodeCheckResult>(connection, directoryPaths.codeChecks, content, context));
}

function describeCaller({ address, requestId }: RequestContext) {
  return { address, requestId };
}

type RememberedSettings = ReturnType<typeof rememberSettings>;

/** Reads the settings, and remembers whether an org-api ever had any. */
function rememberSettings(connection: Connection) {
  let known = false;
  return {
    areKnown: () => known,
    async read(context: RequestContext, query?: SettingsQuery): Promise<DirectorySettings | undefined> {
      const found = await readSettings(connection, context, query);
      known ||= found !== undefined;
      return found;
    },
  };
}

async function readSettings(
  connection: Connection,
  context: RequestContext,
  query: SettingsQuery = {},
): Promise<DirectorySettings | undefined> {
  return unlessUnknown(post<DirectorySettings>(connection, directoryPaths.settings, query, context));
}

/** Undefined where the organization does not know the question. */
async function unlessUnknown<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (isUnknownQuestion(error)) return undefined;
    throw error;
  });
}

async function findUsers(connection: Connection, query: UserQuery, context: RequestContext): Promise<DirectoryUser[]> {
  return (await post<UserQueryResult>(connection, directoryPaths.userQueries, query, context)).users;
}
