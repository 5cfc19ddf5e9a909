import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DynamicClients, openBody, startOpenRealm, webCallback } from '../support/dynamic-clients.ts';
import { administrator, type Realm } from '../support/realm.ts';

const count = (length: number, name: (index: number) => string) => Array.from({ length }, (_, index) => name(index));
const padTo = (length: number, text: string) => text.padEnd(length, 'x');

describe.each(testDialects)('the limits of registration, on %s', (dialect) => {
  let realm: Realm;
  let dynamic: DynamicClients;
  beforeAll(async () => {
    ({ realm, dynamic } = await startOpenRealm(dialect));
  });
  afterAll(() => realm.close());

  describe('of initial access tokens', () => {
    const create = (json: object) => realm.send('/registration-tokens', { basic: administrator, json });

    it.each<[string, object]>([
      ['one use', { uses: 1 }],
      ['one second', { expires_in: 1 }],
      ['30 days', { expires_in: 2_592_000 }],
      ['one grant type', { grant_types: ['authorization_code'] }],
      ['a scope of one name', { scope: ['openid'] }],
      ['a scope of 200 names', { scope: count(200, () => 'openid') }],
      ['a scope of 2048 characters', { scope: 'openid'.padEnd(2_048) }],
    ])('take %s', async (_what, body) => expect((await create(body)).status).toBe(201));

    it.each<[string, object, string]>([
      ['a scope of no name', { scope: [] }, 'scope must be scopes separated by spaces'],
      ['an empty scope', { scope: '' }, 'scope must be scopes separated by spaces'],
      ['a scope of 201 names', { scope: count(201, () => 'openid') }, 'scope must be scopes separated by spaces'],
      ['a scope of 2049 characters', { scope: 'openid'.padEnd(2_049) }, 'scope must be scopes separated by spaces'],
      ['a name of 256 characters', { scope: [padTo(256, 's')] }, 'scope must be scopes separated by spaces'],
      [
        'a name of 255 characters that is not open',
        { scope: [padTo(255, 's')] },
        'must hold only scopes that are open',
      ],
      ['a scope of blanks', { scope: '  ' }, 'must hold only scopes that are open'],
      ['no resource', { resources: [] }, 'resources must be an array of 1–100 URIs'],
      ['the same resource twice', { resources: Array(2).fill('https://a.example/') }, 'without repeats'],
      ['an empty resource', { resources: [''] }, 'resources must be an array of 1–100 URIs'],
      ['101 resources', { resources: count(101, (index) => `https://${index}.example/`) }, 'an array of 1–100 URIs'],
      [
        '100 resources that are not open',
        { resources: count(100, (index) => `https://${index}.example/`) },
        'entry 1 ',
      ],
      ['a URI of 2049 characters', { resources: [padTo(2_049, 'https://a.example/')] }, 'an array of 1–100 URIs'],
      ['a URI of 2048 characters that is not open', { resources: [padTo(2_048, 'https://a.example/')] }, 'entry 1 '],
      ['a resource of one character that is not open', { resources: ['x'] }, 'entry 1 '],
    ])('refuse %s', async (_what, body, detail) => {
      const answer = await create(body);
      expect([answer.status, answer.json<{ detail: string }>().detail]).toEqual([400, expect.stringContaining(detail)]);
    });

    it('let clients register until the millisecond in which they expire, and as often as they say', async () => {
      const token = async (json: object) => (await create(json)).json<{ token: string }>().token;
      const [brief, twice] = [await token({ expires_in: 60 }), await token({ uses: 2 })];
      const register = async (bearer: string) =>
        (await dynamic.send(openBody, { authorization: `Bearer ${bearer}` })).status;
      expect([await register(twice), await register(twice), await register(twice)]).toEqual([201, 201, 401]);
      realm.advance(61_000);
      expect(await register(brief)).toBe(401);
    });
  });

  describe('of what a client says of itself', () => {
    const uris = (length: number) => count(length, (index) => `${webCallback}/${index}`);

    it.each<[string, object]>([
      ['5 redirect URIs', { redirect_uris: uris(5) }],
      ['a redirect URI of 2048 characters', { redirect_uris: [padTo(2_048, `${webCallback}/`)] }],
      ['a scope of 2048 characters', { ...openBody, scope: 'openid'.padEnd(2_048) }],
    ])('take %s', async (_what, body) => {
      const answer = await dynamic.send(body);
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    });

    const grantTypes = (length: number, size = 10) => ({
      ...openBody,
      grant_types: count(length, (index) => padTo(size, `grant-${index}`)),
    });
    it.each<[string, object, string]>([
      ['21 redirect URIs', { redirect_uris: uris(21) }, 'redirect_uris must be an array of at most 20'],
      [
        'one of 2049 characters',
        { redirect_uris: [padTo(2_049, `${webCallback}/`)] },
        'redirect_uris must be an array',
      ],
      ['a scope of 2049 characters', { ...openBody, scope: 'openid'.padEnd(2_049) }, 'at most 2048 characters'],
      ['a scope of blanks', { ...openBody, scope: '  ' }, 'scope must hold only scopes that are open'],
      ['no grant type', { ...openBody, grant_types: [] }, 'grant_types must be an array of strings'],
      ['eleven grant types', grantTypes(11), 'grant_types must be an array of strings'],
      ['ten unknown grant types', grantTypes(10), 'grant_types must be among'],
      ['a grant type of 129 characters', grantTypes(1, 129), 'grant_types must be an array of strings'],
      ['an unknown grant type of 128 characters', grantTypes(1, 128), 'grant_types must be among'],
      [
        'the same grant type twice',
        { ...openBody, grant_types: Array(2).fill('authorization_code') },
        'without repeats',
      ],
      ['ten response types', { ...openBody, response_types: count(10, String) }, 'must be code with'],
      ['eleven response types', { ...openBody, response_types: count(11, String) }, 'must be an array of strings'],
      ['no response type', { ...openBody, response_types: [] }, 'response_types must be code with authorization_code'],
    ])('refuse %s', async (_what, body, description) => {
      const answer = await dynamic.send(body);
      const { error_description: told } = answer.json<{ error_description: string }>();
      expect([answer.status, told]).toEqual([400, expect.stringContaining(description)]);
    });
  });
});
