import type { RequestContext } from '@gatehouse/service-kit';
import { requestIdHeader } from '@gatehouse/service-kit/http';
import type { TraceHeaders } from '@gatehouse/service-kit/tracing';
import { directoryPaths } from '@gatehouse/shared';
import { type Dispatcher, Pool } from 'undici';
import { OrganizationUnavailableError } from '../protocol/organization-unavailable.ts';
import type { DirectoryPath, FollowCall } from './follow-organization.ts';
import type { IssueServiceToken } from './service-token.ts';
import { UnansweredQuestionError } from './unanswered-question.ts';

export interface ConnectionOptions {
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
export interface Connection extends Omit<ConnectionOptions, 'url' | 'ca'> {
  pools: Readonly<Record<DirectoryPath, Pool>>;
  /** Path of the base URL; stands before each path. */
  prefix: string;
}

export function openConnection({ url, ca, ...rest }: ConnectionOptions): Connection {
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
    [directoryPaths.accountData]: open(16, 8_000),
    [directoryPaths.profileChanges]: open(4, 8_000),
    [directoryPaths.linkRequests]: open(8, 8_000),
    [directoryPaths.linkUses]: open(8, 12_000),
    [directoryPaths.settings]: open(2, 8_000),
    [directoryPaths.findings]: open(4, 8_000),
    [directoryPaths.upstreamSignIns]: open(16, 8_000),
  };
  return { ...rest, pools, prefix: pathname === '/' ? '' : pathname };
}

interface PostOptions {
  /** Whether the connection is closed after the answer, so that the next question may meet another replica. */
  closes?: boolean;
}

/** Asks a question. Throws an {@link OrganizationUnavailableError}. */
export async function post<Answer>(
  connection: Connection,
  path: DirectoryPath,
  content: unknown,
  context: RequestContext,
  { closes = false }: PostOptions = {},
): Promise<Answer> {
  const body = JSON.stringify(content);
  const call = () => {
    const token = connection.issueServiceToken({ method: 'POST', path, body });
    return connection.followCall(path, () => send<Answer>(connection, { path, body, token, closes }, context));
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
  { path, body, token, closes }: { path: DirectoryPath; body: string; token: string; closes: boolean },
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
    reset: closes,
  });
  return readAnswer<Answer>(response);
}

async function readAnswer<Answer>({ statusCode, body }: Dispatcher.ResponseData): Promise<Answer> {
  if (statusCode === 200) return (await body.json()) as Answer;
  await body.dump();
  if (statusCode === 400 || statusCode === 404 || statusCode === 500) throw new UnansweredQuestionError(statusCode);
  throw new Error(`the organization answered ${statusCode}`);
}

const queries: ReadonlySet<string> = new Set([
  directoryPaths.userQueries,
  directoryPaths.methodQueries,
  directoryPaths.accountData,
  directoryPaths.findings,
]);

/**
 * Where the replica at the other end stopped, another answers. A query changes nothing; a check of a password may have
 * been counted as a guess before the connection broke, and must not count twice. A code may have been used up.
 */
function isSafeToRepeat(path: DirectoryPath, error: unknown): boolean {
  return queries.has(path) && isBrokenConnection(error);
}

/** Whether a connection ended while it was in use, as one does that was kept alive and then closed. */
function isBrokenConnection(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
