import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createFindOpenAccess } from '../../src/registration/open-access.ts';
import { createOrgApi } from '../../src/resources/org-api.ts';
import { buildResource } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const orgApi = createOrgApi({ baseUrl: 'https://org.example.com', extraScopes: [] });

describe.each(testDialects)(
  'what is open to a client that registers itself and names no resources, on %s',
  (dialect) => {
    let test: TestStores;
    beforeAll(async () => {
      test = await openStores(dialect);
    });
    beforeEach(() => test.database.execute('DELETE FROM resources'));
    afterAll(() => test.close());

    let number = 0;
    const insert = async (names: readonly string[] = [], uri?: string) => {
      number += 1;
      const resource = uri ?? `https://api-${number}.example.com/`;
      const scopes = names.map((name) => ({ id: createId(), name, description: '' }));
      expect(await test.resources.insert(buildResource({ resource, scopes }))).toBe(true);
      return resource;
    };
    const find = () => createFindOpenAccess({ resources: test.resources, orgApi })(undefined, undefined);
    const name = (prefix: string, length: number) => prefix + 'x'.repeat(length - prefix.length);

    it('is org-api and 99 resources', async () => {
      for (let count = 0; count < 101; count += 1) await insert();
      const { resources, hasOrgApi } = await find();
      expect([resources.length, resources[0], hasOrgApi]).toEqual([100, orgApi.uri, true]);
    });

    it('is up to 200 scopes, those of org-api among them', async () => {
      const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
      const [first, second] = [await insert(names(98, 'a')), await insert(names(98, 'b'))];
      await insert(['c']);
      const { resources, scope } = await find();
      expect([resources, scope.length]).toEqual([[orgApi.uri, first, second], 200]);
    });

    it('is what one more scope leaves out', async () => {
      const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
      const first = await insert(names(98, 'a'));
      await insert(names(99, 'b'));
      expect((await find()).resources).toEqual([orgApi.uri, first]);
    });

    it('is scopes of up to 2048 characters, with the spaces between them', async () => {
      // openid profile email offline_access
      const rest = 2048 - 36;
      const fits = await insert([name('a', rest - 1)]);
      expect((await find()).resources).toEqual([orgApi.uri, fits]);
      await test.database.execute('DELETE FROM resources');
      await insert([name('a', rest)]);
      expect((await find()).resources).toEqual([orgApi.uri]);
      await test.database.execute('DELETE FROM resources');
      const both = await insert([name('a', 1_000), name('b', rest - 1_002)]);
      expect((await find()).resources).toEqual([orgApi.uri, both]);
    });

    it('is resources of up to 12,000 characters, with quotation marks and commas', async () => {
      // Five of 2,003 and org-api leave the rest to the last.
      const rest = 12_000 - 5 * 2_003 - (orgApi.uri.length + 3) - 3;
      const uriOf = (length: number, letter: string) => name(`https://${letter}.example.com/`, length);
      for (const letter of 'abcde') await insert([], uriOf(2_000, letter));
      const last = await insert([], uriOf(rest, 'f'));
      expect((await find()).resources.at(-1)).toBe(last);
      await test.database.execute('DELETE FROM resources');
      for (const letter of 'abcde') await insert([], uriOf(2_000, letter));
      await insert([], uriOf(rest + 1, 'f'));
      expect((await find()).resources).toHaveLength(6);
    });
  },
);

describe.each(testDialects)(
  'what is open to a client that registers itself, by what it names and by its initial access token, on %s',
  (dialect) => {
    let test: TestStores;
    const scopes = [{ id: createId(), name: 'things:read', description: '' }];
    const things = buildResource({ resource: 'https://things.example.com', scopes });
    const closed = buildResource({ resource: 'https://closed.example.com/', dynamicClients: false });
    beforeAll(async () => {
      test = await openStores(dialect);
      for (const resource of [things, closed]) expect(await test.resources.insert(resource)).toBe(true);
    });
    afterAll(() => test.close());

    const find = (...asked: Parameters<ReturnType<typeof createFindOpenAccess>>) =>
      createFindOpenAccess({ resources: test.resources, orgApi })(...asked);
    const openScopes = ['openid', 'profile', 'email', 'offline_access'];
    const refusal = (detail: string) =>
      expect.objectContaining({ status: 400, errors: [{ field: 'resources', detail }] });

    it('is each resource that it names, once, however it is spelled', async () => {
      expect(await find(['https://things.example.com/', things.resource], undefined)).toEqual({
        resources: [things.resource],
        hasOrgApi: false,
        scope: [...openScopes, 'things:read'],
      });
      expect(await find([`${orgApi.uri}/`], undefined)).toEqual({
        resources: [orgApi.uri],
        hasOrgApi: true,
        scope: openScopes,
      });
    });

    it.each(['https://closed.example.com/', 'https://nobody.example.com/'])('is not %s', async (uri) => {
      const refused = refusal('entry 2 must be the URI of a resource that is open to this client');
      await expect(find([things.resource, uri], undefined)).rejects.toEqual(refused);
    });

    it('is nothing that its initial access token does not name', async () => {
      const limits = { scope: undefined, resources: [things.resource] };
      expect((await find(['https://things.example.com/'], limits)).resources).toEqual([things.resource]);
      const refused = refusal('entry 1 must be the URI of a resource that is open to this client');
      await expect(find([orgApi.uri], limits)).rejects.toEqual(refused);
      expect((await find([orgApi.uri], { scope: undefined, resources: undefined })).hasOrgApi).toBe(true);
    });

    it('is what its initial access token names, less what is closed', async () => {
      const limits = { scope: ['openid', 'things:read'], resources: [closed.resource, things.resource] };
      expect(await find(undefined, limits)).toEqual({
        resources: [things.resource],
        hasOrgApi: false,
        scope: ['openid', 'things:read'],
      });
      const refused = refusal('must not be empty: none is open any more');
      await expect(find(undefined, { ...limits, resources: [closed.resource] })).rejects.toEqual(refused);
    });
  },
);
