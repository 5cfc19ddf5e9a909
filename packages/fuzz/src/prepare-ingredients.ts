import type { Gatehouse } from '@gatehouse/test-kit';
import {
  administrator,
  type CallOptions,
  type ClientKey,
  call,
  createClientKey,
  deviceGrant,
  tokenExchange,
} from '@gatehouse/test-kit';
import { callback, type Ingredients, loopbackCallback } from './ingredients.ts';
import { keep, learnLinks } from './learn.ts';
import { openForms } from './open-forms.ts';
import { everybodysPassword, preparePeople } from './prepare-people.ts';

const scope = ['openid', 'profile', 'email', 'phone', 'address', 'roles', 'offline_access'];

const secret = 'a-secret-of-the-fuzzer';
const machine = { scope, authorized_grant_types: ['client_credentials'] };
const everything = [
  ...['password', 'authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
  ...[deviceGrant, tokenExchange],
];

/**
 * Registers clients and users, signs in, and opens pages. `round` makes the names new. `serviceKey`: a key that org-api believes as
 * one of auth-server.
 */
export async function prepareIngredients(
  gatehouse: Gatehouse,
  round: number,
  serviceKey?: ClientKey,
): Promise<Ingredients> {
  const { authUrl, baseUrl } = gatehouse;
  const setUp = createSetUp(gatehouse, round);
  const { name, send, register, createResource } = setUp;
  await makeRoom(authUrl);
  const [app, asker, robot] = [name('app'), name('asker'), name('robot')];
  const api = await createResource(0);
  const key = await registerClients(setUp, api);

  const grant = async ([username, password]: [string, string]) => {
    const form = { grant_type: 'password', username, password, scope: scope.join(' ') };
    return (await send(`${authUrl}/oauth/token`, { basic: [app, secret], form })).json<Record<string, string>>();
  };
  const { access_token: administratorToken = '' } = await grant(administrator);
  const user: [string, string] = [`${name('user')}@example.com`, everybodysPassword];
  await setUp.createUser(administratorToken, user[0], { userType: 'Person', password: user[1] });
  const tokens = await grant(user);

  // Of this round: generated requests delete the demo's Robot sooner or later.
  const employee = `${robot}@example.com`;
  await setUp.createUser(administratorToken, employee, { userType: 'Robot' });
  const service = { scope, authorized_grant_types: ['service_account'], srvc_ac_user_name: employee };
  await register({ ...service, client_id: robot, client_secret: secret });
  const found = await createVictims(setUp, administratorToken, api);

  const { token: initialToken } = (
    await send(`${authUrl}/registration-tokens`, { basic: administrator, json: { uses: 10_000 } })
  ).json<{ token: string }>();

  const startDevice = async (id: string) => {
    const options = { basic: [id, secret] as [string, string], form: { scope: 'openid' } };
    return (await send(`${authUrl}/oauth/device_authorization`, options)).json<Record<string, string>>();
  };
  const [waiting, shown] = [await startDevice(app), await startDevice(asker)];
  const ingredients: Ingredients = {
    urls: { 'auth-server': authUrl, 'org-api': baseUrl },
    clients: [app, asker, robot].map((id): [string, string] => [id, secret]),
    publicClient: name('public'),
    keyed: { id: name('keyed'), key },
    administratorToken,
    initialToken,
    holder: createClientKey(),
    serviceKey,
    people: [],
    authenticators: [],
    forms: await openForms(authUrl, { app, asker }, { user, code: shown.user_code ?? '' }),
    found,
  };
  const createUser = async (username: string, fields: object) => {
    const created = await setUp.createUser(administratorToken, username, fields);
    learnLinks(ingredients, created.text);
    return created.json<{ id: string }>().id;
  };
  const query = new URLSearchParams({ response_type: 'code', client_id: app, redirect_uri: callback });
  const places = [`authorize?${query}`, `device?user_code=${waiting.user_code}`, 'consents'].map(
    (each) => `${authUrl}/oauth/${each}`,
  );
  await preparePeople({ authUrl, places: [...places, `${authUrl}/account`], name, createUser }, ingredients);
  for (const [kind, value] of Object.entries(tokens)) keep(ingredients, kind, value);
  for (const kind of ['device_code', 'user_code']) keep(ingredients, kind, waiting[kind] ?? '');
  return ingredients;
}

/** Resources beyond which the oldest go: a realm has a thousand at most, and generated requests register them. */
const mostResources = 700;

async function makeRoom(authUrl: string): Promise<void> {
  const page = await call(`${authUrl}/resources?limit=200&total=true`, { basic: administrator });
  const { resources, total } = page.json<{ resources: { id: string }[]; total: number }>();
  if (total < mostResources) return;
  // That of org-api, and those that clients have, stay.
  for (const { id } of resources) {
    await call(`${authUrl}/resources/${id}`, { method: 'DELETE', basic: administrator });
  }
}

type SetUp = ReturnType<typeof createSetUp>;
type Resource = Awaited<ReturnType<SetUp['createResource']>>;

/** The requests that all ingredients are made by. Each throws an answer that refuses. */
function createSetUp({ authUrl, baseUrl }: Gatehouse, round: number) {
  const name = (what: string) => `fuzz-${what}-${round}`;
  const send = async (url: string, options: CallOptions) => {
    const headers = { ...options.headers, 'x-forwarded-for': `192.0.2.${round % 250}` };
    const answer = await call(url, { ...options, headers });
    if (answer.status >= 400) throw new Error(`${url}: ${answer.status} ${answer.text}`);
    return answer;
  };
  return {
    round,
    baseUrl,
    name,
    send,
    register: (json: object) => send(`${authUrl}/clients`, { basic: administrator, json }),
    async createResource(index: number) {
      const json = {
        resource: `https://${name(`api-${index}`)}.example.com/`,
        name: 'An API',
        scopes: [{ name: name(`scope-${index}`) }],
      };
      const created = await send(`${authUrl}/resources`, { basic: administrator, json });
      return { ...json, ...created.json<{ id: string }>() };
    },
    createUser: (bearer: string, username: string, fields: object) =>
      send(`${baseUrl}/organization/api/organization/user`, { bearer, json: { username, ...fields } }),
  };
}

/** Registers a client of each kind. Gives the key of the one that proves a key. */
async function registerClients({ round, baseUrl, name, register }: SetUp, api: Resource): Promise<ClientKey> {
  const redirecting = { scope, redirect_uri: callback, access_token_validity: 86_400 };
  const withCode = { ...redirecting, authorized_grant_types: ['authorization_code', 'refresh_token', deviceGrant] };
  const ofApi = { resources: [baseUrl, api.resource], scope: [...scope, ...api.scopes.map((one) => one.name)] };
  await register({
    ...redirecting,
    ...ofApi,
    client_id: name('app'),
    client_secret: secret,
    authorized_grant_types: everything,
    exchange_audiences: [baseUrl, api.resource],
  });
  await register({ ...withCode, ...ofApi, client_id: name('asker'), client_secret: secret, require_consent: true });
  const native = { redirect_uris: [loopbackCallback], loopback_ports: 'any' };
  await register({ ...withCode, ...native, client_id: name('public') });
  const key = createClientKey();
  const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
  // Every second one proves a key with each request for tokens, and has the strictest rules.
  const profile = round % 2 === 0 ? {} : { profile: 'fapi2' };
  await register({ ...machine, ...keyed, ...profile, client_id: name('keyed') });
  return key;
}

/** Registers clients, users and resources that generated requests may change and delete. */
async function createVictims(setUp: SetUp, administratorToken: string, api: Resource): Promise<Ingredients['found']> {
  const { name, register, createResource, createUser } = setUp;
  const createVictim = async (index: number) => {
    const [client, username] = [name(`victim-${index}`), `${name(`victim-${index}`)}@example.com`];
    await register({ ...machine, client_id: client, client_secret: secret });
    await createUser(administratorToken, username, { userType: 'Person', password: everybodysPassword });
    return { client, username };
  };
  const resources = await Promise.all([1, 2, 3].map(createResource));
  const victims = await Promise.all(Array.from({ length: 4 }, (_, index) => createVictim(index)));
  return {
    client: victims.map(({ client }) => client),
    username: victims.map(({ username }) => username),
    resource: resources.map(({ id }) => id),
    resource_uri: [api, ...resources].map(({ resource }) => resource),
    resource_scope: [api, ...resources].flatMap(({ scopes }) => scopes.map((one) => one.name)),
  };
}
