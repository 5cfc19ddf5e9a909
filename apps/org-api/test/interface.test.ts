import { readFile, writeFile } from 'node:fs/promises';
import { describeOperations } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Organization, startOrganization } from './support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization('sqlite');
});
afterAll(() => organization.close());

it('what each operation takes and answers is what interface.txt says', async () => {
  const document = (await organization.app.inject('/openapi.json')).json<Parameters<typeof describeOperations>[0]>();
  const described = describeOperations(document);
  const file = new URL('interface.txt', import.meta.url);
  if (process.env.WRITE_INTERFACE === 'yes') await writeFile(file, described);
  expect(described).toBe(await readFile(file, 'utf8'));
});
