import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTakeScopeNames } from '../../src/resources/take-scope-names.ts';
import { buildClient, buildResource, start } from '../support/builders.ts';
import { interruptNext } from '../support/interruption.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('resource stores on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const insert = async (fields: Parameters<typeof buildResource>[0] = {}) => {
    const resource = buildResource(fields);
    expect(await test.resources.insert(resource)).toBe(true);
    return resource;
  };

  it('gives back what was inserted, field by field', async () => {
    const resource = await insert();
    expect(await test.resources.find(resource.id)).toEqual(resource);
    expect(await test.onReplica.resources.findByUri(resource.resource)).toEqual(resource);
    const withGroups = await insert({ tokenGroups: { names: ['staff/*', 'Börd'], claim: 'roles' } });
    expect(await test.onReplica.resources.find(withGroups.id)).toEqual(withGroups);
    const plain = await insert({ accessTokenValidity: undefined, dynamicClients: false, scopes: [] });
    expect(await test.resources.findByUri(plain.resource)).toEqual(plain);
  });

  it('finds a resource with an empty path by a slash, and keeps its spelling', async () => {
    const uri = `https://${createId()}.example.com`;
    const { id } = await insert({ resource: uri });
    expect(await test.resources.findByUri(`${uri}/`)).toMatchObject({ id, resource: uri });
    expect(await test.resources.insert(buildResource({ resource: `${uri}/` }))).toBe(false);
  });

  it.each(['', 'x', `ö${'x'.repeat(35)}`, '%', "' OR 1=1"])('finds nothing by the id %j', async (id) =>
    expect(await test.resources.find(id)).toBeUndefined(),
  );

  it('takes as many scopes as the rules allow', async () => {
    const scopes = Array.from({ length: 100 }, (_, index) => ({
      id: createId(),
      name: `${index}:${'x'.repeat(120)}`,
      description: '語'.repeat(150),
    }));
    const resource = await insert({ scopes });
    expect(await test.resources.find(resource.id)).toEqual(resource);
  });

  it('lets exactly one of several at the same moment have a URI', async () => {
    const uri = `https://${createId()}.example.com/`;
    const stores = [test.resources, test.onReplica.resources];
    expect(
      await countWinners(async (turn) => stores[turn % 2]?.insert(buildResource({ resource: uri })) ?? false),
    ).toBe(1);
  });

  it('lets exactly one of several resources at the same moment have a scope name', async () => {
    const stores = [test.scopeNames, test.onReplica.scopeNames];
    const name = createId();
    const take = async (turn: number) =>
      stores[turn % 2]?.take(createId(), { id: createId(), name, description: '' }, start) ?? false;
    expect(await countWinners(take)).toBe(1);
    const [{ id, resourceId } = { id: '', resourceId: '' }] = await test.scopeNames.find([name]);
    await test.scopeNames.giveBack([id]);
    expect(await test.scopeNames.find([name])).toEqual([]);
    await test.scopeNames.take(resourceId, { id, name, description: '' }, start);
    await test.scopeNames.giveBackAllOf(resourceId);
    expect(await test.scopeNames.find([name])).toEqual([]);
  });

  it('changes only the version that was seen', async () => {
    const resource = await insert();
    const change = (turn: number) =>
      test.resources.update({ ...resource, name: `${turn}`, updatedAt: start + 1 + turn }, start);
    expect(await countWinners(change)).toBe(1);
    const changed = await test.resources.find(resource.id);
    expect(changed).toMatchObject({ scopes: resource.scopes, resource: resource.resource });
    expect(changed?.name).toMatch(/^\d+$/);
  });

  it('lists each resource once, in the order of registration', async () => {
    await insert();
    const all = await test.resources.list({ after: undefined, limit: 200 });
    expect(all.length).toBe(await test.resources.count());
    const pages: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await test.resources.list({ after, limit: 2 });
      if (page.length === 0) break;
      pages.push(...page.map(({ id }) => id));
      after = pages.at(-1);
    }
    expect(pages).toEqual(all.map(({ id }) => id));
  });

  it('keeps the default resource of a client, and names the client', async () => {
    const { id, resource } = await insert();
    const client = buildClient({ metadata: { resources: [resource], default_resource: resource } });
    expect(await test.clients.insert(client)).toBe(true);
    expect(await test.clients.insert({ ...client, registrationId: createId() })).toBe(false);
    expect(await test.resources.deleteUnlessDefault(id)).toBe(false);
    expect(await test.clients.listByDefaultResource(resource, 10)).toEqual([client.clientId]);
    expect(await test.clients.update({ ...client, metadata: {}, updatedAt: start + 1 }, start)).toBe(true);
    expect(await test.resources.deleteUnlessDefault(id)).toBe(true);
    expect(await test.resources.deleteUnlessDefault(id)).toBe(false);
  });

  it('inserts and changes no client whose new default resource is gone; one that is gone already stays', async () => {
    const { id, resource } = await insert();
    const metadata = { resources: [resource], default_resource: resource };
    const before = buildClient();
    await test.clients.insert(before);
    expect(await test.resources.deleteUnlessDefault(id)).toBe(true);
    expect(await test.clients.insert(buildClient({ metadata }))).toBe(false);
    expect(await test.clients.update({ ...before, metadata, updatedAt: start + 1 }, start)).toBe(false);
    expect(await test.clients.find(before.clientId)).toEqual(before);
    const kept = await insert();
    const holder = buildClient({ metadata: { resources: [kept.resource], default_resource: kept.resource } });
    await test.clients.insert(holder);
    await test.database.execute('DELETE FROM resources WHERE id = ?', [
      Buffer.from(kept.id.replaceAll('-', ''), 'hex'),
    ]);
    const renamed = { ...holder, metadata: { ...holder.metadata, client_name: 'other' }, updatedAt: start + 1 };
    expect(await test.clients.update(renamed, start)).toBe(true);
  });

  it('decides between the registration of a client and the deletion of its default resource', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, resource } = await insert();
      const client = buildClient({ metadata: { resources: [resource], default_resource: resource } });
      const [isInserted, isDeleted] = await Promise.all([
        test.clients.insert(client),
        test.onReplica.resources.deleteUnlessDefault(id),
      ]);
      expect([isInserted, isDeleted].filter(Boolean)).toHaveLength(1);
    }
  });

  describe('scope names', () => {
    let now = start;
    const takeScopeNames = () =>
      createTakeScopeNames({ resources: test.resources, scopeNames: test.scopeNames, clock: () => now });
    const scopeOf = (name: string) => ({ id: createId(), name, description: '' });

    it('are taken all or none', async () => {
      const [one, two, three] = [createId(), createId(), createId()];
      expect(await takeScopeNames()(createId(), [scopeOf(two)])).toEqual([]);
      expect(await takeScopeNames()(createId(), [scopeOf(one), scopeOf(two), scopeOf(three)])).toEqual([two]);
      expect(await takeScopeNames()(createId(), [scopeOf(one), scopeOf(three)])).toEqual([]);
    });

    it('are free again ten minutes after a process was killed that took them', async () => {
      const scope = scopeOf(createId());
      await takeScopeNames()(createId(), [scope]);
      now += 599_999;
      expect(await takeScopeNames()(createId(), [scopeOf(scope.name)])).toEqual([scope.name]);
      now += 1;
      expect(await takeScopeNames()(createId(), [scopeOf(scope.name)])).toEqual([]);
    });

    it('are free again after ten minutes too where their resource came to show others', async () => {
      const scope = scopeOf(createId());
      const resource = await insert();
      await takeScopeNames()(resource.id, [scope]);
      now += 600_000;
      expect(await takeScopeNames()(createId(), [scopeOf(scope.name)])).toEqual([]);
    });

    it('are looked for and given back by a statement only where there are some', async () => {
      const isMet = interruptNext(test.database, /./, {});
      expect(await test.scopeNames.find([])).toEqual([]);
      await test.scopeNames.giveBack([]);
      expect(isMet()).toBe(false);
    });

    it('of a resource that shows them are never free', async () => {
      const scope = scopeOf(createId());
      const resource = buildResource({ scopes: [scope] });
      await takeScopeNames()(resource.id, [scope]);
      await test.resources.insert(resource);
      now += 10 * 86_400_000;
      expect(await takeScopeNames()(createId(), [scopeOf(scope.name)])).toEqual([scope.name]);
    });
  });
});
