import { describe, expect, it } from '@jest/globals';
import { findAskedResource } from '../../src/grants/grant-handler.ts';
import { parseParameters } from '../../src/protocol/request-parameters.ts';
import { createOrgApi } from '../../src/resources/org-api.ts';
import { createChooseRequestedAccess } from '../../src/resources/requested-access.ts';
import { invalidTarget, listAskedResources, listResourcesOf } from '../../src/resources/requested-resource.ts';
import { buildClient, buildResource, openlyRegistered } from '../support/builders.ts';

const uri = (number: number) => `https://api-${number}.example.com/`;
const uris = (count: number) => Array.from({ length: count }, (_, index) => uri(index));
const asking = (resources: readonly string[]) =>
  parseParameters(new URLSearchParams(resources.map((one): [string, string] => ['resource', one])).toString());
const orgApi = 'https://org.example.com';

describe('the resources that a request names (RFC 8707 2)', () => {
  it('are each listed once, and no more than a hundred', () => {
    expect(listAskedResources(asking([]))).toEqual([]);
    expect(listAskedResources(asking([uri(1), uri(2), uri(1)]))).toEqual([uri(1), uri(2)]);
    expect(listAskedResources(asking([...uris(100), uri(0)]))).toHaveLength(100);
    const refused = expect.objectContaining({ code: 'invalid_target' });
    expect(() => listAskedResources(asking(uris(101)))).toThrow(refused);
  });

  it('are one at the token endpoint, which may come twice', () => {
    expect(findAskedResource(asking([]))).toBeUndefined();
    expect(findAskedResource(asking([uri(1), uri(1)]))).toBe(uri(1));
    expect(() => findAskedResource(asking(uris(2)))).toThrow('an access token is for one resource');
  });
});

describe('the resources of a client', () => {
  const listOf = (metadata: Parameters<typeof listResourcesOf>[0]['metadata']) =>
    listResourcesOf({ scope: [], accessTokenValidity: 60, metadata }, orgApi);

  it('are org-api alone where it is registered for none', () => {
    expect(listOf({})).toEqual([orgApi]);
  });

  it('begin with the default one, which is org-api where none is chosen', () => {
    expect(listOf({ resources: [uri(1), orgApi, uri(2)] })).toEqual([orgApi, uri(1), uri(2)]);
    expect(listOf({ resources: [uri(1), orgApi, uri(2)], default_resource: uri(2) })).toEqual([uri(2), uri(1), orgApi]);
    expect(listOf({ resources: uris(2) })).toEqual(uris(2));
  });
});

describe('the refusal of a resource', () => {
  it.each([
    [0, 'no resource that this request could mean exists any more'],
    [1, `this request may name the resource ${uri(0)} only; send that resource or none`],
    [2, `send one of the resources ${uri(0)}, ${uri(1)}, or none`],
    [3, `send one of the resources ${uri(0)}, ${uri(1)}, ${uri(2)}, or none`],
    [5, `send one of the resources ${uri(0)}, ${uri(1)}, ${uri(2)} and 2 more, or none`],
  ])('names up to three of %s that are allowed', (count, description) => {
    expect(invalidTarget(uris(count))).toMatchObject({ code: 'invalid_target', message: description });
  });
});

describe('what an authorization request asks for', () => {
  const [orders, closed] = [buildResource(), buildResource({ dynamicClients: false })];
  const registered = [orders, closed];
  const [{ name: read } = { name: '' }] = orders.scopes;
  const choose = createChooseRequestedAccess({
    orgApi: createOrgApi({ baseUrl: orgApi, extraScopes: ['reports:read'] }),
    resources: { findByUri: async (uri) => registered.find(({ resource }) => resource === uri) },
  });
  const buildFor = (resources?: string[]) => {
    const scope = ['openid', 'reports:read', read, ...closed.scopes.map(({ name }) => name)];
    return buildClient({ scope, metadata: resources === undefined ? {} : { resources } });
  };
  const refusal = (code: string, message: string) => expect.objectContaining({ code, message });
  const ofOrgApi = { scope: ['openid', 'reports:read'], shown: [], resources: undefined };

  it('is org-api where it names no resource, or org-api itself', async () => {
    for (const client of [buildFor(), buildFor([orgApi]), buildFor([orgApi, orders.resource])]) {
      for (const resources of [[], [orgApi]]) {
        expect(await choose(client, { resources, scope: undefined })).toEqual(ofOrgApi);
      }
    }
  });

  it('is no other resource where the client has none', async () => {
    await expect(choose(buildFor(), { resources: [orders.resource], scope: undefined })).rejects.toThrow(
      refusal('invalid_target', `this request may name the resource ${orgApi} only; send that resource or none`),
    );
  });

  it('has the extra scopes of org-api where it asks for org-api too', async () => {
    const client = buildFor([orgApi, orders.resource]);
    const scope = `reports:read ${read}`;
    const both = await choose(client, { resources: [orgApi, orders.resource], scope });
    expect(both.scope).toEqual(['reports:read', read]);
    expect(both.resources?.map(({ resource }) => resource)).toEqual([orgApi, orders.resource]);
    expect(both.shown.map(({ resource }) => resource)).toEqual([orders.resource]);
    const other = { resources: [orders.resource], scope };
    await expect(choose(client, other)).rejects.toThrow(
      refusal('invalid_scope', `the scope must be part of what this client may request: openid ${read}`),
    );
    expect((await choose(client, { ...other, scope: `openid ${read}` })).scope).toEqual(['openid', read]);
  });

  it('is no resource that is gone, or is closed to a client that registered itself', async () => {
    const resources = [orgApi, uri(1), closed.resource];
    const client = buildFor(resources);
    const ask = (resource: string, fields = {}) =>
      choose({ ...client, ...fields }, { resources: [resource], scope: 'openid' });
    const refused = refusal('invalid_target', `send one of the resources ${resources.join(', ')}, or none`);
    await expect(ask(uri(1))).rejects.toThrow(refused);
    expect((await ask(closed.resource)).shown.map(({ resource }) => resource)).toEqual([closed.resource]);
    await expect(ask(closed.resource, { dynamic: openlyRegistered })).rejects.toThrow(refused);
  });
});
