import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '@gatehouse/test-kit';
import { passwordOf, type Realm } from './realm.ts';

const users = '/organization/api/organization/user';
const groups = '/organization/api/organization/group';

/** Changes the organization as its administrator does: over org-api's own interface. */
export async function administerOrganization(realm: Realm) {
  const client = { client_id: 'organization-tool', client_secret: 'organization-tool-secret' };
  await realm.register({ ...client, scope: ['roles'], authorized_grant_types: ['password'] });
  const { access_token: bearer } = await realm.tokens(client, passwordOf('admin'));
  const send = async (method: string, path: string, json?: object, below = users) => {
    const url = `${realm.orgUrl}${below}${path}`;
    const answer = await call(url, { method, bearer, ...(json === undefined ? {} : { json }) });
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  };
  const listIdentities = async (username: string) =>
    (await send('GET', `/userId/${encodeURIComponent(username)}/identities`)).json<{
      identities: { id: string; subject: string }[];
    }>().identities;
  return {
    create: (user: object) => send('POST', '', user),
    change: (username: string, changes: object) => send('PATCH', `/userId/${encodeURIComponent(username)}`, changes),
    createGroup: (name: string) => send('POST', '', { name }, groups),
    setPassword: (username: string, password: string) =>
      send('PUT', `/userId/${encodeURIComponent(username)}/password`, { password }),
    listIdentities,
    /** Takes all accounts at upstreams from a user. */
    async unlinkAll(username: string) {
      for (const { id } of await listIdentities(username)) {
        await send('DELETE', `/userId/${encodeURIComponent(username)}/identities/${id}`);
      }
    },
    idOf: async (username: string) =>
      (await send('GET', `/userId/${encodeURIComponent(username)}`)).json<{ id: string }>().id,
    delete: (username: string) => send('DELETE', `/userId/${encodeURIComponent(username)}`),
  };
}

/** Repeats the check until it holds; fails with its failure once a second has passed (contract §5). */
export async function withinOneSecond(check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 1_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
