import { describe, expect, it } from '@jest/globals';
import { findAskedResource } from '../src/grants/grant-type.ts';
import { parseParameters } from '../src/protocol/request-parameters.ts';
import { invalidTarget, listAskedResources, listResourcesOf } from '../src/resources/requested-resource.ts';

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
