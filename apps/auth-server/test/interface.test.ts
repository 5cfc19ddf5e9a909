import { describeMetrics, describeOperations, readDescription } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Realm, startRealm } from './support/realm.ts';

let realm: Realm;
beforeAll(async () => {
  const env = { AUTH_URL: 'https://auth.example.com', DYNAMIC_REGISTRATION: 'open', EXTRA_SCOPES: 'orders.read' };
  realm = await startRealm(env, { observation: { build: { service: 'auth-server', version: '1.2.3' } } });
});
afterAll(() => realm.close());

it('what each operation takes and answers is what interface.txt says', async () => {
  const document = (await realm.send('/openapi.json')).json<Parameters<typeof describeOperations>[0]>();
  const described = describeOperations(document);
  expect(described).toBe(await readDescription(new URL('interface.txt', import.meta.url), described));
});

it('each operation has a name, and no other has the same', async () => {
  const { paths } = (await realm.send('/openapi.json')).json<{
    paths: Record<string, Record<string, { operationId?: string }>>;
  }>();
  const names = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name ?? ''))).toEqual([]);
  expect(names).toHaveLength(new Set(names).size);
});

it('the interface has the version of the service', async () => {
  expect((await realm.send('/openapi.json')).json()).toMatchObject({ info: { version: '1.2.3' } });
});

it('what the authorization endpoint takes is described, with examples where they help', async () => {
  const { paths } = (await realm.send('/openapi.json')).json<{
    paths: Record<string, { post: { requestBody: { content: Record<string, { schema: { properties: object } }> } } }>;
  }>();
  const { content } = paths['/oauth/authorize']?.post.requestBody ?? {};
  const described = { type: 'string', description: expect.any(String) };
  const { properties } = content?.['application/x-www-form-urlencoded']?.schema ?? {};
  const scope = { ...described, examples: ['openid profile'] };
  expect(properties).toEqual(expect.objectContaining({ scope, nonce: described }));
});

it('what is measured from the start on is what metrics.txt says', async () => {
  await realm.send('/openapi.json');
  const described = describeMetrics((await realm.send('/metrics')).text);
  expect(described).toBe(await readDescription(new URL('metrics.txt', import.meta.url), described));
});

it('what is counted begins at 0', async () => {
  const counters = (await realm.send('/metrics')).text.split('\n').filter((line) => /^gatehouse_\w+_total/.test(line));
  expect(counters.length).toBeGreaterThan(10);
  const isOfStart = (line: string) => line.startsWith('gatehouse_signing_key_reads_total{outcome="read"}');
  expect(counters.filter((line) => !line.endsWith(' 0') && !isOfStart(line))).toEqual([]);
});
