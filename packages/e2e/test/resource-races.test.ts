import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, test } from '@jest/globals';
import { obtainCode } from './support/authorization.ts';
import { type Credentials, passwordKind, redirectUri } from './support/clients.ts';
import { administrator } from './support/people.ts';
import {
  deleteResource,
  manageResources,
  type ResourceView,
  registerResource,
  resourceBody,
} from './support/resources.ts';
import { postToken, readClaims, type TokenResponse } from './support/tokens.ts';
import { describeTwoReplicas } from './support/two-replicas.ts';
import { uniqueName } from './support/unique.ts';
import { atOnce } from './support/wait.ts';

describeTwoReplicas('resources at two replicas of auth-server', (at) => {
  let gatehouse: Gatehouse;
  beforeAll(() => {
    gatehouse = at(0);
  });

  const clientBody = (resources: string[], scope: string[], changes: object = {}) => ({
    ...passwordKind({
      scope: ['openid', 'offline_access', ...scope],
      authorized_grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      redirect_uri: redirectUri,
    }),
    resources: [gatehouse.baseUrl, ...resources],
    ...changes,
  });
  const register = async (...body: Parameters<typeof clientBody>): Promise<Credentials> => {
    const json = clientBody(...body);
    const { status, text } = await call(`${gatehouse.authUrl}/clients`, { basic: administrator, json });
    expect([status, text]).toEqual([200, expect.any(String)]);
    return [json.client_id, json.client_secret ?? ''];
  };
  const scopesOf = ({ scopes }: ResourceView) => scopes.map(({ name }) => name);

  test('org-api is registered once', async () => {
    const { resources } = (await manageResources(gatehouse)).json<{ resources: ResourceView[] }>();
    expect(resources.filter(({ resource }) => resource === gatehouse.baseUrl)).toHaveLength(1);
  });

  test.each([1, 2, 3])('one URI is registered once, also with and without its slash (round %d)', async () => {
    const { resource } = resourceBody();
    const answers = await atOnce(16, (index) =>
      manageResources(at(index), '', resourceBody({ resource: index % 4 < 2 ? resource : resource.slice(0, -1) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(15).fill(409)]);
  });

  test.each([1, 2, 3])('one scope name belongs to one resource (round %d)', async () => {
    const name = uniqueName('scope');
    const answers = await atOnce(16, (index) =>
      manageResources(at(index), '', resourceBody({ scopes: [{ name }, { name: uniqueName('other') }] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(15).fill(409)]);
    const winner = answers.find(({ status }) => status === 201)?.json() as unknown as ResourceView;
    expect((await deleteResource(gatehouse, winner)).status).toBe(204);
    expect((await manageResources(at(1), '', resourceBody({ scopes: [{ name }] }))).status).toBe(201);
  });

  test('of changes to one resource at the same moment none is lost', async () => {
    const { id } = await registerResource(gatehouse);
    const answers = await atOnce(16, (index) =>
      manageResources(at(index), `/${id}`, { scopes: [{ name: uniqueName('scope') }] }, 'PATCH'),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(statuses).toContain(200);
    const changed = answers
      .filter(({ status }) => status === 200)
      .map((answer) => answer.json() as unknown as ResourceView);
    const now = (await manageResources(at(1), `/${id}`)).json() as unknown as ResourceView;
    expect(changed.map((one) => one.scopes)).toContainEqual(now.scopes);
    // The names of the changes that lost are free.
    const lost = changed.flatMap(scopesOf).filter((name) => !scopesOf(now).includes(name));
    const taken = await manageResources(gatehouse, '', resourceBody({ scopes: lost.map((name) => ({ name })) }));
    expect(taken.status).toBe(201);
  });

  test.each([1, 2, 3, 4, 5])('a default resource is deleted, or the client is registered (round %d)', async () => {
    const resource = await registerResource(gatehouse);
    const body = clientBody([resource.resource], scopesOf(resource), { default_resource: resource.resource });
    const [registered, deleted] = await Promise.all([
      call(`${at(0).authUrl}/clients`, { basic: administrator, json: body }),
      deleteResource(at(1), resource),
    ]);
    expect([
      [200, 409],
      [400, 204],
    ]).toContainEqual([registered.status, deleted.status]);
    if (deleted.status === 409) expect(deleted.json().detail).toContain(body.client_id);
    else expect(registered.text).toMatch(/default_resource|resources/);
  });

  test('a resource deleted while tokens for it are issued: none is issued after the answer, and nothing fails', async () => {
    const resource = await registerResource(gatehouse);
    const app = await register([resource.resource], scopesOf(resource));
    const form = { grant_type: 'client_credentials', resource: resource.resource };
    let isDeleted = false;
    const seen: { afterAnswer: boolean; status: number; error: unknown }[] = [];
    const ask = async (index: number) => {
      for (let turn = 0; turn < 400; turn += 1) {
        const afterAnswer = isDeleted;
        const { status, json } = await postToken(at(index), { basic: app, form });
        seen.push({ afterAnswer, status, error: json().error });
        if (afterAnswer && turn > 20) return;
      }
    };
    const asking = atOnce(8, ask);
    while (seen.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await deleteResource(at(1), resource)).status).toBe(204);
    isDeleted = true;
    await asking;
    const kinds = new Set(seen.map(({ afterAnswer, status, error }) => `${afterAnswer} ${status} ${error}`));
    kinds.delete('false 400 invalid_target');
    expect([...kinds].sort()).toEqual(['false 200 undefined', 'true 400 invalid_target']);
  });

  test('a refresh changes between the granted resources at any replica, and says no to one that is deleted', async () => {
    const [orders, bills] = [await registerResource(gatehouse), await registerResource(gatehouse)];
    const app = await register([orders.resource, bills.resource], [...scopesOf(orders), ...scopesOf(bills)]);
    const scope = ['openid', 'offline_access', ...scopesOf(orders), ...scopesOf(bills)].join(' ');
    // One parameter in the form of this helper; a space separates several in no URI, so they are pushed.
    const pushed = await call(`${gatehouse.authUrl}/oauth/par`, {
      basic: app,
      form: [
        ['response_type', 'code'],
        ['redirect_uri', redirectUri],
        ['scope', scope],
        ['resource', orders.resource],
        ['resource', bills.resource],
      ],
    });
    const { code } = await obtainCode(gatehouse, app, { request_uri: String(pushed.json().request_uri) });
    const first = await postToken(at(1), {
      basic: app,
      form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri },
    });
    let { refresh_token: token = '', access_token: accessToken } = first.json() as unknown as TokenResponse;
    expect(readClaims(accessToken).aud).toBe(orders.resource);
    for (let turn = 0; turn < 6; turn += 1) {
      const { resource } = turn % 2 === 0 ? bills : orders;
      const form = { grant_type: 'refresh_token', refresh_token: token, resource };
      ({ refresh_token: token = '', access_token: accessToken } = (
        await postToken(at(turn), { basic: app, form })
      ).json() as unknown as TokenResponse);
      expect(readClaims(accessToken).aud).toBe(resource);
    }
    await deleteResource(at(0), bills);
    const form = { grant_type: 'refresh_token', refresh_token: token };
    const refused = await postToken(at(1), { basic: app, form: { ...form, resource: bills.resource } });
    expect([refused.status, refused.json().error]).toEqual([400, 'invalid_target']);
    const next = (await postToken(at(1), { basic: app, form })).json() as unknown as TokenResponse;
    expect(readClaims(next.access_token).aud).toBe(orders.resource);
  });

  test('a lifetime for org-api counts at both replicas within a second', async () => {
    const app = await register([], []);
    const filter = `?resource=${encodeURIComponent(gatehouse.baseUrl)}`;
    const [{ id } = { id: '' }] = (await manageResources(gatehouse, filter)).json<{ resources: ResourceView[] }>()
      .resources;
    const lifetime = async (index: number) =>
      (await postToken(at(index), { basic: app, form: { grant_type: 'client_credentials' } })).json().expires_in;
    await Promise.all([lifetime(0), lifetime(1)]);
    await manageResources(at(0), `/${id}`, { access_token_validity: 300 }, 'PATCH');
    expect(await lifetime(0)).toBe(300);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await lifetime(1)).toBe(300);
    await manageResources(at(0), `/${id}`, { access_token_validity: null }, 'PATCH');
  });
});
