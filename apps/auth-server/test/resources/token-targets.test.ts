import { describe, expect, it } from '@jest/globals';
import { type GrantedResource, orgApiId } from '../../src/resources/granted-resource.ts';
import { createOrgApi, createOrgApiLimits } from '../../src/resources/org-api.ts';
import type { Resource } from '../../src/resources/resource.ts';
import { createLimitToGrant, createTokenTargets } from '../../src/resources/token-targets.ts';
import { buildClient, buildResource, openlyRegistered } from '../support/builders.ts';

const baseUrl = 'https://org.example.com';
const orgApi = createOrgApi({ baseUrl, extraScopes: ['reports:read'] });

describe('a request for org-api', () => {
  const targets = createTokenTargets({
    orgApi,
    resources: {
      findByUri: async () => {
        throw new Error('nothing is looked up');
      },
    },
    orgApiLimits: { recent: () => ({ accessTokenValidity: 600 }) },
  });
  const client = buildClient({ scope: ['openid', 'roles', 'reports:read', 'gone:scope'] });
  const target = { audience: baseUrl, scope: ['openid', 'roles', 'reports:read'], accessTokenValidity: 600 };

  it.each([undefined, baseUrl, `${baseUrl}/`])('looks nothing up, with resource %s', async (asked) => {
    for (const choose of [targets.chooseForClient, targets.chooseForUser]) {
      expect(await choose(client, { resource: asked, scope: undefined })).toEqual({
        scope: target.scope,
        resources: undefined,
        target,
      });
    }
    const granted = { scope: client.scope, resources: undefined };
    expect(await targets.chooseOfGrant(client, granted, asked)).toEqual(target);
  });

  it('is refused another resource without a look-up, where the client is registered for none', async () => {
    for (const choose of [targets.chooseForClient, targets.chooseForUser]) {
      await expect(choose(client, { resource: 'https://other.example.com/', scope: undefined })).rejects.toThrow(
        /send that resource or none/,
      );
    }
    const granted = { scope: client.scope, resources: undefined };
    await expect(targets.chooseOfGrant(client, granted, 'https://other.example.com/')).rejects.toThrow(
      /that resource or none/,
    );
  });

  it('looks nothing up either where org-api is the first of several', async () => {
    const several = { ...client, metadata: { resources: ['https://other.example.com/', baseUrl] } };
    expect(await targets.chooseForClient(several, { resource: undefined, scope: undefined })).toMatchObject({ target });
  });

  it('has the shorter of both lifetimes', async () => {
    const short = buildClient({ accessTokenValidity: 60 });
    expect(await targets.chooseForClient(short, { resource: undefined, scope: undefined })).toMatchObject({
      target: { accessTokenValidity: 60 },
    });
  });
});

describe('the resource of a token', () => {
  const grantOf = ({ id, resource, scopes }: Resource): GrantedResource => ({
    id,
    resource,
    scopes: scopes.map(({ id, name }) => ({ id, name })),
  });
  const namesOf = ({ scopes }: Pick<Resource, 'scopes'>) => scopes.map(({ name }) => name);
  const orders = buildResource();
  const [read = ''] = namesOf(orders);
  const own = buildResource({ resource: baseUrl, scopes: [] });
  const closed = buildResource({ dynamicClients: false });
  const bare = buildResource({ scopes: [] });
  const registered = [orders, own, closed, bare];
  const targets = createTokenTargets({
    orgApi,
    resources: { findByUri: async (uri) => registered.find(({ resource }) => resource === uri) },
    orgApiLimits: { recent: () => ({ accessTokenValidity: undefined }) },
  });
  const gone = buildResource();
  const buildFor = (uris: readonly string[], first?: string) =>
    buildClient({
      scope: ['openid', read, ...namesOf(closed), ...namesOf(gone)],
      metadata: { resources: [...uris], ...(first === undefined ? {} : { default_resource: first }) },
    });
  const refusal = (description: string | RegExp) =>
    expect.objectContaining({ code: 'invalid_target', message: expect.stringMatching(description) });
  const nothingExists = refusal('no resource that this request could mean exists any more');

  describe('for a client', () => {
    const choose = async (client: ReturnType<typeof buildClient>, asked?: string, scope?: string) =>
      targets.chooseForClient(client, { resource: asked, scope });

    it('is the next that exists where the default is gone, org-api by itself too', async () => {
      const client = buildFor([gone.resource, baseUrl, orders.resource], gone.resource);
      expect(await choose(client)).toEqual({
        scope: ['openid'],
        resources: undefined,
        target: { audience: baseUrl, scope: ['openid'], accessTokenValidity: client.accessTokenValidity },
      });
      const other = buildFor([gone.resource, orders.resource, baseUrl], gone.resource);
      expect(await choose(other)).toMatchObject({ scope: [read], target: { audience: orders.resource } });
      await expect(choose(client, gone.resource)).rejects.toThrow(refusal(gone.resource));
    });

    it('is one that is open to it where it registered itself', async () => {
      const uris = [closed.resource, orders.resource];
      expect(await choose(buildFor(uris, closed.resource))).toMatchObject({ target: { audience: closed.resource } });
      const itself = { ...buildFor(uris, closed.resource), dynamic: openlyRegistered };
      expect(await choose(itself)).toMatchObject({ target: { audience: orders.resource } });
      await expect(choose(itself, closed.resource)).rejects.toThrow(refusal(orders.resource));
    });

    it('may have one scope or none: then a request names none', async () => {
      const client = buildFor([orders.resource, bare.resource], orders.resource);
      expect((await choose(client, orders.resource, read)).scope).toEqual([read]);
      for (const scope of [undefined, '', ' ']) expect((await choose(client, bare.resource, scope)).scope).toEqual([]);
      await expect(choose(client, bare.resource, read)).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_scope', message: expect.stringMatching('leave the scope out') }),
      );
    });
  });

  describe('of a grant', () => {
    const ofOrgApi: GrantedResource = { id: orgApiId, resource: baseUrl, scopes: [] };
    const choose = async (client: ReturnType<typeof buildClient>, granted: GrantedResource[], asked?: string) =>
      targets.chooseOfGrant(client, { scope: ['openid', ...granted.flatMap(namesOfGrant)], resources: granted }, asked);
    const namesOfGrant = ({ scopes }: GrantedResource) => scopes.map(({ name }) => name);
    const both = [baseUrl, orders.resource];

    it('is the default where that was granted, else the first that was', async () => {
      const granted = [ofOrgApi, grantOf(orders)];
      expect(await choose(buildFor(both, orders.resource), granted)).toMatchObject({ audience: orders.resource });
      expect(await choose(buildFor(both), granted)).toMatchObject({ audience: baseUrl });
      expect(await choose(buildFor(both), [grantOf(orders)])).toMatchObject({ audience: orders.resource });
    });

    it('is org-api also where BASE_URL was another at the time', async () => {
      const before = { ...ofOrgApi, resource: 'https://before.example.com' };
      expect(await choose(buildFor(both), [before], baseUrl)).toMatchObject({ audience: baseUrl, scope: ['openid'] });
    });

    it('has no scope that the client was since denied', async () => {
      const client = { ...buildFor(both, orders.resource), scope: ['openid'] };
      expect(await choose(client, [grantOf(orders)])).toMatchObject({ audience: orders.resource, scope: [] });
    });

    it('is none that is gone, was made again, or is closed to the client', async () => {
      const client = buildFor([gone.resource, orders.resource, closed.resource], orders.resource);
      await expect(choose(client, [grantOf(gone)])).rejects.toThrow(nothingExists);
      await expect(choose(client, [{ ...grantOf(orders), id: gone.id }])).rejects.toThrow(nothingExists);
      await expect(choose(client, [grantOf(gone)], gone.resource)).rejects.toThrow(refusal(gone.resource));
      expect(await choose(client, [grantOf(closed)])).toMatchObject({ audience: closed.resource });
      const itself = { ...client, dynamic: openlyRegistered };
      await expect(choose(itself, [grantOf(closed)])).rejects.toThrow(nothingExists);
      expect(await choose(itself, [grantOf(orders)])).toMatchObject({ audience: orders.resource });
    });

    it('is none where only org-api was granted, and the client was since denied it', async () => {
      const client = buildFor([orders.resource], orders.resource);
      const granted = { scope: ['openid'], resources: undefined };
      await expect(targets.chooseOfGrant(client, granted, undefined)).rejects.toThrow(nothingExists);
    });

    it('bounds what an exchange chooses: nothing of a resource that was not granted', async () => {
      const limitToGrant = createLimitToGrant({ orgApi });
      const client = buildFor(both, orders.resource);
      const chosen = await targets.chooseForClient(client, { resource: orders.resource, scope: undefined });
      const scope = ['openid', read];
      expect(limitToGrant(chosen, client, { by: 'row', scope, resources: undefined })).toEqual([]);
      expect(limitToGrant(chosen, client, { by: 'row', scope, resources: [ofOrgApi] })).toEqual([]);
      expect(limitToGrant(chosen, client, { by: 'row', scope, resources: [grantOf(orders)] })).toEqual([read]);
    });
  });
});

describe('the lifetime of tokens for org-api', () => {
  const create = () => {
    let now = 0;
    let seconds: number | undefined = 600;
    let asked = 0;
    let answer: () => void = () => {};
    let isHeld = false;
    const resources = {
      async findByUri(): Promise<Resource> {
        asked += 1;
        const found = buildResource({ accessTokenValidity: seconds });
        if (isHeld) await new Promise<void>((resolve) => (answer = resolve));
        return found;
      },
    };
    return {
      limits: createOrgApiLimits({ resources, uri: baseUrl, now: () => now }),
      pass: (milliseconds: number) => (now += milliseconds),
      set: (value: number | undefined) => (seconds = value),
      hold: () => (isHeld = true),
      answer: () => answer(),
      asked: () => asked,
    };
  };
  const limit = (accessTokenValidity: number | undefined) => ({ accessTokenValidity });
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('is asked for once, and then known for a while without waiting', async () => {
    const { limits, asked, pass } = create();
    const [first, second] = [limits.recent(), limits.recent()];
    expect(await Promise.all([first, second])).toMatchObject([limit(600), limit(600)]);
    pass(374);
    expect(await limits.recent()).toMatchObject(limit(600));
    await settle();
    expect(asked()).toBe(1);
  });

  it('is asked for again in time, while nobody waits', async () => {
    const { limits, asked, pass, set } = create();
    await limits.recent();
    set(300);
    pass(400);
    expect(await limits.recent()).toMatchObject(limit(600));
    await settle();
    expect([await limits.recent(), asked()]).toMatchObject([limit(300), 2]);
  });

  it('is never older than 750 ms', async () => {
    const { limits, pass, set } = create();
    await limits.recent();
    set(undefined);
    pass(751);
    expect(await limits.recent()).toMatchObject(limit(undefined));
  });

  it('is not the answer to a question from before a change', async () => {
    const { limits, hold, answer, set } = create();
    hold();
    const before = limits.recent();
    limits.forget();
    answer();
    await before;
    set(120);
    const after = limits.recent();
    answer();
    expect(await after).toMatchObject(limit(120));
  });

  it('is decided by the client alone where org-api is not registered yet', async () => {
    const limits = createOrgApiLimits({ resources: { findByUri: async () => undefined }, uri: baseUrl });
    expect(await limits.recent()).toEqual(limit(undefined));
  });

  it('is asked for again after a failure', async () => {
    let isAway = true;
    const resources = {
      findByUri: async () => {
        if (isAway) throw new Error('away');
        return buildResource({ accessTokenValidity: 600 });
      },
    };
    const limits = createOrgApiLimits({ resources, uri: baseUrl });
    await expect(limits.recent()).rejects.toThrow('away');
    isAway = false;
    expect(await limits.recent()).toMatchObject(limit(600));
  });
});
