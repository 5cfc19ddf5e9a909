import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';

const collection = '/organization/api/organization/user';

export function userDetailsUrl({ baseUrl }: Gatehouse, username: string): string {
  return `${baseUrl}${collection}/allDetails/userId/${encodeURIComponent(username)}`;
}

/** Endpoint 5 of the interface. */
export function getUserDetails(gatehouse: Gatehouse, username: string, bearer: string): Promise<Answer> {
  return call(userDetailsUrl(gatehouse, username), { bearer });
}

/** User administration by the holder of `bearer`. */
export function createUserAdministration({ baseUrl }: Gatehouse, bearer: string) {
  const send = async (path: string, options: CallOptions, expected: number) => {
    const answer = await call(`${baseUrl}${collection}${path}`, { bearer, ...options });
    if (answer.status !== expected) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  };
  const member = (username: string) => `/userId/${encodeURIComponent(username)}`;
  return {
    create: (user: Record<string, unknown>) => send('', { json: user }, 201),
    change: (username: string, changes: Record<string, unknown>) =>
      send(member(username), { method: 'PATCH', json: changes }, 200),
    setPassword: (username: string, password: string) =>
      send(`${member(username)}/password`, { method: 'PUT', json: { password } }, 204),
    delete: (username: string) => send(member(username), { method: 'DELETE' }, 204),
    makeGroup: (name: string) => call(`${baseUrl}/organization/api/organization/group`, { bearer, json: { name } }),
    /** Users of another server, each a line of a bundle. Throws where one of them is not created. */
    async importAll(...lines: object[]): Promise<void> {
      const url = `${baseUrl}/organization/api/organization/user-imports`;
      const answer = await call(url, {
        ...{ method: 'POST', bearer, body: lines.map((line) => JSON.stringify(line)).join('\n') },
        headers: { 'content-type': 'application/x-ndjson' },
      });
      if (answer.text.split('"result":"created"').length !== lines.length + 1) {
        throw new Error(`${answer.status} ${answer.text}`);
      }
    },
  };
}
