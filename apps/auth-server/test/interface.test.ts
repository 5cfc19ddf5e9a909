import { readFile, writeFile } from 'node:fs/promises';
import { describeOperations } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Realm, startRealm } from './support/realm.ts';

let realm: Realm;
beforeAll(async () => {
  realm = await startRealm({
    AUTH_URL: 'https://auth.example.com',
    DYNAMIC_REGISTRATION: 'open',
    EXTRA_SCOPES: 'orders.read',
  });
});
afterAll(() => realm.close());

it('what each operation takes and answers is what interface.txt says', async () => {
  const document = (await realm.send('/openapi.json')).json<Parameters<typeof describeOperations>[0]>();
  const described = describeOperations(document);
  const file = new URL('interface.txt', import.meta.url);
  if (process.env.WRITE_INTERFACE === 'yes') await writeFile(file, described);
  expect(described).toBe(await readFile(file, 'utf8'));
});
