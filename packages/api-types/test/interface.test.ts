import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readDescription } from '@gatehouse/test-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Realm, startRealm } from '../../../apps/auth-server/test/support/realm.ts';

let realm: Realm;
beforeAll(async () => {
  realm = await startRealm({ DYNAMIC_REGISTRATION: 'open' });
});
afterAll(() => realm.close());

const generator = fileURLToPath(new URL('../make-types.mjs', import.meta.url));
const documents = {
  'auth-server': async () => (await realm.send('/openapi.json')).text,
  'org-api': async () => (await fetch(`${realm.orgUrl}/openapi.json`)).text(),
};

it.each(Object.entries(documents))('the types of %s are those that `npm run docs:types` makes', async (name, read) => {
  const made = execFileSync(process.execPath, [generator], { input: await read(), encoding: 'utf8' });
  expect(await readDescription(new URL(`../src/${name}.ts`, import.meta.url), made)).toBe(made);
});
