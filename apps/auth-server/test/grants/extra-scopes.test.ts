import { ConfigError, createId, createLogger } from '@gatehouse/service-kit';
import { type Database, openDatabase, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { createTestDatabase, keyEncryptionKey, type TestDatabase, testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config.ts';
import { createDependencies } from '../../src/dependencies.ts';
import { createOrgApi, registerOrgApi } from '../../src/resources/org-api.ts';
import type { Resource } from '../../src/resources/resource.ts';
import { authServerSchema } from '../../src/schema/auth-server-schema.ts';
import { buildResource, start } from '../support/builders.ts';
import { createStores } from '../support/create-stores.ts';
import { fillWithKeys } from '../support/fill-databases.ts';
import { openStores, silentLog, type TestStores, waitUntilReady } from '../support/stores.ts';

const baseUrl = 'https://api.example.com';

describe.each(testDialects)('the scopes that EXTRA_SCOPES gives to org-api, on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const warned: string[] = [];
  const log = { warn: (...told: unknown[]) => void warned.push(String(told[0])) };
  const register = (...extraScopes: string[]) =>
    registerOrgApi({
      ...test,
      orgApi: createOrgApi({ baseUrl, extraScopes }),
      clock: () => start,
      log,
    });
  const findOrgApi = () => test.resources.findByUri(baseUrl);
  const insert = async (resource: string, shown: readonly string[], taken = shown) => {
    const scopes = [...new Set([...shown, ...taken])].map((name) => ({ id: createId(), name, description: '' }));
    const common = { name: 'Orders', accessTokenValidity: undefined, dynamicClients: false };
    const id = createId();
    for (const scope of scopes) if (taken.includes(scope.name)) await test.scopeNames.take(id, scope, start);
    const own = scopes.filter(({ name }) => shown.includes(name));
    const built: Resource = { id, resource, scopes: own, ...common, createdAt: start, updatedAt: start };
    await test.resources.insert(built);
    return built;
  };

  it('leave org-api where it is once it is there', async () => {
    expect(await findOrgApi()).toBeUndefined();
    await register('reports:read');
    const registered = await findOrgApi();
    expect(registered).toMatchObject({ resource: baseUrl, name: 'Organization API', scopes: [], createdAt: start });
    await register();
    expect(await findOrgApi()).toEqual(registered);
  });

  it('stop the start where another resource has one of them, and name both', async () => {
    await insert('https://orders.example.com', ['orders:list', 'orders:read']);
    await expect(register('reports:read', 'orders:read')).rejects.toEqual(
      new ConfigError(
        'EXTRA_SCOPES must not hold orders:read, a scope of the resource https://orders.example.com; rename one of the two',
      ),
    );
    await expect(register('orders:write')).resolves.toBeUndefined();
  });

  it('leave the scope groups to another resource that has it, with a warning', async () => {
    warned.length = 0;
    await insert('https://teams.example.com', ['groups']);
    const orgApi = createOrgApi({ baseUrl, extraScopes: [] });
    expect([orgApi.hasScope('groups'), orgApi.isPersonal('groups')]).toEqual([true, true]);
    for (let time = 0; time < 2; time += 1) {
      await registerOrgApi({
        ...test,
        orgApi,
        clock: () => start,
        log,
      });
    }
    expect(warned).toEqual([
      'the scope groups is off: the resource https://teams.example.com has a scope of that name',
    ]);
    expect([orgApi.hasScope('groups'), orgApi.isPersonal('groups'), orgApi.scopes.includes('groups')]).toEqual([
      false,
      false,
      false,
    ]);
    await expect(register('groups')).rejects.toThrow(/EXTRA_SCOPES must not hold groups/);
  });

  it('stop nothing where a name was taken and its resource does not show it, or is not there', async () => {
    await insert('https://bills.example.com', ['bills:list'], ['bills:list', 'bills:pay']);
    await test.scopeNames.take(createId(), { id: createId(), name: 'nobody:read', description: '' }, start);
    await expect(register('bills:pay', 'nobody:read')).resolves.toBeUndefined();
    await expect(register('bills:list')).rejects.toThrow('bills:list');
  });

  it('may be those of a resource that became org-api by another BASE_URL', async () => {
    const moved = 'https://moved.example.com/';
    await insert(moved, ['moved:read']);
    await expect(register('moved:read')).rejects.toThrow('moved:read');
    const orgApi = createOrgApi({ baseUrl: 'https://moved.example.com', extraScopes: ['moved:read'] });
    await expect(registerOrgApi({ ...test, orgApi, clock: () => start, log })).resolves.toBeUndefined();
  });
});

describe('an auth server whose database cannot be made ready', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase('sqlite');
    await fillWithKeys(database.url);
  });
  afterEach(() => database.drop());

  const change = async (work: (opened: Database) => Promise<unknown>) => {
    const url = parseDatabaseUrl(database.url);
    const opened = openDatabase({ url, ...authServerSchema, migrateOnStart: false, log: silentLog });
    await waitUntilReady(opened);
    await work(opened);
    await opened.close();
  };
  /** Starts it, and gives the fault with which it ends, once the log says that the database is not ready. */
  const begin = async (env: Record<string, string> = {}) => {
    const log = createLogger('test', 'silent');
    const warned = new Promise((resolve) => {
      Object.assign(log, { warn: (_bindings: object, text: string) => resolve(text) });
    });
    const config = loadConfig({ DATABASE_URL: database.url, KEY_ENCRYPTION_KEY: keyEncryptionKey, ...env });
    const deps = createDependencies(config, log);
    expect(await warned).toBe('database is not ready: could not be made ready; the log says why');
    const fault = await Promise.race([deps.failed, Promise.resolve(undefined)]);
    await deps.close();
    return fault;
  };

  it('ends where a change of its configuration alone can help', async () => {
    const resource = buildResource();
    const [scope] = resource.scopes;
    await change(async (opened) => {
      const { resources, scopeNames } = createStores(opened);
      for (const one of resource.scopes) await scopeNames.take(resource.id, one, start);
      await resources.insert(resource);
    });
    const fault = await begin({ EXTRA_SCOPES: scope?.name ?? '' });
    expect(fault).toBeInstanceOf(ConfigError);
    expect(fault).toHaveProperty('message', expect.stringContaining(resource.resource));
  });

  it('goes on trying for any other reason', async () => {
    await change((opened) => opened.execute('DROP TABLE resource_scopes'));
    expect(await begin({ EXTRA_SCOPES: 'orders:read' })).toBeUndefined();
  });
});
