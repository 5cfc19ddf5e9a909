import { describe, expect, it } from '@jest/globals';
import { createOrgApi, createOrgApiValidities } from '../src/resources/org-api.ts';
import type { Resource } from '../src/resources/resource.ts';
import { createTokenTargets } from '../src/resources/token-targets.ts';
import { buildClient, buildResource } from './support/builders.ts';

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
    orgApiValidities: { recent: () => ({ seconds: 600 }) },
  });
  const client = buildClient({ scope: ['openid', 'roles', 'reports:read', 'gone:scope'] });
  const target = { audience: baseUrl, scope: ['openid', 'roles', 'reports:read'], accessTokenValidity: 600 };

  it.each([undefined, baseUrl, `${baseUrl}/`])('waits for nothing and looks nothing up, with resource %s', (asked) => {
    for (const choose of [targets.chooseForClient, targets.chooseForUser]) {
      expect(choose(client, { resource: asked, scope: undefined })).toEqual({
        scope: target.scope,
        resources: undefined,
        target,
      });
    }
    const granted = { scope: client.scope, resources: undefined };
    expect(targets.chooseOfGrant(client, granted, asked)).toEqual(target);
  });

  it('is refused another resource without a look-up, where the client is registered for none', () => {
    for (const choose of [targets.chooseForClient, targets.chooseForUser]) {
      expect(() => choose(client, { resource: 'https://other.example.com/', scope: undefined })).toThrow(
        /send that resource or none/,
      );
    }
    const granted = { scope: client.scope, resources: undefined };
    expect(() => targets.chooseOfGrant(client, granted, 'https://other.example.com/')).toThrow(/that resource or none/);
  });

  it('has the shorter of both lifetimes', () => {
    const short = buildClient({ accessTokenValidity: 60 });
    expect(targets.chooseForClient(short, { resource: undefined, scope: undefined })).toMatchObject({
      target: { accessTokenValidity: 60 },
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
      validities: createOrgApiValidities({ resources, uri: baseUrl, now: () => now }),
      pass: (milliseconds: number) => (now += milliseconds),
      set: (value: number | undefined) => (seconds = value),
      hold: () => (isHeld = true),
      answer: () => answer(),
      asked: () => asked,
    };
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('is asked for once, and then known without waiting', async () => {
    const { validities, asked } = create();
    const [first, second] = [validities.recent(), validities.recent()];
    expect(await Promise.all([first, second])).toEqual([{ seconds: 600 }, { seconds: 600 }]);
    expect(validities.recent()).toEqual({ seconds: 600 });
    expect(asked()).toBe(1);
  });

  it('is asked for again in time, while nobody waits', async () => {
    const { validities, asked, pass, set } = create();
    await validities.recent();
    set(300);
    pass(400);
    expect(validities.recent()).toEqual({ seconds: 600 });
    await settle();
    expect([validities.recent(), asked()]).toEqual([{ seconds: 300 }, 2]);
  });

  it('is never older than 750 ms', async () => {
    const { validities, pass, set } = create();
    await validities.recent();
    set(undefined);
    pass(751);
    expect(validities.recent()).toBeInstanceOf(Promise);
    expect(await validities.recent()).toEqual({ seconds: undefined });
  });

  it('is not the answer to a question from before a change', async () => {
    const { validities, hold, answer, set } = create();
    hold();
    const before = validities.recent();
    validities.forget();
    answer();
    await before;
    set(120);
    const after = validities.recent();
    expect(after).toBeInstanceOf(Promise);
    answer();
    expect(await after).toEqual({ seconds: 120 });
  });

  it('is asked for again after a failure', async () => {
    let isAway = true;
    const resources = {
      findByUri: async () => {
        if (isAway) throw new Error('away');
        return buildResource({ accessTokenValidity: 600 });
      },
    };
    const validities = createOrgApiValidities({ resources, uri: baseUrl });
    await expect(validities.recent()).rejects.toThrow('away');
    isAway = false;
    expect(await validities.recent()).toEqual({ seconds: 600 });
  });
});
