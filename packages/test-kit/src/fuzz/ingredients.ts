import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createTestBrowser, readHiddenFields } from '../browser-session.ts';
import { type Answer, type CallOptions, call } from '../call.ts';
import type { Gatehouse } from '../gatehouse.ts';

export const callback = 'https://app.example.com/callback';
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** As the public client registers it. It may come with any port. */
export const loopbackCallback = 'http://127.0.0.1:80/callback';
const scope = ['openid', 'profile', 'email', 'phone', 'address', 'roles', 'offline_access'];
const administrator: [string, string] = ['admin@example.com', 'admin-password'];
export const plainUser: [string, string] = ['user@example.com', 'user-password'];

/** A key of a client: for assertions and proofs. */
export interface SigningPair {
  key: KeyObject;
  publicJwk: Record<string, unknown>;
}

/** What a stranger does not have: with it, requests get as far as they can. */
export interface Ingredients {
  /** Of the services, in this order of keys: where assertions and proofs are meant for. */
  urls: { 'auth-server': string; 'org-api': string };
  /** Clients with a secret, as `Basic` credentials. */
  clients: [string, string][];
  publicClient: string;
  keyed: { id: string; pair: SigningPair };
  /** Of the administrator. Nobody revokes it: it is in no pool. */
  administratorToken: string;
  /** By it clients register themselves. `found` has those that did, each as client_id and registration access token. */
  initialToken: string;
  /** The key that proofs are made with. */
  holder: SigningPair;
  /** Forms of pages, with the cookies of the browser that was given them. */
  forms: { path: string; cookie: string; fields: Record<string, string> }[];
  /** What the answers gave: tokens, codes, request_uris, nonces; clients and users that may be changed and deleted. */
  found: Record<string, string[]>;
}

export function createSigningPair(): SigningPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { key: privateKey, publicJwk: publicKey.export({ format: 'jwk' }) as Record<string, unknown> };
}

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
  const pair = createSigningPair();
  const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [pair.publicJwk] } };
  const machine = { scope, authorized_grant_types: ['client_credentials'] };
  const everything = [
    ...['password', 'authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
    ...[deviceGrant, 'urn:ietf:params:oauth:grant-type:token-exchange'],
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
    keyed: { id: name('keyed'), pair },
    administratorToken,
    initialToken,
    holder: createSigningPair(),
    forms,
    found,
  };
  for (const [kind, value] of Object.entries(tokens)) keep(ingredients, kind, value);
  for (const kind of ['device_code', 'user_code']) keep(ingredients, kind, waiting[kind] ?? '');
  return ingredients;
}

/** The pages for signing in, for allowing, for devices, for taking back and for signing out. */
async function openForms(
  authUrl: string,
  clients: { app: string; asker: string },
  userCode: string,
): Promise<Ingredients['forms']> {
  const browser = createTestBrowser();
  const authorize = (client_id: string, more: Record<string, string> = {}) =>
    `${authUrl}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri: callback, ...more })}`;
  const formOf = (path: string, page: Answer) => ({
    path,
    cookie: Object.entries(browser.cookies())
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
    fields: readHiddenFields(page.text),
  });
  const signInPage = await browser.get(authorize(clients.app));
  const signInForm = formOf('/oauth/sign-in', signInPage);
  const deviceUrl = `${authUrl}/oauth/device?user_code=${userCode}`;
  const deviceSignInForm = formOf('/oauth/device-sign-in', await browser.get(deviceUrl));
  const [username, password] = plainUser;
  await browser.submit(signInPage, authorize(clients.app), { username, password });
  const consentUrl = authorize(clients.asker, { scope: 'openid profile' });
  const consentPage = await browser.get(consentUrl);
  const consentForm = formOf('/oauth/consent', consentPage);
  await browser.submit(consentPage, consentUrl, { decision: 'allow' });
  const deviceForm = formOf('/oauth/device', await browser.get(deviceUrl));
  const consentsForm = formOf('/oauth/consents', await browser.get(`${authUrl}/oauth/consents`));
  const logoutForm = formOf('/oauth/logout', await browser.get(`${authUrl}/oauth/logout`));
  return [signInForm, deviceSignInForm, consentForm, deviceForm, consentsForm, logoutForm];
}

/** Values of one kind that are kept; the oldest goes. */
const mostKept = 64;

function keep({ found }: Ingredients, kind: string, value: string): void {
  const values = found[kind] ?? [];
  found[kind] = values;
  values.push(value);
  if (values.length > mostKept) values.shift();
}

/** The client that registered itself last. */
export function findDynamicClient({ found }: Ingredients): { id: string; token: string } | undefined {
  const [id, token] = found.dynamic_client?.at(-1)?.split(' ') ?? [];
  return id === undefined || token === undefined ? undefined : { id, token };
}

/** Keeps what an answer gives for later requests. */
export function learn(
  ingredients: Ingredients,
  service: string,
  answer: { headers: Record<string, unknown>; text: string },
): void {
  const { 'dpop-nonce': nonce, location } = answer.headers;
  if (typeof nonce === 'string') ingredients.found[`nonce ${service}`] = [nonce];
  const code = typeof location === 'string' ? /[?&#]code=([\w-]+)/.exec(location)?.[1] : undefined;
  if (code !== undefined) keep(ingredients, 'code', code);
  const client = /^client (\S+) created/.exec(answer.text)?.[1];
  if (client !== undefined) keep(ingredients, 'client', client);
  const [, dynamicId, token] =
    /^\{"client_id":"([\w-]{36})".*?"registration_access_token":"([\w-]{43})"/.exec(answer.text) ?? [];
  if (dynamicId !== undefined) keep(ingredients, 'dynamic_client', `${dynamicId} ${token}`);
  const resource = /^\{"id":"([\w-]{36})","resource":/.exec(answer.text)?.[1];
  if (resource !== undefined) keep(ingredients, 'resource', resource);
  for (const [, kind = '', value = ''] of answer.text.matchAll(
    /"(access_token|refresh_token|id_token|request_uri|username|device_code)":"([^"]{20,4000})"/g,
  )) {
    keep(ingredients, kind, value);
  }
}
