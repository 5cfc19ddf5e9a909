import { call } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { passwordKind, registerClient } from './support/clients.ts';
import { administrator } from './support/people.ts';
import { registerResource } from './support/resources.ts';
import { describeTwoReplicas } from './support/two-replicas.ts';
import { atOnce } from './support/wait.ts';

describeTwoReplicas('one version at two replicas of auth-server', (at) => {
  const objects: [what: string, make: () => Promise<string>, change: (index: number) => object][] = [
    [
      'a client',
      async () => `/clients/${(await registerClient(at(0), passwordKind()))[0]}`,
      (index) => ({ access_token_validity: 100 + index }),
    ],
    [
      'a resource',
      async () => `/resources/${(await registerResource(at(0))).id}`,
      (index) => ({ name: `Name ${index}` }),
    ],
  ];
  const send = (index: number, path: string, options: object = {}) =>
    call(at(index).authUrl + path, { basic: administrator, ...options });

  test.each(objects)('of %s: of forty changes exactly one is made', async (_what, make, change) => {
    const path = await make();
    const headers = { 'if-match': String((await send(0, path)).headers.etag) };
    const answers = await atOnce(40, (index) => send(index, path, { method: 'PATCH', json: change(index), headers }));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(39).fill(412)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await send(1, path)).json()).toMatchObject(change(winner));
  });

  test.each(objects)('of %s: of changes and deletions exactly one is made', async (_what, make, change) => {
    const path = await make();
    const headers = { 'if-match': String((await send(0, path)).headers.etag) };
    const answers = await atOnce(40, (index) =>
      send(index, path, {
        headers,
        ...(index % 4 < 2 ? { method: 'DELETE' } : { method: 'PATCH', json: change(index) }),
      }),
    );
    const done = answers.filter(({ status }) => status === 200 || status === 204);
    expect(done).toHaveLength(1);
    const isDeleted = done[0]?.status === 204;
    expect((await send(0, path)).status).toBe(isDeleted ? 404 : 200);
    const others = answers.filter((answer) => !done.includes(answer)).map(({ status }) => status);
    expect(others.filter((status) => status !== 412 && !(isDeleted && status === 404))).toEqual([]);
  });
});
