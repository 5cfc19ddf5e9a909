import type { Gatehouse } from '@gatehouse/test-kit';
import {
  administrator,
  type CallOptions,
  call,
  createClientKey,
  deviceGrant,
  plainUser,
  tokenExchange,
} from '@gatehouse/test-kit';
import { callback, type Ingredients, loopbackCallback } from './ingredients.ts';
import { keep } from './learn.ts';
import { openForms } from './open-forms.ts';

const scope = ['openid', 'profile', 'email', 'phone', 'address', 'roles', 'offline_access'];

/** Registers clients and users, signs in, and opens pages. `round` makes the names new. */
export async function prepareIngredients(gatehouse: Gatehouse, round: number): Promise<Ingredients> {
  const { authUrl, baseUrl } = gatehouse;
  const name = (what: string) => `fuzz-${what}-${round}`;
  const send = async (url: string, options: CallOptions) => {
    const headers = { ...options.headers, 'x-forwarded-for': `192.0.2.${round % 250}` };
    const answer = await call(url, { ...options, headers });
    if (answer.status >= 400) throw new Error(`${url}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const register = (json: object) => send(`${authUrl}/clients`, { basic: administrator, json });
  const [app, asker, robot] = [name('app'), name('asker'), name('robot')];
  const secret = 'a-secret-of-the-fuzzer';
  const redirecting = { scope, redirect_uri: callback, access_token_validity: 86_400 };
  const withCode = { ...redirecting, authorized_grant_types: ['authorization_code', 'refresh_token', deviceGrant] };
  const key = createClientKey();
  const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
  const machine = { scope, authorized_grant_types: ['client_credentials'] };
  const everything = [
    ...['password', 'authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
    ...[deviceGrant, tokenExchange],
  ];
  const createResource = async (index: number) => {
    const json = {
      resource: `https://${name(`api-${index}`)}.example.com/`,
      name: 'An API',
      scopes: [{ name: name(`scope-${index}`) }],
    };
    const created = await send(`${authUrl}/resources`, { basic: administrator, json });
    return { ...json, ...created.json<{ id: string }>() };
  };
  const api = await createResource(0);
  const ofApi = { resources: [baseUrl, api.resource], scope: [...scope, ...api.scopes.map((one) => one.name)] };
  await register({
    ...redirecting,
    ...ofApi,
    client_id: app,
    client_secret: secret,
    authorized_grant_types: everything,
    exchange_audiences: [baseUrl, api.resource],
  });
  await register({ ...withCode, ...ofApi, client_id: asker, client_secret: secret, require_consent: true });
  const native = { redirect_uris: [loopbackCallback], loopback_ports: 'any' };
  await register({ ...withCode, ...native, client_id: name('public') });
  // Every second one proves a key with each request for tokens, and has the strictest rules.
  const profile = round % 2 === 0 ? {} : { profile: 'fapi2' };
  await register({ ...machine, ...keyed, ...profile, client_id: name('keyed') });

  const grant = async ([username, password]: [string, string]) => {
    const form = { grant_type: 'password', username, password, scope: scope.join(' ') };
    return (await send(`${authUrl}/oauth/token`, { basic: [app, secret], form })).json<Record<string, string>>();
  };
  const tokens = await grant(plainUser);
  const { access_token: administratorToken = '' } = await grant(administrator);

  const createUser = (username: string, fields: object) =>
    send(`${baseUrl}/organization/api/organization/user`, {
      bearer: administratorToken,
      json: { username, ...fields },
    });
  // Of this round: generated requests delete the demo's Robot sooner or later.
  const employee = `${robot}@example.com`;
  await createUser(employee, { userType: 'Robot' });
  const service = { scope, authorized_grant_types: ['service_account'], srvc_ac_user_name: employee };
  await register({ ...service, client_id: robot, client_secret: secret });

  const createVictim = async (index: number) => {
    const [client, username] = [name(`victim-${index}`), `${name(`victim-${index}`)}@example.com`];
    await register({ ...machine, client_id: client, client_secret: secret });
    await createUser(username, { userType: 'Person', password: 'a password of a victim' });
    return { client, username };
  };
  const victimResources = await Promise.all([1, 2, 3].map(createResource));
  const victims = await Promise.all(Array.from({ length: 4 }, (_, index) => createVictim(index)));

  const { token: initialToken } = (
    await send(`${authUrl}/registration-tokens`, { basic: administrator, json: { uses: 10_000 } })
  ).json<{ token: string }>();

  const startDevice = async (id: string) => {
    const options = { basic: [id, secret] as [string, string], form: { scope: 'openid' } };
    return (await send(`${authUrl}/oauth/device_authorization`, options)).json<Record<string, string>>();
  };
  const [waiting, shown] = [await startDevice(app), await startDevice(asker)];
  const forms = await openForms(authUrl, { app, asker }, shown.user_code ?? '');
  const found = {
    client: victims.map(({ client }) => client),
    username: victims.map(({ username }) => username),
    resource: victimResources.map(({ id }) => id),
    resource_uri: [api, ...victimResources].map(({ resource }) => resource),
    resource_scope: [api, ...victimResources].flatMap(({ scopes }) => scopes.map((scope) => scope.name)),
  };
  const ingredients: Ingredients = {
    urls: { 'auth-server': authUrl, 'org-api': baseUrl },
    clients: [
      [app, secret],
      [asker, secret],
      [robot, secret],
    ],
    publicClient: name('public'),
    keyed: { id: name('keyed'), key },
    administratorToken,
    initialToken,
    holder: createClientKey(),
    forms,
    found,
  };
  for (const [kind, value] of Object.entries(tokens)) keep(ingredients, kind, value);
  for (const kind of ['device_code', 'user_code']) keep(ingredients, kind, waiting[kind] ?? '');
  return ingredients;
}
