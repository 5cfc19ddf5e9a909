import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  call,
  type Gatehouse,
  quickestDialect,
  repositoryRoot,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

interface Folder {
  name: string;
  description?: string;
  item: (Folder | RequestItem)[];
}

interface RequestItem {
  name: string;
  request: { method: string; url: { raw: string }; description?: string };
}

interface OpenApiDocument {
  paths: Record<string, Record<string, unknown>>;
}

const folder = join(repositoryRoot, 'infra/postman');
const collectionFile = join(folder, 'gatehouse.postman_collection.json');
const program = join(repositoryRoot, 'packages/e2e/programs/run-collection.mjs');

describe('the Postman collection', () => {
  test('names no address but {{auth_url}} and {{base_url}}', async () => {
    const { text, collection } = await readCollection();
    const elsewhere = listRequests(collection).filter(({ url }) => !/^\{\{(auth|base)_url\}\}\//.test(url));
    expect(elsewhere).toEqual([]);
    // Its schema, a redirect_uri that registration refuses, and issuers that nobody calls.
    const others = new Set([...text.matchAll(/\bhttps?:\/\/[^\s"'\\]+/gi)].map(([url]) => url));
    expect([...others].sort()).toEqual([
      'http://app.example.com/callback',
      'http://pm-{{run_id}}.example.com',
      'https://pm-{{run_id}}.example.com',
      'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    ]);
  });

  test('describes every folder and every request', async () => {
    const { collection } = await readCollection();
    const undescribed = listItems(collection).filter((item) => {
      const description = 'request' in item ? item.request.description : item.description;
      return description === undefined || description === '';
    });
    expect(undescribed.map(({ name }) => name)).toEqual([]);
  });
});

describe.each(testDialects)('the Postman collection on %s', (dialect) => {
  let gatehouse: Gatehouse;

  beforeAll(async () => {
    gatehouse = await startGatehouse({ dialect, env: { 'auth-server': { DYNAMIC_REGISTRATION: 'token' } } });
  });

  afterAll(() => gatehouse?.stop());

  test('calls every documented endpoint of both services', async () => {
    const { collection } = await readCollection();
    const requests = listRequests(collection);
    const endpoints = [
      ...(await listEndpoints('auth_url', gatehouse.authUrl)),
      ...(await listEndpoints('base_url', gatehouse.baseUrl)),
    ];
    expect(endpoints.length).toBeGreaterThan(20);
    const uncalled = endpoints.filter(
      ({ method, pattern }) => !requests.some((request) => request.method === method && pattern.test(request.path)),
    );
    expect(uncalled.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  // That it leaves nothing behind which it stumbles over is shown on one database.
  test.each(dialect === quickestDialect ? ['once', 'again'] : ['once'])(
    'runs without a failure %s on the same servers',
    async () => {
      const { assertions, failures } = await runCollection(gatehouse);
      expect(failures).toEqual([]);
      expect(assertions).toBeGreaterThan(0);
    },
    300_000,
  );
});

async function readCollection(): Promise<{ text: string; collection: Folder }> {
  const text = await readFile(collectionFile, 'utf8');
  return { text, collection: JSON.parse(text) as Folder };
}

/** Every folder and request, in order. */
function listItems({ item }: Folder): (Folder | RequestItem)[] {
  return item.flatMap((entry) => ('item' in entry ? [entry, ...listItems(entry)] : [entry]));
}

function listRequests(collection: Folder) {
  return listItems(collection)
    .filter((item) => 'request' in item)
    .map(({ name, request: { method, url } }) => ({
      name,
      method,
      url: url.raw,
      path: url.raw.split('?', 1)[0] ?? '',
    }));
}

/** What a service documents at `/openapi.json`, as the collection writes it: with the variable of its host. */
async function listEndpoints(host: string, url: string) {
  const { paths } = (await call(`${url}/openapi.json`)).json<OpenApiDocument>();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: `{{${host}}}${path}`,
      pattern: new RegExp(`^\\{\\{${host}\\}\\}${escapePattern(path).replace(/\\\{\w+\\\}/g, '[^/]+')}$`),
    })),
  );
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

interface CollectionRun {
  assertions: number;
  /** Each as one readable line. */
  failures: string[];
}

/** Runs the whole collection. */
async function runCollection({ authUrl, baseUrl }: Gatehouse): Promise<CollectionRun> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, authUrl, baseUrl]);
  return JSON.parse(stdout) as CollectionRun;
}
