import { call, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildGroupClaims } from '../../src/tokens/token-groups.ts';
import { obtainCode } from '../support/browser.ts';
import { deviceGrant, useDevices } from '../support/device.ts';
import { accessTokenType, tokenExchange } from '../support/exchanges.ts';
import { administerOrganization, withinOneSecond } from '../support/organization.ts';
import { administrator, callback, passwordOf, type Realm, readClaims, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const username = 'user@example.com';
const api = 'https://wiki.example.com';
const reading = 'wiki.read';

describe.each(testDialects)('the groups in access tokens for an API, on %s', (dialect) => {
  let realm: Realm;
  let organization: Awaited<ReturnType<typeof administerOrganization>>;
  let path: string;
  const client = {
    ...{ ...webClient, client_id: 'wiki', scope: ['openid', 'groups', reading] },
    ...{ resources: [api], exchange_audiences: [api] },
    authorized_grant_types: [...webClient.authorized_grant_types, deviceGrant, tokenExchange],
  };
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    organization = await administerOrganization(realm);
    for (const name of ['Staff/it', 'staff/law', 'board', 'other']) await organization.createGroup(name);
    const json = {
      resource: api,
      name: 'Wiki',
      scopes: [{ name: reading, description: 'Read pages' }],
      groups: ['staff/*', 'Board'],
    };
    const made = await realm.send('/resources', { basic: administrator, json });
    expect(made.json()).toMatchObject({ groups: ['staff/*', 'Board'], groups_claim: 'groups' });
    path = `/resources/${made.json<{ id: string }>().id}`;
    await realm.register({ ...client, default_resource: api } as never);
    await organization.change(username, { groups: ['Staff/it', 'board', 'other'] });
  });
  afterAll(() => realm.close());

  const change = async (json: object) =>
    expect((await realm.send(path, { method: 'PATCH', basic: administrator, json })).status).toBe(200);
  const getToken = async () => (await realm.tokens(client, { ...passwordOf('user'), scope: 'openid' })).access_token;
  /** Brings a user in this way up to the token; gives what asks for it. */
  const prepareToken = async (way: string): Promise<() => Promise<string>> => {
    const ask = async (form: Record<string, string>) => (await realm.tokens(client, form)).access_token;
    if (way === 'code') {
      const code = await obtainCode(realm, { client_id: client.client_id });
      return () => ask({ grant_type: 'authorization_code', code, redirect_uri: callback });
    }
    if (way === 'device code') {
      const devices = useDevices(realm);
      const started = await devices.start(client);
      await devices.decide(started);
      return () => ask({ grant_type: deviceGrant, device_code: started.device_code });
    }
    const { access_token, refresh_token = '' } = await realm.tokens(client, { ...passwordOf('user'), scope: reading });
    if (way === 'refresh token') return () => ask({ grant_type: 'refresh_token', refresh_token });
    const exchanged = { subject_token: access_token, subject_token_type: accessTokenType };
    return () => ask({ grant_type: tokenExchange, ...exchanged });
  };
  const introspect = async (token: string) =>
    (await realm.send('/oauth/introspect', { basic: ['wiki', 'web-secret'], form: { token } })).json();

  it('are those that the API names, and follow a change at the next token, and at introspection within a second', async () => {
    const token = await getToken();
    const groups = ['Staff/it', 'board'];
    expect(readClaims(token)).toMatchObject({ aud: api, groups });
    expect(await introspect(token)).toMatchObject({ active: true, groups });
    await organization.change(username, { groups: ['staff/law', 'other'] });
    expect(readClaims(await getToken())).toMatchObject({ groups: ['staff/law'] });
    await withinOneSecond(async () => expect(await introspect(token)).toMatchObject({ groups: ['staff/law'] }));
    await organization.change(username, { groups: ['other'] });
    expect(readClaims(await getToken())).not.toHaveProperty('groups');
    await withinOneSecond(async () => expect(await introspect(token)).not.toHaveProperty('groups'));
    await organization.change(username, { groups: ['Staff/it', 'board', 'other'] });
  });

  it.each(['code', 'refresh token', 'exchange', 'device code'])('are those of now for a %s', async (way) => {
    const ask = await prepareToken(way);
    const token = await getToken();
    // From here on the user is known as of then.
    await withinOneSecond(async () => expect(await introspect(token)).toMatchObject({ groups: ['Staff/it', 'board'] }));
    await organization.change(username, { groups: ['staff/law'] });
    expect(readClaims(await ask())).toMatchObject({ groups: ['staff/law'] });
    await organization.change(username, { groups: ['Staff/it', 'board', 'other'] });
  });

  it('have the name of the claim by which the API decides', async () => {
    await change({ groups_claim: 'roles' });
    await withinOneSecond(async () =>
      expect(readClaims(await getToken())).toMatchObject({ roles: ['Staff/it', 'board'] }),
    );
    const token = await getToken();
    expect(readClaims(token)).not.toHaveProperty('groups');
    await withinOneSecond(async () => expect(await introspect(token)).toMatchObject({ roles: ['Staff/it', 'board'] }));
    await change({ groups_claim: null });
    await withinOneSecond(async () => expect(readClaims(await getToken())).toHaveProperty('groups'));
    await change({ groups: null });
    await withinOneSecond(async () => expect(readClaims(await getToken())).not.toHaveProperty('groups'));
    await change({ groups: ['staff/*', 'Board'] });
  });

  it('are left out of an issued token as a whole where there are more than a hundred; userinfo has all', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `many/${String(index).padStart(3, '0')}`);
    for (const name of names) await organization.createGroup(name);
    await change({ groups: ['MANY/*'] });
    await organization.change(username, { groups: names });
    await withinOneSecond(async () => {
      const claims = readClaims(await getToken());
      expect([claims.groups, claims.groups_omitted]).toEqual([undefined, true]);
    });
    const plain = { ...webClient, client_id: 'plain', scope: ['openid', 'groups'] };
    await realm.register(plain);
    const { access_token: bearer } = await realm.tokens(plain, passwordOf('user'));
    await withinOneSecond(async () =>
      expect((await realm.send('/oauth/userinfo', { bearer })).json()).toMatchObject({ groups: names }),
    );
    await organization.change(username, { groups: names.slice(1) });
    await withinOneSecond(async () => {
      const claims = readClaims(await getToken());
      expect([claims.groups, claims.groups_omitted]).toEqual([names.slice(1), undefined]);
    });
    await change({ groups: ['staff/*', 'Board'] });
    await organization.change(username, { groups: ['Staff/it', 'board', 'other'] });
  });

  it('give no administrative role, whatever their names', async () => {
    const [group, claim] = ['SystemAdministrator', 'roles'];
    await organization.createGroup(group);
    await organization.change(username, { groups: [group] });
    await change({ groups: ['*'], groups_claim: claim });
    await withinOneSecond(async () => expect(readClaims(await getToken())).toMatchObject({ roles: [group] }));
    const of = { ...client, client_id: 'of-org-api', scope: ['openid', 'profile', 'roles'], resources: undefined };
    await realm.register(of as never);
    const own = (await realm.tokens(of, { ...passwordOf('user'), scope: 'openid roles' })).access_token;
    expect(readClaims(own).roles ?? []).toEqual([]);
    const basic = ['user@example.com', 'user-password'] as [string, string];
    for (const who of [{ basic }, { bearer: own }, { bearer: await getToken() }]) {
      const statuses = await Promise.all(
        [`${realm.url}/clients`, `${realm.orgUrl}/organization/api/organization/group`].map(async (url) => {
          const { status } = await call(url, { method: 'GET', ...who });
          return status;
        }),
      );
      for (const status of statuses) expect([401, 403]).toContain(status);
    }
    await change({ groups: ['staff/*', 'Board'], groups_claim: null });
    await organization.change(username, { groups: ['Staff/it', 'board', 'other'] });
  });

  it('are left out as a whole where there are more than a hundred', () => {
    const groups = Array.from({ length: 101 }, (_, index) => `g${index}`);
    expect(buildGroupClaims({ names: ['G*'], claim: 'roles' }, { groups })).toEqual({ groups_omitted: true });
    expect(buildGroupClaims({ names: ['g*'], claim: 'groups' }, { groups: groups.slice(1) })).toEqual({
      groups: groups.slice(1),
    });
    expect(buildGroupClaims({ names: ['g1'], claim: 'groups' }, { groups })).toEqual({ groups: ['g1'] });
    expect(buildGroupClaims({ names: ['g'], claim: 'groups' }, { groups })).toEqual({});
    expect(buildGroupClaims({ names: ['*'], claim: 'groups' }, {})).toEqual({});
  });

  it('are set by names alone, and not for org-api', async () => {
    for (const json of [
      { groups: Array(101).fill('a') },
      { groups: [' a'] },
      { groups: 'a' },
      { groups_claim: 'teams' },
    ]) {
      expect((await realm.send(path, { method: 'PATCH', basic: administrator, json })).status).toBe(400);
    }
    const [own] = (
      await realm.send(`/resources?resource=${encodeURIComponent(realm.orgUrl)}`, { basic: administrator })
    ).json<{
      resources: { id: string }[];
    }>().resources;
    const answer = await realm.send(`/resources/${own?.id}`, {
      method: 'PATCH',
      basic: administrator,
      json: { groups: ['a'] },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('organization API')]);
  });
});
