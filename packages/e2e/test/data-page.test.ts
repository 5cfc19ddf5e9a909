import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type ServiceName } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { readSection } from './support/guide.ts';

const page = readFileSync(join(repositoryRoot, 'docs/operations/data.md'), 'utf8');

type Entities = (dialect: 'sqlite') => { tableName?: string }[];

/** The tables of a service, as its sources have them. */
async function listTables(service: ServiceName): Promise<string[]> {
  const file = join(repositoryRoot, `apps/${service}/src/schema/tables.ts`);
  const { authServerEntities, organizationEntities } = (await import(file)) as Record<string, Entities>;
  const entities = authServerEntities ?? organizationEntities;
  return (entities?.('sqlite') ?? []).map(({ tableName = '' }) => tableName);
}

describe('docs/operations/data.md', () => {
  it.each<ServiceName>(['auth-server', 'org-api'])('has each table of %s once, and no other', async (service) => {
    const rows = [...readSection(page, `## ${service}`).matchAll(/^\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
    expect(rows.map(([, table]) => table).sort()).toEqual((await listTables(service)).sort());
  });
});
