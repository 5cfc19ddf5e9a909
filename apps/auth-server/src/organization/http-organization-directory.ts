import { OverloadedError, type RequestContext } from '@gatehouse/service-kit';
import { createBatchedLookup, createRecentLookup } from '@gatehouse/service-kit/database';
import { requestIdHeader } from '@gatehouse/service-kit/http';
import type { TraceHeaders } from '@gatehouse/service-kit/tracing';
import {
  type CodeCheck,
  type CodeCheckResult,
  type DirectorySettings,
  type DirectoryUser,
  directoryPaths,
  type MethodChange,
  type MethodChangeResult,
  type MethodQuery,
  type MethodQueryResult,
  type PasskeyCheck,
  type PasskeyCheckResult,
  type PasswordCheck,
  type PasswordCheckResult,
  type UserQuery,
  type UserQueryResult,
} from '@gatehouse/shared';
import { type Dispatcher, Pool } from 'undici';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';
import type { DirectoryPath, FollowCall } from './follow-organization.ts';
import type {
  NewMethod,
  OrganizationDirectory,
  PasswordCredentials,
  PasswordOutcome,
  ProvenUser,
} from './organization-directory.ts';
import type { IssueServiceToken } from './service-token.ts';
import {
  isAboutTheQuestion,
  isMalformedQuestion,
  isUnknownQuestion,
  UnansweredQuestionError,
} from './unanswered-question.ts';

/** Characters, well beyond what a username or a password may have. */
const longestText = 4096;
const longestCode = 255;

/**
 * Milliseconds after which a user in demand is looked up again while requests go on, and for which users are gathered for
 * one call: a call takes a write at org-api.
 */
const renewAfter = 500;
const gatherFor = 25;

interface Dependencies {
  /** Base URL of org-api. */
  url: string;
  /** PEM certificates to trust there; undefined: those that Node.js trusts. */
  ca: string | undefined;
  issueServiceToken: IssueServiceToken;
  /** Lets org-api go on with the trace of the request. */
  traceHeaders: TraceHeaders;
  followCall: FollowCall;
}

/** Kept-alive connections to org-api, and what a call over them takes. */
interface Connection extends Omit<Dependencies, 'url' | 'ca'> {
  pools: Readonly<Record<DirectoryPath, Pool>>;
  /** Path of the base URL; stands before each path. */
  prefix: string;
}

/** Asks org-api over kept-alive connections. */
export function createHttpOrganizationDirectory(deps: Dependencies): OrganizationDirectory {
  const connection = openConnection(deps);
  /** One call for all who are looked up at the same moment; it carries the request id of the first. */
  const findByIds = async (ids: readonly string[], context: RequestContext) => {
    const users = await findUsers(connection, { ids: [...ids] }, context);
    return new Map(users.map((user) => [user.id, user]));
  };
  const isForAll = (error: unknown) => !isAboutTheQuestion(error);
  const findUserById = createBatchedLookup(findByIds, { isForAll });
  const renewal = { after: renewAfter, lookup: createBatchedLookup(findByIds, { isForAll, gatherFor }) };
  const recentUsers = createRecentLookup(findUserById, { renewal });

  return {
    checkPassword: (credentials, context) => checkPassword(connection, credentials, context),
    checkCode: (check, context) => checkCode(connection, check, context),
    checkPasskey: (check, context) => {
      const content: PasskeyCheck = { ...check, ...describeCaller(context) };
      return post<PasskeyCheckResult>(connection, directoryPaths.passkeyChecks, content, context);
    },
    listMethods: (userId, context) => {
      const content: MethodQuery = { userId };
      return post<MethodQueryResult>(connection, directoryPaths.methodQueries, content, context);
    },
    addMethod: (proven, method, context) => addMethod(connection, proven, method, context),
    readSettings: (context) => readSettings(connection, context),
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

function openConnection({ url, ca, ...rest }: Dependencies): Connection {
  const { origin: target, pathname } = new URL(url);
  const open = (connections: number, timeout: number) =>
    new Pool(target, {
      connections,
      connectTimeout: 2_000,
      ...(ca === undefined ? {} : { connect: { ca } }),
      headersTimeout: timeout,
      bodyTimeout: timeout,
      keepAliveTimeout: 30_000,
    });
  // Password checks wait for their turn at the other end, up to 5 s to be drawn and 5 s to be hashed. So they have connections of their
  // own, and nothing else waits behind them.
  const pools = {
    [directoryPaths.passwordChecks]: open(768, 12_000),
    [directoryPaths.userQueries]: open(64, 8_000),
    [directoryPaths.codeChecks]: open(64, 12_000),
    [directoryPaths.passkeyChecks]: open(64, 8_000),
    [directoryPaths.methodQueries]: open(16, 8_000),
    [directoryPaths.methodChanges]: open(16, 12_000),
    [directoryPaths.settings]: open(2, 8_000),
  };
  return { ...rest, pools, prefix: pathname === '/' ? '' : pathname };
}

async function checkPassword(
  connection: Connection,
  { username, password, knownBrowsers }: PasswordCredentials,
  context: RequestContext,
): Promise<PasswordOutcome> {
  // A text that is longer than any username or password may be is wrong also when cut, and counts as a wrong guess.
  const check: PasswordCheck = {
    username: username.slice(0, longestText),
    password: password.slice(0, longestText),
    address: context.address,
    understands: ['second_step'],
    ...(knownBrowsers !== undefined && knownBrowsers.length > 0 && { knownBrowsers: [...knownBrowsers] }),
  };
  return refuseBusy(await postCheck(connection, check, context));
}

function refuseBusy<Result extends { outcome: string }>(
  result: Result | { outcome: 'busy'; retryAfter: number },
): Exclude<Result, { outcome: 'busy' }> {
  if (result.outcome === 'busy') throw new OverloadedError((result as { retryAfter: number }).retryAfter);
  return result as Exclude<Result, { outcome: 'busy' }>;
}

/** An org-api of the release before refuses a member that it does not know, unread. It has no second steps. */
async function postCheck(
  connection: Connection,
  check: PasswordCheck,
  context: RequestContext,
): Promise<PasswordCheckResult> {
  const ask = (content: PasswordCheck) =>
    post<PasswordCheckResult>(connection, directoryPaths.passwordChecks, content, context);
  try {
    return await ask(check);
  } catch (error) {
    if (!isMalformedQuestion(error) || (await readSettings(connection, context)) !== undefined) throw error;
    const { understands: _unknown, ...rest } = check;
    return ask(rest);
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

async function addMethod(
  connection: Connection,
  { userId, passwordChangedAt }: ProvenUser,
  add: NewMethod,
  context: RequestContext,
) {
  const content: MethodChange = { userId, passwordChangedAt, add, ...describeCaller(context) };
  return refuseBusy(await post<MethodChangeResult>(connection, directoryPaths.methodChanges, content, context));
}

function describeCaller({ address, requestId }: RequestContext) {
  return { address, requestId };
}

async function readSettings(connection: Connection, context: RequestContext): Promise<DirectorySettings | undefined> {
  return post<DirectorySettings>(connection, directoryPaths.settings, {}, context).catch((error: unknown) => {
    if (isUnknownQuestion(error)) return undefined;
    throw error;
  });
}

async function findUsers(connection: Connection, query: UserQuery, context: RequestContext): Promise<DirectoryUser[]> {
  return (await post<UserQueryResult>(connection, directoryPaths.userQueries, query, context)).users;
}

async function post<Answer>(
  connection: Connection,
  path: DirectoryPath,
  content: unknown,
  context: RequestContext,
): Promise<Answer> {
  const body = JSON.stringify(content);
  const call = () => {
    const token = connection.issueServiceToken({ method: 'POST', path, body });
    return connection.followCall(path, () => send<Answer>(connection, { path, body, token }, context));
  };
  try {
    return await call().catch((error: unknown) => {
      if (isSafeToRepeat(path, error)) return call();
      throw error;
    });
  } catch (error) {
    throw new OrganizationUnavailableError('the organization is out of reach', { cause: error });
  }
}

async function send<Answer>(
  { pools, prefix, traceHeaders }: Connection,
  { path, body, token }: { path: DirectoryPath; body: string; token: string },
  { requestId }: RequestContext,
): Promise<Answer> {
  const response = await pools[path].request({
    method: 'POST',
    path: prefix + path,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      [requestIdHeader]: requestId,
      ...traceHeaders(),
    },
    body,
  });
  return readAnswer<Answer>(response);
}

async function readAnswer<Answer>({ statusCode, body }: Dispatcher.ResponseData): Promise<Answer> {
  if (statusCode === 200) return (await body.json()) as Answer;
  await body.dump();
  if (statusCode === 400 || statusCode === 404 || statusCode === 500) throw new UnansweredQuestionError(statusCode);
  throw new Error(`the organization answered ${statusCode}`);
}

/**
 * Where the replica at the other end stopped, another answers. A query changes nothing; a check of a password may have
 * been counted as a guess before the connection broke, and must not count twice. A code may have been used up.
 */
function isSafeToRepeat(path: DirectoryPath, error: unknown): boolean {
  const isQuery = path === directoryPaths.userQueries || path === directoryPaths.methodQueries;
  return isQuery && isBrokenConnection(error);
}

/** Whether a connection ended while it was in use, as one does that was kept alive and then closed. */
function isBrokenConnection(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
