import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@gatehouse/service-kit';
import { createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildIssuer, start } from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('the issuer store on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const insert = async (fields: Parameters<typeof buildIssuer>[0] = {}) => {
    const issuer = buildIssuer(fields);
    expect(await test.issuers.insert(issuer)).toBe(true);
    return issuer;
  };

  it('has none at first, and any as soon as one is inserted here', async () => {
    expect(await test.issuers.isAnyRecent()).toBe(false);
    await insert();
    expect(await test.issuers.isAnyRecent()).toBe(true);
    expect(await test.onReplica.issuers.isAnyRecent()).toBe(true);
  });

  it('gives back what was inserted, field by field', async () => {
    const plain = await insert();
    expect(await test.issuers.find(plain.id)).toEqual(plain);
    expect(await test.onReplica.issuers.findByIssuer(plain.issuer)).toEqual(plain);
    const full = await insert({
      ...{ issuer: `spiffe://${createId()}.example.org`, kind: 'spiffe', signatureAlgorithms: ['RS512', 'ES384'] },
      jwks: { keys: [Object.assign(createClientKey('RS256', 'one').jwk, { use: 'jwt-svid' })] },
    });
    expect(await test.issuers.find(full.id)).toEqual(full);
    const elsewhere = await insert({ jwksUri: `https://keys.example.com/${'k'.repeat(480)}` });
    expect(await test.issuers.find(elsewhere.id)).toEqual(elsewhere);
  });

  it('takes 50 keys', async () => {
    const keys = Array.from({ length: 50 }, () => ({ ...createClientKey().jwk, x5t: 'a'.repeat(1000) }));
    const { id } = await insert({ jwks: { keys } });
    expect((await test.issuers.find(id))?.jwks?.keys).toEqual(keys);
  });

  it.each(['', 'x', `ö${'x'.repeat(35)}`, '%', "' OR 1=1"])('finds nothing by the id %j', async (id) =>
    expect(await test.issuers.find(id)).toBeUndefined(),
  );

  it('tells issuers apart to the letter, of any length', async () => {
    const name = `https://${createId()}.example.com/`.padEnd(511, 't');
    const { id } = await insert({ issuer: name });
    expect(await test.issuers.findByIssuer(name)).toMatchObject({ id, issuer: name });
    for (const other of [`${name}/`, `${name} `, name.toUpperCase(), name.replace('t', 'T'), `${name}s`, '']) {
      expect(await test.issuers.findByIssuer(other)).toBeUndefined();
    }
    await insert({ issuer: `${name}/` });
  });

  it('lets exactly one of several at the same moment have an issuer', async () => {
    const issuer = `https://${createId()}.example.com`;
    const stores = [test.issuers, test.onReplica.issuers];
    expect(await countWinners(async (turn) => stores[turn % 2]?.insert(buildIssuer({ issuer })) ?? false)).toBe(1);
  });

  it('changes only the version that was seen, and never the issuer', async () => {
    const issuer = await insert();
    const change = (turn: number) =>
      test.issuers.update({ ...issuer, issuer: 'https://b.example', name: `${turn}`, updatedAt: start + 1 }, start);
    expect(await countWinners(change)).toBe(1);
    const changed = await test.issuers.find(issuer.id);
    expect(changed).toMatchObject({ issuer: issuer.issuer, name: expect.stringMatching(/^\d+$/), createdAt: start });
  });

  it('deletes only the version that was seen, once', async () => {
    const issuer = await insert();
    expect(await test.issuers.update({ ...issuer, name: 'other', updatedAt: start + 1 }, start)).toBe(true);
    expect(await test.issuers.delete(issuer)).toBe(false);
    const stores = [test.issuers, test.onReplica.issuers];
    const seen = { ...issuer, updatedAt: start + 1 };
    expect(await countWinners(async (turn) => stores[turn % 2]?.delete(seen) ?? false)).toBe(1);
    expect(await test.issuers.find(issuer.id)).toBeUndefined();
  });

  it('knows what is changed here at once, and elsewhere within a second', async () => {
    const issuer = await insert();
    const [here, elsewhere] = [test.issuers, test.onReplica.issuers];
    const namesNow = async () =>
      Promise.all([here, elsewhere].map(async (store) => (await store.findRecent(issuer.issuer))?.name));
    expect(await namesNow()).toEqual([issuer.name, issuer.name]);
    await here.update({ ...issuer, name: 'changed', updatedAt: start + 1 }, start);
    expect((await namesNow())[0]).toBe('changed');
    await sleep(1000);
    expect(await namesNow()).toEqual(['changed', 'changed']);
    await here.delete({ ...issuer, updatedAt: start + 1 });
    expect((await namesNow())[0]).toBeUndefined();
    await sleep(1000);
    expect(await namesNow()).toEqual([undefined, undefined]);
  });

  it('lists each issuer once, in the order of registration', async () => {
    const all = await test.issuers.list({ after: undefined, limit: 200 });
    expect(all.length).toBe(await test.issuers.count());
    const pages: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await test.issuers.list({ after, limit: 2 });
      if (page.length === 0) break;
      pages.push(...page.map(({ id }) => id));
      after = pages.at(-1);
    }
    expect(pages).toEqual(all.map(({ id }) => id));
  });
});
