import { createId } from '@gatehouse/service-kit';
import { describe, expect, it } from '@jest/globals';
import { areAllowed, limitResources, listOrgApiScopes, uniteResources } from '../../src/consent/consented-resources.ts';
import { type GrantedResource, orgApiId } from '../../src/resources/granted-resource.ts';

const grant = (...names: string[]): GrantedResource => ({
  id: createId(),
  resource: 'https://api.example.com/',
  scopes: names.map((name) => ({ id: createId(), name })),
});
const orgApi: GrantedResource = { id: orgApiId, resource: 'https://org.example.com', scopes: [] };
const without = (one: GrantedResource, index: number) => ({
  ...one,
  scopes: one.scopes.filter((_, at) => at !== index),
});
/** As it is when an administrator made it again. */
const madeAgain = (one: GrantedResource) => ({ ...one, id: createId() });
const withScopesMadeAgain = (one: GrantedResource) => ({
  ...one,
  scopes: one.scopes.map(({ name }) => ({ id: createId(), name })),
});

describe('a consent to resources', () => {
  const api = grant('read', 'write');

  it('covers the same resource with the same or fewer scopes', () => {
    expect(areAllowed([api], [api])).toBe(true);
    expect(areAllowed([api], [without(api, 0), orgApi])).toBe(true);
    expect(areAllowed([], [orgApi])).toBe(true);
    expect(areAllowed([], [])).toBe(true);
  });

  it('covers no more scopes, no other resource, and none made again', () => {
    expect(areAllowed([without(api, 0)], [api])).toBe(false);
    expect(areAllowed([api], [grant('read')])).toBe(false);
    expect(areAllowed([api], [madeAgain(api)])).toBe(false);
    expect(areAllowed([api], [withScopesMadeAgain(api)])).toBe(false);
    expect(areAllowed([], [{ ...api, scopes: [] }])).toBe(false);
  });

  it('cuts a grant to what is allowed', () => {
    const other = grant('pay');
    expect(limitResources([orgApi, api, other], [without(api, 1)])).toEqual([orgApi, without(api, 1)]);
    expect(limitResources([api], [madeAgain(api)])).toEqual([]);
  });

  it('keeps what was allowed before beside what is allowed now', () => {
    const other = grant('pay');
    expect(uniteResources([without(api, 0), other], [without(api, 1), orgApi])).toEqual([
      { ...api, scopes: [api.scopes[0], api.scopes[1]] },
      other,
    ]);
  });

  it('keeps the newest where there are too many for its row', () => {
    const many = Array.from({ length: 10 }, () => grant(...Array.from({ length: 99 }, (_, index) => `s${index}`)));
    const united = many.reduce<GrantedResource[]>((before, one) => uniteResources(before, [one]), []);
    expect(united.map(({ id }) => id)).toEqual(
      many
        .slice(-4)
        .map(({ id }) => id)
        .reverse(),
    );
    expect(JSON.stringify(united).length).toBeLessThan(65_535);
  });

  it('keeps 400 resources without scopes, as each takes its place', () => {
    const many = Array.from({ length: 401 }, () => grant());
    expect(uniteResources(many.slice(1), [many[0] as GrantedResource])).toEqual(many.slice(0, 400));
  });

  it('tells the scopes of org-api from those of other resources', () => {
    expect(listOrgApiScopes({ scope: ['openid', 'read'], resources: [orgApi, api] })).toEqual(['openid']);
    expect(listOrgApiScopes({ scope: ['openid', 'read'], resources: undefined })).toEqual(['openid', 'read']);
  });
});
