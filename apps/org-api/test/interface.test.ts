import { readFile, writeFile } from 'node:fs/promises';
import { describeMetrics, describeOperations } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Organization, startOrganization } from './support/organization.ts';

let organization: Organization;
beforeAll(async () => {
  organization = await startOrganization('sqlite');
});
afterAll(() => organization.close());

/** The text of a file beside this one, after `described` is written there where that is asked for. */
async function readDescribed(name: string, described: string): Promise<string> {
  const file = new URL(name, import.meta.url);
  if (process.env.WRITE_INTERFACE === 'yes') await writeFile(file, described);
  return readFile(file, 'utf8');
}

it('what each operation takes and answers is what interface.txt says', async () => {
  const document = (await organization.app.inject('/openapi.json')).json<Parameters<typeof describeOperations>[0]>();
  const described = describeOperations(document);
  expect(described).toBe(await readDescribed('interface.txt', described));
});

it('what is measured from the start on is what metrics.txt says', async () => {
  await organization.app.inject('/openapi.json');
  const described = describeMetrics((await organization.app.inject('/metrics')).body);
  expect(described).toBe(await readDescribed('metrics.txt', described));
});
