import { directoryPaths, type UserMethods } from '@gatehouse/shared';
import { type Altered, createAuthenticator, showCode } from '@gatehouse/test-kit';
import type { User } from '../../src/users/user.ts';
import { bearer, type Organization } from './organization.ts';

/** RFC 6238 appendix B: `12345678901234567890`. */
export const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
export const address = '192.0.2.1';
/** What auth-server says about the request of the user. */
const request = { address, requestId: 'request-of-the-user' };

export const challenge = Buffer.alloc(64, 7).toString('base64url');
const origin = 'https://auth.example.com';
const rpId = 'auth.example.com';
/** What the answer of a passkey must be an answer to. */
export const expected = { challenge, origin, rpId };

/** Said by an auth-server that asks for the second step. */
export const asksForMore = { understands: ['second_step'] };

export type Answer = Record<string, unknown> & {
  outcome?: string;
  user?: Record<string, unknown>;
  recoveryCodes?: string[];
};

export const codeAt = (now: number) => showCode(secret, 0, now);

type Authenticator = ReturnType<typeof createPasskey>;

export const createPasskey = (options: Partial<Parameters<typeof createAuthenticator>[0]> = {}) =>
  createAuthenticator({ rpId, origin, ...options });

/** A user who has just signed in. */
export const proven = ({ id: userId, passwordChangedAt }: User) => ({ userId, passwordChangedAt, ...request });

/** A browser in which the user signed in long ago. */
export const familiarBrowserOf = ({ id: userId, passwordChangedAt }: User) => ({
  ...{ id: 'browser-of-old', userId, passwordChangedAt },
});

export const bytesOf = ({ id }: Pick<User, 'id'>) => Buffer.from(id.replaceAll('-', ''), 'hex');

type Named = Pick<User, 'username'>;
type Replica = Pick<Organization, 'app'>;

/** What auth-server asks of org-api, or of one replica of it. */
export function createDirectoryRequests(organization: Organization, { app }: Replica = organization) {
  const send = async (url: string, body: object) => {
    const payload = JSON.stringify(body);
    const token = await organization.serviceToken(url, payload);
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    return app.inject({ method: 'POST', url, payload, headers });
  };
  const post = async (url: string, body: object) => (await send(url, body)).json<Answer>();
  const change = (user: User, changes: object) =>
    post(directoryPaths.methodChanges, { ...proven(user), knownBrowsers: [familiarBrowserOf(user)], ...changes });
  return {
    send,
    post,
    change,
    checkPassword: ({ username }: Named, check: { password: string; browser?: string }) =>
      post(directoryPaths.passwordChecks, { username, address, ...check }),
    checkCode: (user: User, code: string, more: object = {}) =>
      post(directoryPaths.codeChecks, { ...proven(user), code, ...more }),
    addCodeApp: (user: User, more: object = {}) =>
      change(user, { add: { codeApp: { secret, code: codeAt(organization.time.now) } }, ...more }),
    async addPasskey(user: User, authenticator: Authenticator, altered?: Altered, more: object = {}) {
      const { userHandle } = await post(directoryPaths.methodQueries, { userId: user.id });
      const credential = authenticator.create({ challenge, userHandle: String(userHandle) }, altered);
      return change(user, { add: { passkey: { ...expected, credential, name: 'Chrome on Linux' } }, ...more });
    },
    checkPasskey: (credential: string, more: object = {}) =>
      post(directoryPaths.passkeyChecks, { ...expected, ...request, credential, ...more }),
  };
}

export type DirectoryRequests = ReturnType<typeof createDirectoryRequests>;

export interface Event {
  id: string;
  type: string;
}

/** What a SystemAdministrator, who has no way in of its own, does with a user. */
export async function createAdministratorRequests(organization: Organization) {
  const added = await organization.addUser({ username: 'administrator@example.com', roles: ['SystemAdministrator'] });
  const send = async (method: 'GET' | 'DELETE' | 'PATCH' | 'POST' | 'PUT', path: string, payload?: object) =>
    organization.app.inject({
      method,
      url: `/organization/api/organization/${path}`,
      headers: bearer(await organization.accessToken(added)),
      ...(payload && { payload }),
    });
  const ofUser = ({ username }: Named, method: Parameters<typeof send>[0], path = '', payload?: object) =>
    send(method, `user/userId/${encodeURIComponent(username)}${path}`, payload);
  return {
    send,
    ofUser,
    readMethods: async (user: Named) => (await ofUser(user, 'GET', '/methods')).json<UserMethods>(),
    async listEvents({ username }: Named): Promise<Event[]> {
      const answer = await send('GET', `audit-events?limit=200&subject=${encodeURIComponent(username)}`);
      return answer.json<{ events: Event[] }>().events;
    },
  };
}

export type AdministratorRequests = Awaited<ReturnType<typeof createAdministratorRequests>>;

/** Lets the statements that this matches wait until another change passed. */
export function holdStatement({ deps: { database } }: Pick<Organization, 'deps'>, isMeant: RegExp) {
  const { execute } = database;
  let isReached = () => {};
  let letGo = () => {};
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const hold: typeof execute = async (sql, parameters) => {
    if (isMeant.test(sql)) {
      isReached();
      await released;
    }
    return execute.call(database, sql, parameters);
  };
  database.execute = hold;
  const release = () => {
    // One that was held after this one goes on.
    if (database.execute === hold) database.execute = execute;
    letGo();
  };
  return { reached, release };
}
