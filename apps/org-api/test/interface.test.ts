import { describeMetrics, describeOperations, readDescription } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { baseUrl, type Organization, startOrganization } from './support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization('sqlite', {}, { service: 'org-api', version: '1.2.3' });
});
afterAll(() => organization.close());

it('what each operation takes and answers is what interface.txt says', async () => {
  const document = (await organization.app.inject('/openapi.json')).json<Parameters<typeof describeOperations>[0]>();
  const described = describeOperations(document);
  expect(described).toBe(await readDescription(new URL('interface.txt', import.meta.url), described));
});

it('each operation has a name, and no other has the same', async () => {
  const { paths } = (await organization.app.inject('/openapi.json')).json<{
    paths: Record<string, Record<string, { operationId?: string }>>;
  }>();
  const names = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name ?? ''))).toEqual([]);
  expect(names).toHaveLength(new Set(names).size);
});

describe('the description', () => {
  interface Description {
    paths: Record<string, Record<string, { parameters?: { in: string }[] }>>;
  }
  const read = async () => (await organization.app.inject('/openapi.json')).json<Description>();

  it('names the release, and where it is', async () => {
    expect(await read()).toMatchObject({ info: { version: '1.2.3' }, servers: [{ url: baseUrl }] });
  });

  it('explains each part of a path, with an example', async () => {
    const { paths } = await read();
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const parts = operations.flatMap(({ parameters = [] }) =>
      parameters.filter((parameter) => parameter.in === 'path'),
    );
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect(part).toMatchObject({ description: expect.any(String), example: expect.any(String) });
    }
  });
});

it('what is measured from the start on is what metrics.txt says', async () => {
  await organization.app.inject('/openapi.json');
  const described = describeMetrics((await organization.app.inject('/metrics')).body);
  expect(described).toBe(await readDescription(new URL('metrics.txt', import.meta.url), described));
});

it('what is counted begins at 0', async () => {
  const counters = (await organization.app.inject('/metrics')).body
    .split('\n')
    .filter((line) => /^gatehouse_\w+_total/.test(line));
  expect(counters.length).toBeGreaterThan(10);
  expect(counters.filter((line) => !line.endsWith(' 0'))).toEqual([]);
});
