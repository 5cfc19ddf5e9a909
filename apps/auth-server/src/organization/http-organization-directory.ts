import { requestIdHeader } from '@gatehouse/service-kit';
import { directoryPaths, type PasswordCheck, type PasswordCheckResult, type UserQueryResult } from '@gatehouse/shared';
import { type Dispatcher, Pool } from 'undici';
import type { Origin } from '../origin.ts';
import { type OrganizationDirectory, OrganizationUnavailableError } from './organization-directory.ts';

/** Characters, well beyond what a username or a password may have. */
const longestText = 4096;

interface Dependencies {
  /** Base URL of org-api. */
  url: string;
  /** A JWT that proves to org-api that this is the auth server. */
  issueServiceToken(): string;
}

/** Asks org-api over kept-alive connections. */
export function createHttpOrganizationDirectory({ url, issueServiceToken }: Dependencies): OrganizationDirectory {
  const { origin: target, pathname } = new URL(url);
  const prefix = pathname === '/' ? '' : pathname;
  const pool = new Pool(target, {
    connections: 64,
    connectTimeout: 2_000,
    headersTimeout: 8_000,
    bodyTimeout: 8_000,
    keepAliveTimeout: 30_000,
  });

  const post = async <Answer>(path: string, body: unknown, { requestId }: Origin): Promise<Answer> => {
    try {
      const response = await pool.request({
        method: 'POST',
        path: prefix + path,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${issueServiceToken()}`,
          [requestIdHeader]: requestId,
        },
        body: JSON.stringify(body),
      });
      return await readAnswer<Answer>(response);
    } catch (error) {
      throw new OrganizationUnavailableError('the organization is out of reach', { cause: error });
    }
  };
  const findUser = async (query: object, origin: Origin) =>
    (await post<UserQueryResult>(directoryPaths.userQueries, query, origin)).users[0];

  return {
    checkPassword({ username, password }, origin) {
      // What is longer than any username or password may be is wrong also when cut, and counts as a wrong guess.
      const check: PasswordCheck = {
        username: username.slice(0, longestText),
        password: password.slice(0, longestText),
        address: origin.address,
      };
      return post<PasswordCheckResult>(directoryPaths.passwordChecks, check, origin);
    },
    findUserById: (id, origin) => findUser({ ids: [id] }, origin),
    findUserByUsername: (username, origin) => findUser({ usernames: [username] }, origin),
    close: () => pool.close(),
  };
}

async function readAnswer<Answer>({ statusCode, body }: Dispatcher.ResponseData): Promise<Answer> {
  if (statusCode === 200) return (await body.json()) as Answer;
  await body.dump();
  throw new Error(`the organization answered ${statusCode}`);
}
