import { setTimeout as sleep } from 'node:timers/promises';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildUpstream, start } from '../support/builders.ts';
import { countWinners, openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('the upstream store on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const insert = async (fields: Parameters<typeof buildUpstream>[0] = {}) => {
    const upstream = buildUpstream(fields);
    expect(await test.upstreams.insert(upstream)).toBe(true);
    return upstream;
  };

  it('gives back what was inserted, field by field', async () => {
    const plain = await insert();
    expect(await test.onReplica.upstreams.findByAlias(plain.alias)).toEqual(plain);
    const full = await insert({
      ...{ alias: 'a'.repeat(32), displayName: '🏢'.repeat(64), enabled: false, method: 'private_key_jwt' },
      ...{ issuer: `https://login.example.com/${'i'.repeat(486)}`, clientId: 'c'.repeat(255), sealedSecret: undefined },
      ...{ scope: ['openid', 'groups'], tenants: ['one'], hostedDomains: ['example.com'], link: 'never' },
      ...{ emailDomains: ['example.com'], createUsers: true, domains: ['example.org'], localMethods: 'refused' },
      ...{ members: { firstName: 'given_name' }, sync: 'always', level: 'phr', logout: true },
      ...{ groups: { claim: 'groups', map: { '/Staff ü': 'staff' } }, levels: { gold: 'urn:gatehouse:acr:mfa' } },
    });
    expect(await test.upstreams.findByAlias(full.alias)).toEqual(full);
    const sealed = await insert({ sealedSecret: 's'.repeat(1024) });
    expect(await test.upstreams.findByAlias(sealed.alias)).toEqual(sealed);
  });

  it.each(['', 'ö', '%', "' OR 1=1", 'x'.repeat(40)])('finds nothing by the alias %j', async (alias) =>
    expect(await test.upstreams.findByAlias(alias)).toBeUndefined(),
  );

  it('lets exactly one of several at the same moment have an alias', async () => {
    const { alias } = buildUpstream();
    const stores = [test.upstreams, test.onReplica.upstreams];
    expect(await countWinners(async (turn) => stores[turn % 2]?.insert(buildUpstream({ alias })) ?? false)).toBe(1);
  });

  it('changes only the version that was seen, and never alias and issuer', async () => {
    const upstream = await insert();
    const change = (turn: number) =>
      test.upstreams.update(
        { ...upstream, alias: 'other', issuer: 'https://b.example', displayName: `${turn}`, updatedAt: start + 1 },
        start,
      );
    expect(await countWinners(change)).toBe(1);
    const { alias, issuer } = upstream;
    const displayName = expect.stringMatching(/^\d+$/);
    expect(await test.upstreams.findByAlias(alias)).toMatchObject({ issuer, displayName, updatedAt: start + 1 });
  });

  it('forgets the secret that was seen, as a new version, and no other', async () => {
    const upstream = await insert();
    await test.upstreams.forgetSecret({ ...upstream, sealedSecret: 'another' }, start + 5);
    expect(await test.upstreams.findByAlias(upstream.alias)).toEqual(upstream);
    await test.upstreams.forgetSecret(upstream, start - 5);
    const { alias } = upstream;
    const without = { ...upstream, sealedSecret: undefined, updatedAt: start + 1 };
    expect(await test.upstreams.findByAlias(alias)).toEqual(without);
  });

  it('takes another form of the same secret only, without a change', async () => {
    const upstream = await insert();
    await test.upstreams.replaceSealedSecret({ ...upstream, sealedSecret: 'v1.before' }, 'v1.late');
    expect(await test.upstreams.findByAlias(upstream.alias)).toEqual(upstream);
    await test.upstreams.replaceSealedSecret(upstream, 'v1.again');
    expect(await test.upstreams.findByAlias(upstream.alias)).toEqual({ ...upstream, sealedSecret: 'v1.again' });
  });

  it('deletes only the version that was seen, once', async () => {
    const upstream = await insert();
    expect(await test.upstreams.update({ ...upstream, enabled: false, updatedAt: start + 1 }, start)).toBe(true);
    expect(await test.upstreams.delete(upstream)).toBe(false);
    const stores = [test.upstreams, test.onReplica.upstreams];
    const seen = { ...upstream, updatedAt: start + 1 };
    expect(await countWinners(async (turn) => stores[turn % 2]?.delete(seen) ?? false)).toBe(1);
    expect(await test.upstreams.findByAlias(upstream.alias)).toBeUndefined();
  });

  it('knows what is changed here at once, and elsewhere within a second', async () => {
    const upstream = await insert();
    const namesNow = async () =>
      Promise.all(
        [test.upstreams, test.onReplica.upstreams].map(async (store) => {
          const all = await store.listRecent();
          return all.find(({ id }) => id === upstream.id)?.displayName;
        }),
      );
    expect((await namesNow())[0]).toBe(upstream.displayName);
    await sleep(1000);
    expect(await namesNow()).toEqual([upstream.displayName, upstream.displayName]);
    await test.upstreams.update({ ...upstream, displayName: 'changed', updatedAt: start + 1 }, start);
    expect((await namesNow())[0]).toBe('changed');
    await sleep(1000);
    expect(await namesNow()).toEqual(['changed', 'changed']);
    await test.upstreams.delete({ ...upstream, updatedAt: start + 1 });
    expect((await namesNow())[0]).toBeUndefined();
    await sleep(1000);
    expect(await namesNow()).toEqual([undefined, undefined]);
  });

  it('lists each upstream once, in the order of registration', async () => {
    const all = await test.upstreams.list({ after: undefined, limit: 200 });
    expect(all.length).toBe(await test.upstreams.count());
    const pages: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await test.upstreams.list({ after, limit: 2 });
      if (page.length === 0) break;
      pages.push(...page.map(({ id }) => id));
      after = pages.at(-1);
    }
    expect(pages).toEqual(all.map(({ id }) => id));
  });
});
